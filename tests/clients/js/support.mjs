// The common part of tests with JavaScript clients: the packages, the emulator's addresses, an account, and the runner of a
// story.
//
// In the environment: CLIENTS_PACKAGES, a folder with node_modules; READY_FILE, what `trainyard serve --ready-file` wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export const load = createRequire(`${process.env.CLIENTS_PACKAGES}/package.json`);
export const ready = JSON.parse(readFileSync(process.env.READY_FILE, "utf8"));
export const MiB = 1 << 20;
export const inAnHour = () => new Date(Date.now() + 3600e3);

// The same bytes every time, and no two ranges alike.
export function noise(length, seed = 1) {
  const bytes = Buffer.alloc(length);
  let state = seed >>> 0;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

// The Resource Manager by hand: what the packages have no client for.
export async function arm(method, path, body, version = "2021-04-01") {
  const answer = await fetch(`https://${ready.tls}/subscriptions/${ready.subscription}/${path}?api-version=${version}`,
    { method, headers: { Authorization: "Bearer x", "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await (answer.ok ? "" : answer.text())}`);
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

// A storage account: where its files are, and its key.
export async function openAccount(group, name) {
  const path = `resourceGroups/${group}/providers/Microsoft.Storage/storageAccounts/${name}`;
  await arm("PUT", `resourceGroups/${group}`, { location: "eastus" });
  const account = await arm("PUT", path, { location: "eastus", kind: "StorageV2", sku: { name: "Standard_LRS" } }, "2022-09-01");
  const { keys } = await arm("POST", `${path}/listKeys`, undefined, "2022-09-01");
  return { name, key: keys[0].value, url: account.properties.primaryEndpoints.file.replace(/\/$/, "") };
}

// The emulator's own interface: simulated time.
export async function runUntil(until) {
  const answer = await fetch(`http://${ready.plain}/trainyard/clock`,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ do: "run-until", until }) });
  assert.equal(answer.status, 200, await answer.text());
}

// What a client refuses with: its error, with the service's status and code.
export async function refused(promise, status, code) {
  let error;
  await assert.rejects(promise, (caught) => (error = caught, true));
  assert.equal(error.statusCode, status, error.stack);
  assert.equal(error.code ?? error.details?.errorCode ?? error.details?.code, code, error.stack);
  return error;
}

export async function all(iterator) {
  const items = [];
  for await (const item of iterator)
    items.push(item);
  return items;
}

// A line for each test, in the order in which they are written, and how many there were.
export async function tell(tests) {
  let failed = 0;
  for (const [name, run] of Object.entries(tests)) {
    try {
      await run();
      console.log(`${name} ... ok`);
    } catch (error) {
      failed++;
      console.log(`${name} ... FAILED\n${error.stack}`);
    }
  }
  console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
