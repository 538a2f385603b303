// The dashboard in a browser: what is asked of the emulator is seen on the page, and what is done on the page happens.
//
//     test_dashboard.mjs CHROMIUM ADDRESS SUBSCRIPTION [FOLDER]
//
// Photographs of the page, wide and narrow, light and dark, go into FOLDER.
import assert from "node:assert/strict";
import { openBrowser } from "./browser.mjs";
import { command, openCloud, training } from "./cloud.mjs";

const [chromium, address, subscription, folder] = process.argv.slice(2);
const cloud = openCloud(address, subscription);
const browser = await openBrowser(chromium);
const page = await browser.openPage(`http://${address}/`);
const advance = (by) => cloud.control("clock", { do: "advance", by });
const until = (goal) => cloud.control("clock", { do: "run-until", until: goal });
const text = (selector) => page.value(`document.querySelector(${JSON.stringify(selector)}).textContent`);
const has = (selector, words) => page.until(`(document.querySelector(${JSON.stringify(selector)}) || {textContent: ""}).textContent.includes(${JSON.stringify(words)})`,
  `"${words}" in ${selector}`);
const nodes = (cluster, state, count) => page.until(
  `document.querySelectorAll('[aria-label="Nodes of ${cluster}"] .node.${state}').length === ${count}`, `${count} nodes ${state} in ${cluster}`);

const undoLooks = [1280, 390].flatMap((width) => ["light", "dark"].map((scheme) => [`undo-${width}-${scheme}`, { width, height: 900, scheme, isPhone: width < 500 }]));

