// Chromium without a window, controlled over two pipes (Chrome DevTools Protocol): no package is needed for it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WAIT_MS = 20000;

export async function openBrowser(program) {
  const profile = mkdtempSync(join(tmpdir(), "trainyard-browser-"));
  const child = spawn(program, ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--no-proxy-server", "--hide-scrollbars", `--user-data-dir=${profile}`, "about:blank"],
  { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map();
  const listeners = [];
  let number = 0, rest = "";
  child.stdio[4].setEncoding("utf8").on("data", (text) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop();
    for (const message of messages.map((m) => JSON.parse(m))) {
      const { resolve, reject } = waiting.get(message.id) || {};
      waiting.delete(message.id);
      if (message.error && reject)
        reject(new Error(message.error.message));
      else if (resolve)
        resolve(message.result);
      else
        listeners.forEach((hear) => hear(message));
    }
  });
  const send = (method, params = {}, sessionId = undefined) => new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    child.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId })}\0`);
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  return {
    openPage: (url) => openPage(send, listeners, url),
    async close() {
      await send("Browser.close").catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

async function openPage(send, listeners, url) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const tell = (method, params) => send(method, params, sessionId);
  const problems = []; // what the console shows in red
  listeners.push(({ sessionId: of, method, params }) => {
    if (of !== sessionId)
      return;
    if (method === "Runtime.exceptionThrown")
      problems.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    // Refused requests are in the log, too; some are expected.
    if (method === "Log.entryAdded" && params.entry.level === "error" && params.entry.source !== "network")
      problems.push(`${params.entry.text} ${params.entry.url || ""}`);
  });
  await tell("Runtime.enable");
  await tell("Log.enable");
  await tell("Page.enable");
  await tell("Network.enable");
  const page = {
    problems,
    tell,
    async look({ width, height = 900, scheme = "light", isPhone = false, media = "" }) {
      await tell("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: isPhone ? 2 : 1, mobile: isPhone });
      await tell("Emulation.setEmulatedMedia", { media, features: [{ name: "prefers-color-scheme", value: scheme }] });
    },
    // The value of an expression in the page.
    async value(expression) {
      const { result, exceptionDetails } = await tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails)
        throw new Error(`${expression}: ${exceptionDetails.exception?.description || exceptionDetails.text}`);
      return result.value;
    },
    // Waits until an expression is true.
    async until(expression, what = expression) {
      for (const end = Date.now() + WAIT_MS; Date.now() < end;) {
        if (await page.value(expression))
          return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`did not come: ${what}`);
    },
    // Presses the button whose words begin so.
    async press(words, within = "document") {
      await page.until(`!![...${within}.querySelectorAll("button")].find((b) => b.textContent.startsWith(${JSON.stringify(words)}) && !b.disabled)`, `button ${words}`);
      await page.value(`[...${within}.querySelectorAll("button")].find((b) => b.textContent.startsWith(${JSON.stringify(words)}) && !b.disabled).click()`);
    },
    async key(key, code = key) {
      const codes = { Enter: 13, Tab: 9, Escape: 27, ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, ArrowUp: 38, End: 35, Home: 36 };
      const event = { key, code, windowsVirtualKeyCode: codes[key] || 0, text: key === "Enter" ? "\r" : undefined };
      await tell("Input.dispatchKeyEvent", { type: "keyDown", ...event });
      await tell("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    async photograph(path) {
      const { cssContentSize } = await tell("Page.getLayoutMetrics");
      const { data } = await tell("Page.captureScreenshot", {
        captureBeyondViewport: true, clip: { x: 0, y: 0, width: cssContentSize.width, height: Math.min(cssContentSize.height, 6000), scale: 1 } });
      writeFileSync(path, Buffer.from(data, "base64"));
    },
  };
  await tell("Page.navigate", { url });
  return page;
}
