// Requests to the emulator as clients of Azure make them: the Resource Manager with any bearer token, Azure Files by SharedKey.
import { createHmac } from "node:crypto";
import { request } from "node:http";

function send({ host, port }, method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, method, path, headers }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString() }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export function openCloud(address, subscription) {
  const [host, port] = address.split(":");
  const at = { host, port: Number(port) };
  const group = `/subscriptions/${subscription}/resourceGroups/rg`;
  const workspace = `${group}/providers/Microsoft.BatchAI/workspaces/dev`;
  const arm = async (method, path, body, version = "2018-05-01") => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const answer = await send(at, method, `${path}?api-version=${version}`,
      { Authorization: "Bearer x", "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) }, text);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text === "" ? null : JSON.parse(answer.text);
  };
  const account = `${group}/providers/Microsoft.Storage/storageAccounts/store`;
  let key;

  // Microsoft, "Authorize with Shared Key": headers in this order, then the resource.
  async function files(method, path, query, headers = {}, body = "") {
    const date = new Date().toUTCString(), length = Buffer.byteLength(body);
    const own = { "x-ms-date": date, "x-ms-version": "2021-12-02", ...headers };
    const canonical = Object.keys(own).sort().map((name) => `${name}:${own[name]}\n`).join("");
    const parameters = Object.keys(query).sort().map((name) => `\n${name}:${query[name]}`).join("");
    const signed = `${method}\n\n\n${length || ""}\n\n\n\n\n\n\n\n\n${canonical}/store${path}${parameters}`;
    const signature = createHmac("sha256", Buffer.from(key, "base64")).update(signed).digest("base64");
    const answer = await send(at, method, `${path}?${new URLSearchParams(query)}`,
      { Host: "store.file.core.windows.net", "Content-Length": length, Authorization: `SharedKey store:${signature}`, ...own }, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  return {
    send: (method, path, headers = {}, body = "") => send(at, method, path, headers, body),
    async begin() {
      await arm("PUT", group, { location: "eastus" }, "2021-04-01");
      await arm("PUT", account, { location: "eastus", sku: { name: "Standard_LRS" }, kind: "StorageV2" }, "2019-06-01");
      key = (await arm("POST", `${account}/listKeys`, undefined, "2019-06-01")).keys[0].value;
      await arm("PUT", workspace, { location: "eastus" });
      await arm("PUT", `${workspace}/experiments/cifar`, {});
    },
    share: (name) => files("PUT", `/${name}`, { restype: "share" }),
    directory: (path) => files("PUT", `/${path}`, { restype: "directory" }),
    async file(path, text) {
      await files("PUT", `/${path}`, {}, { "x-ms-type": "file", "x-ms-content-length": String(Buffer.byteLength(text)) });
      await files("PUT", `/${path}`, { comp: "range" }, { "x-ms-write": "update", "x-ms-range": `bytes=0-${Buffer.byteLength(text) - 1}` }, text);
    },
    cluster: (name, scaleSettings, more = {}) => arm("PUT", `${workspace}/clusters/${name}`, {
      properties: { vmSize: "STANDARD_NC6", scaleSettings, userAccountSettings: { adminUserName: "demo", adminUserPassword: "Password-1" }, ...more } }),
    job: (name, cluster, nodes, toolkit) => arm("PUT", `${workspace}/experiments/cifar/jobs/${name}`, {
      properties: {
        cluster: { id: `${workspace}/clusters/${cluster}` }, nodeCount: nodes, ...toolkit,
        stdOutErrPathPrefix: "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare/cifar",
        mountVolumes: { azureFileShares: [{ accountName: "store", azureFileUrl: "https://store.file.core.windows.net/myshare", relativeMountPath: "myshare", credentials: { accountKey: "x" } }] },
        containerSettings: { imageSourceRegistry: { image: "tensorflow/tensorflow:1.8.0-gpu" } } } }),
    async control(what, body) {
      const answer = await send(at, body ? "POST" : "GET", `/trainyard/${what}`, {}, body ? JSON.stringify(body) : "");
      if (answer.status >= 300)
        throw new Error(`${what}: ${answer.text}`);
      return JSON.parse(answer.text);
    },
  };
}

export const training = (processes) => ({
  horovodSettings: { pythonScriptFilePath: "$AZ_BATCHAI_JOB_MOUNT_ROOT/myshare/cifar/cifar_cnn_distributed.py", processCount: processes } });
export const command = (commandLine) => ({ customToolkitSettings: { commandLine } });