const tests = {
  async "an empty world says how to begin"() {
    await page.look({ width: 1280 });
    await has("#clusters", "No cluster yet");
    await has("#clock time", "17:45:00");
    await has("#link", "live");
  },

  async "a cluster that a client makes is there, and its nodes go from preparing to idle"() {
    await cloud.begin();
    await cloud.share("myshare");
    await cloud.directory("myshare/cifar");
    await cloud.file("myshare/cifar/cifar_cnn_distributed.py", "print()\n");
    await cloud.file("myshare/cifar/notes.txt", "<img src=x onerror=\"document.title='taken'\"> & so on\n");
    await cloud.cluster("gpu", { manual: { targetNodeCount: 3 } });
    await has("#clusters", "gpu");
    await until("cluster gpu steady");
    await nodes("gpu", "preparing", 3);
    await until("cluster gpu ready");
    await nodes("gpu", "idle", 3);
    await has("#totals", "3 idle");
  },

  async "a job takes nodes, and shows its progress and its output"() {
    await cloud.job("train", "gpu", 2, training(2));
    await until("job train training");
    await nodes("gpu", "running", 2);
    await until("job train epochs >= 4");
    await has("#jobs", "4 of 50 epochs");
    await page.press("train", "document.querySelector('#jobs')");
    await has("#jobs .job-open", "Accuracy: validation");
    await has("#jobs pre.log", "acc:");
  },

  async "time is moved from the page"() {
    await page.value("document.querySelector('#rate').value = 'x10'; document.querySelector('#rate').dispatchEvent(new Event('change')); 1");
    await has("#clock .mode", "10×");
    const before = (await cloud.control("clock")).now_ns;
    await page.press("Pause");
    await has("#clock .mode", "paused");
    const { now_ns: paused, paused: isPaused } = await cloud.control("clock");
    assert.ok(isPaused && paused > before, "time passed before the pause");
    const next = (await cloud.control("clock")).next_event_ns;
    await page.press("Step");
    await has("#said", "Stepped");
    assert.equal((await cloud.control("clock")).now_ns, next);
    await page.press("+10 min");
    await has("#said", "Advanced by 10 min");
    assert.equal((await cloud.control("clock")).now_ns, next + 600e9);
    await page.value("document.querySelector('#until').value = 'job train epochs >= 25'; document.querySelector('#time-controls form').requestSubmit()");
    await has("#jobs", "25 of 50 epochs");
    await page.value("document.querySelector('#until').value = 'lunch'; document.querySelector('#time-controls form').requestSubmit()");
    await has("#said", "not an instant, a moment or a condition");
  },

  async "a node that is lost from the page is missed, and the job begins anew"() {
    await page.value("document.querySelector('[role=option].running').click()");
    await has(".detail", "runs train");
    await page.press("Lose it", "document.querySelector('.detail')");
    await has("#jobs", "stalled");
    await page.until("!!document.querySelector('[role=option].running.trouble')", "a running node in trouble");
    await until("job train requeued");
    await nodes("gpu", "unusable", 1);
    await has("#events", "gpu #1 unusable crash");
    await has("#said", "gpu #1 unusable");
    await until("job train training");
    await has("#jobs", "attempt 2");
    await nodes("gpu", "running", 2);
    await advance("30m");
    // The job runs: only the details say that its resource was made.
    assert.doesNotMatch(await text("#events"), /succeeded/);
    await page.press("All", "document.querySelector('#events')");
    await has("#events", "train provisioning state: succeeded");
    await page.press("What matters", "document.querySelector('#events')");
    await nodes("gpu", "unusable", 0); // replaced
  },

  async "the keyboard is enough"() {
    await page.value("document.querySelector('[role=option][tabindex=\"0\"]').focus()");
    await page.key("ArrowRight");
    assert.equal(await page.value("document.activeElement.dataset.place"), "1");
    await page.key("End");
    await page.key("Enter");
    await has(".detail", "at place 3");
    await page.key("Enter");
    await page.until("!document.querySelector('.detail')", "the chosen node is left again");
    await page.value("document.querySelector('#faults button').focus()");
    await page.key("Enter");
    await page.until("document.querySelector('#fault-dialog').open");
    assert.ok(await page.value("document.querySelector('#fault-dialog').contains(document.activeElement)"));
    await page.key("Escape");
    await page.until("!document.querySelector('#fault-dialog').open");
    const nameless = await page.value(`[...document.querySelectorAll("button, select, input, a")].filter((e) => !(e.textContent.trim() ||
      e.getAttribute("aria-label") || (e.labels && e.labels.length))).map((e) => e.outerHTML)`);
    assert.deepEqual(nameless, []);
  },

  async "a rule for the API holds until it is ended"() {
    await page.press("Let something go wrong");
    await page.value("const k = document.querySelector('#fault-kind'); k.value = 'api.error'; k.dispatchEvent(new Event('change')); 1");
    await page.value("const p = document.querySelector('#fault-path'); p.value = '*clusters*'; p.dispatchEvent(new Event('input')); 1");
    await page.press("Let it happen");
    await has("#faults .rules", "*clusters*");
    await assert.rejects(cloud.cluster("refused", { manual: { targetNodeCount: 0 } }), /503/);
    await page.press("End", "document.querySelector('#faults')");
    await has("#faults", "The API answers without faults.");
    await cloud.cluster("spare", { manual: { targetNodeCount: 0 } });
  },

  async "what a fault lacks is said in its dialog"() {
    await page.press("Let something go wrong");
    await page.value("const n = document.querySelector('#fault-node'); n.value = '99'; n.dispatchEvent(new Event('input')); 1");
    await page.press("Let it happen");
    await has("#fault-dialog [role=alert]", "no node at place 99");
    await page.press("Cancel");
  },

  async "shares are walked through, and what is in a file stays text"() {
    await page.press("store/myshare", "document.querySelector('#shares')");
    await page.press("cifar/", "document.querySelector('#shares')");
    await page.press("notes.txt", "document.querySelector('#shares')");
    await has("#file-dialog pre", "<img src=x onerror=");
    assert.equal(await page.value("document.querySelectorAll('#file-dialog img').length"), 0);
    assert.match(await page.value("document.title"), /trainyard$/);
    const saved = await page.value("fetch(document.querySelector('#file-dialog a').href).then((r) => r.text())");
    assert.match(saved, /^<img src=x/);
    await page.press("Close", "document.querySelector('#file-dialog')");
  },

  async "a job ends, and the page says so"() {
    await cloud.job("short", "gpu", 1, command("make"));
    await until("job train completed");
    await page.press("succeeded", "document.querySelector('#jobs')");
    await has("#jobs", "50 of 50 epochs");
    await has("#jobs pre.log", "Test accuracy:");
    await page.press("All", "document.querySelector('#jobs')");
    await has("#events", "train succeeded, exit code 0");
    await has("#events", "short: "); // the warning about its command, in words
    assert.doesNotMatch(await text("#events"), /undefined|\d warning\d/);
    assert.match(await text("#totals"), /\d+\.\d\d\u00a0USD/);
  },

  async "a job that cannot start says why, and time runs on only if asked for"() {
    const runUntil = (goal) => page.value(`document.querySelector('#until').value = ${JSON.stringify(goal)}; document.querySelector('#time-controls form').requestSubmit()`);
    await cloud.job("wide", "spare", 2, command("make"));
    await has("#jobs", "2 nodes wanted, the cluster may have 0");
    const { now_ns: before } = await cloud.control("clock");
    await runUntil("job wide completed");
    await has("#question", "Job wide cannot start: 2 nodes wanted, the cluster may have 0.");
    assert.equal((await cloud.control("clock")).now_ns, before, "time stands still until the answer");
    await page.press("No", "document.querySelector('#question')");
    await page.until("!document.querySelector('#question')", "the question is gone");
    await runUntil("cluster gpu idle >= 99");
    await has("#said", "does not happen: no event is pending");
    assert.ok((await cloud.control("clock")).now_ns < before + 60e9, "time passes to the last event");
    await cloud.job("slow", "gpu", 1, command("sleep 200000"));
    await until("job slow started");
    const { now_ns: begun } = await cloud.control("clock");
    await runUntil("job slow completed");
    await has("#question", "did not happen in time");
    assert.equal((await cloud.control("clock")).now_ns, begun + 86400e9, "a day, not the default of 30");
    await page.press("Wait another day");
    await page.until(`fetch('/trainyard/clock').then((r) => r.json()).then((c) => c.now_ns === ${begun + 2 * 86400e9})`, "a second day");
    await has("#question", "did not happen in time");
    await page.press("No", "document.querySelector('#question')");
    await until("job slow completed");
  },

  async "a jump is undone from the page, and what that drops is named first"() {
    const { now_ns: before, now: then } = await cloud.control("clock");
    const isBack = (ns) => page.until(`fetch('/trainyard/clock').then((r) => r.json()).then((c) => c.now_ns === ${ns}).catch(() => false)`, `back at ${ns}`);
    await page.press("+1 d");
    await has("#said", "Advanced by 1 d.Undo");
    await page.press("Undo", "document.querySelector('#said')");
    await isBack(before);
    await has("#said", "Back at ");
    await has("#link", "live");
    await page.press("+1 d");
    await page.until("!!document.querySelector('#said button')", "the offer");
    await cloud.cluster("late", { manual: { targetNodeCount: 0 } });
    await has("#clusters", "late");
    await page.press("Undo", "document.querySelector('#clock')");
    await has("#question", `Going back to ${then} drops 1 request (cluster.create late)`);
    for (const [name, look] of undoLooks) {
      await page.look(look);
      await page.value("scrollTo(0, 0)");
      assert.equal(await page.value("document.documentElement.scrollWidth"), look.width, `how wide ${name} is`);
      assert.deepEqual(await page.value(poorContrast), [], name);
      if (folder)
        await page.photograph(`${folder}/${name}.png`);
    }
    await page.look({ width: 1280 });
    await page.press("Undo all the same", "document.querySelector('#question')");
    await isBack(before);
    await page.until("!document.querySelector('#clusters').textContent.includes('late')", "the cluster is gone");
    assert.doesNotMatch(await text("#events"), /late/);
    await page.until("!document.querySelector('#question')", "the question is gone");
  },

  async "long names leave the other columns their room"() {
    const long = "name-as-long-as-the-service-allows-it-to-be-64-characters-in-all";
    await cloud.cluster(long, { manual: { targetNodeCount: 1 } });
    await cloud.job("first", long, 2, command("sleep 1h"));
    await cloud.job(long.replace("name", "jobs"), long, 1, command("sleep 1h"));
    await until(`cluster ${long} ready`);
    await page.look({ width: 1280 });
    await has("#jobs", "1 node wanted, 1 idle, queued after first");
    const narrow = await page.value(`[...document.querySelectorAll("#jobs tbody tr:not(.open)")].filter((row) =>
      row.scrollWidth > document.querySelector("#jobs").clientWidth || row.cells[0].clientWidth < 120 || row.clientHeight > 150).map((row) => row.innerText)`);
    assert.deepEqual(narrow, []);
    await page.value("scrollTo(0, 0)");
  },

  async "the events so far are a page of text"() {
    const { length } = (await cloud.send("GET", "/trainyard/events?since=0&follow=false")).text.match(/^id: /gm);
    assert.equal(length, (await cloud.control("state")).event);
  },

  async "it fits a phone, and every colour has contrast"() {
    const looks = [["wide-light", { width: 1366 }], ["wide-dark", { width: 1366, scheme: "dark" }],
      ["phone-light", { width: 360, height: 800, isPhone: true }], ["phone-dark", { width: 360, height: 800, isPhone: true, scheme: "dark" }]];
    for (const [name, look] of looks) {
      await page.look(look);
      await page.value("scrollTo(0, 0)");
      assert.equal(await page.value("document.documentElement.scrollWidth"), look.width, `how wide ${name} is`);
      assert.deepEqual(await page.value(poorContrast), [], name);
      if (folder)
        await page.photograph(`${folder}/${name}.png`);
    }
  },

  async "a lost connection is reported and restored"() {
    await page.tell("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await page.value("document.querySelector('#time-controls button').click()");
    await has("#link", "no connection");
    await page.tell("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await has("#link", "live");
  },
};

// WCAG 2.1, 1.4.3: at least 4.5 to 1 between text and its background; disabled controls do not count.
const poorContrast = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, k, i) => { const v = c[i] / 255; return sum + k * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255, 255]; };
  const poor = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || e.closest(":disabled, svg, dialog, option") || !e.checkVisibility())
      continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5)
      poor.add(e.className + " " + e.textContent.trim().slice(0, 30) + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return [...poor];
})()`;

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
  try {
    await run();
    assert.deepEqual(page.problems, [], "the console is clean");
    console.log(`ok: ${name}`);
  } catch (error) {
    failed++;
    console.log(`not ok: ${name}: ${error.message}`);
    page.problems.splice(0);
    if (folder)
      await page.photograph(`${folder}/failed-${failed}.png`);
  }
}
await browser.close();
console.log(`${Object.keys(tests).length - failed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
