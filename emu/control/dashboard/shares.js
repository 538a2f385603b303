// Shares: how they are, what is on them, what is in a file.
import { byId, draw, h } from "./dom.js";
import { openFault } from "./faults.js";
import { pager } from "./pages.js";
import { ask, query, say, world } from "./world.js";
import { bytes, count, many, percent, terminal } from "./words.js";

const VIEW_BYTES = 65536;

// The directory that is looked at: {share, path, entries, next, message}.
let shown = null;

// --- Directories ---

export async function browse(share, path) {
  shown = { share, path, entries: null, next: null };
  byId("shares").scrollIntoView({ block: "nearest" });
  await read();
}

async function read() {
  const asked = shown;
  drawShares();
  try {
    const { entries, next } = await ask(`/trainyard/files?${query({ share: asked.share, path: asked.path })}`);
    Object.assign(asked, { entries, next, message: null });
  } catch (error) {
    Object.assign(asked, { entries: [], next: null, message: error.message });
  }
  drawShares();
}

async function readMore() {
  const asked = shown;
  const { entries, next } = await ask(`/trainyard/files?${query({ share: asked.share, path: asked.path, after: asked.next })}`);
  asked.entries.push(...entries);
  asked.next = next;
  drawShares();
}

const inside = (name) => (shown.path ? `${shown.path}/${name}` : name);
const address = (path) => `/trainyard/file?${query({ share: shown.share, path })}`;

// --- Files ---

async function view(entry) {
  const path = inside(entry.name), share = shown.share, url = address(path);
  const answer = await fetch(`${url}&last=${VIEW_BYTES}`);
  if (!answer.ok) {
    say("The file is not there any more.");
    return;
  }
  const raw = new Uint8Array(await answer.arrayBuffer());
  const all = Number(answer.headers.get("X-File-Bytes"));
  const isText = !raw.includes(0);
  const dialog = byId("file-dialog");
  draw(dialog, [
    h("div", { class: "head" },
      h("h2", { id: "file-title" }, entry.name), h("span", { class: "muted" }, bytes(all)), h("span", { class: "grow" }),
      h("button", { onclick: () => view(entry) }, "Again"),
      h("a", { href: url, download: entry.name }, "Save"),
      h("button", { onclick: () => dialog.close() }, "Close")),
    h("p", { class: "muted" }, `${share}/${path}`),
    all > raw.length && h("p", { class: "muted" }, `The last ${bytes(raw.length)} of it.`),
    isText ? h("pre", { class: "log", tabindex: 0 }, terminal(new TextDecoder().decode(raw)) || "(empty)") : h("p", {}, "This file is not text."),
  ]);
  if (!dialog.open)
    dialog.showModal();
  const text = dialog.querySelector("pre");
  if (text)
    text.scrollTop = text.scrollHeight;
}

function crumbs() {
  const parts = shown.path ? shown.path.split("/") : [];
  return h("ol", { class: "crumbs" },
    h("li", { key: "top" }, h("button", { class: "plain", onclick: () => { shown = null; drawShares(); } }, "all shares")),
    h("li", { key: "share" }, h("button", { class: "plain", onclick: () => browse(shown.share, "") }, shown.share)),
    parts.map((part, i) => h("li", { key: i }, h("button", { class: "plain", onclick: () => browse(shown.share, parts.slice(0, i + 1).join("/")) }, part))));
}

function entryRow(entry) {
  if (entry.kind === "directory")
    return h("tr", { key: entry.name }, h("td", { class: "name" }, h("button", { class: "plain", onclick: () => browse(shown.share, inside(entry.name)) }, `${entry.name}/`)), h("td", {}), h("td", {}), h("td", {}));
  return h("tr", { key: entry.name },
    h("td", { class: "name" }, h("button", { class: "plain", onclick: () => view(entry) }, entry.name)),
    h("td", { class: "n" }, bytes(entry.bytes)),
    h("td", {}, h("time", {}, entry.written.replace("T", " ").slice(0, 19))),
    h("td", { class: "n" }, h("a", { href: address(inside(entry.name)), download: entry.name, "aria-label": `Save ${entry.name}` }, "Save")));
}

function directory() {
  return [
    crumbs(),
    shown.message && h("p", { class: "note bad" }, shown.message),
    shown.entries && shown.entries.length === 0 && !shown.message && h("p", { class: "note" }, "Nothing is here."),
    shown.entries && shown.entries.length > 0 && h("table", { class: "stack" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Name"), h("th", { class: "n", scope: "col" }, "Size"), h("th", { scope: "col" }, "Written"), h("th", {}))),
      h("tbody", {}, shown.entries.map(entryRow))),
    shown.next && h("div", { class: "more small" }, `${count(shown.entries.length)} shown`, h("button", { onclick: readMore }, "More")),
  ];
}

// --- Shares ---

function shareRow(share) {
  const state = share.speed === 0 ? "out" : share.speed < 1 ? "slow" : "up";
  const isServer = share.name.startsWith("fileserver/"); // a disk of a machine that is not emulated
  return h("tr", { key: share.id },
    h("td", { class: "name" }, isServer ? share.name : h("button", { class: "plain", onclick: () => browse(share.name, "") }, share.name)),
    h("td", {}, h("span", { class: `state ${state}` }, state === "slow" ? `slow, ${percent(share.speed)}` : state)),
    h("td", { class: "n", "data-label": "under way" }, count(share.transfers)),
    h("td", { class: "n", "data-label": "moved" }, bytes(share.bytes_moved)),
    h("td", { class: "n small" }, h("button", { "aria-label": `A fault of ${share.name}`, onclick: () => openFault("share.slow", { share: share.name }) }, "Fault…")));
}

function list() {
  const { shares } = world.state;
  if (shares.length === 0)
    return h("p", { class: "note" }, "No share yet.");
  return h("table", { class: "stack" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Share"), h("th", { scope: "col" }, "State"), h("th", { class: "n", scope: "col" }, "Transfers"), h("th", { class: "n", scope: "col" }, "Moved by jobs"), h("th", {}))),
    h("tbody", {}, shares.map(shareRow)));
}

function drawShares() {
  const { shares, totals, next } = world.state;
  draw(byId("shares"), [
    h("div", { class: "head" }, h("h2", { id: "shares-title" }, "Shares"), h("span", { class: "grow" }),
      shown ? h("span", { class: "small" }, h("button", { onclick: read }, "Refresh")) : h("span", { class: "muted" }, many(totals.shares, "share"))),
    shown ? directory() : [list(), pager("after_share", shares.length, totals.shares, next.shares)],
  ]);
}

world.listeners.push(() => {
  if (world.state)
    drawShares();
});
