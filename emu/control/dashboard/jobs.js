// Jobs: how far they are, how well they have learned, what they print.
import { byId, draw, h } from "./dom.js";
import { injectFault, openFault } from "./faults.js";
import { firstPage, pager } from "./pages.js";
import { browse } from "./shares.js";
import { sum } from "./totals.js";
import { ask, calendar, now, query, refresh, waitsFor, world } from "./world.js";
import { count, many, percent, span, terminal } from "./words.js";

const TAIL_BYTES = 12000;
const states = ["running", "queued", "succeeded", "failed"];

// Jobs that are opened, by id: {detail, logs: [names], log: name, wanted: by the user, text}.
const opened = new Map();

export function showJob(id) {
  if (!opened.has(id))
    toggle(id);
  const row = byId(`job-${id}`);
  if (row)
    row.scrollIntoView({ block: "nearest" });
}

function toggle(id) {
  if (!opened.delete(id))
    opened.set(id, {});
  drawJobs();
  look(id);
}

// --- What is known of an opened job ---

const isOver = (job) => job.state === "succeeded" || job.state === "failed";

async function readLog(open, logs) {
  const { entries } = await ask(`/trainyard/files?${query(logs)}`);
  open.logs = entries.filter((entry) => entry.kind === "file").map((entry) => entry.name);
  // What was chosen may not be there yet after the job began anew.
  open.log = open.logs.find((name) => name === open.wanted) ||
    open.logs.find((name) => name.startsWith("stdout") && !name.includes("job_prep")) || open.logs[0];
  if (!open.log)
    return;
  const answer = await fetch(`/trainyard/file?${query({ share: logs.share, path: `${logs.path}/${open.log}`, last: TAIL_BYTES })}`);
  if (answer.ok)
    open.text = terminal(await answer.text());
}

async function look(id) {
  const open = opened.get(id);
  if (!open || open.isAsked)
    return;
  open.isAsked = true;
  try {
    open.detail = await ask(`/trainyard/state/jobs/${id}`);
    if (open.detail.job.logs)
      await readLog(open, open.detail.job.logs);
    open.isWhole = isOver(open.detail.job); // nothing more will come
  } catch {
    open.text = open.text || ""; // its logs are not there yet, or no more
  }
  open.isAsked = false;
  drawJobs();
}

// --- In one line ---

function stateOf(job) {
  if (job.stalled)
    return ["stalled", "stalled"];
  if (job.state === "running" && job.stage)
    return ["starting", `running: ${job.stage}`];
  return [job.state, job.state];
}

function time(job) {
  if (job.started_s === null || job.state === "queued")
    return ["waits for", span((job.ended_s === null ? now() : job.ended_s) - job.since_s)];
  return [isOver(job) ? "ran" : "runs for", span((job.ended_s === null ? now() : job.ended_s) - job.started_s)];
}

function progress(job) {
  const t = job.training;
  const waits = waitsFor(job);
  if (waits)
    return h("span", { class: waits.never ? "bad" : "muted" }, waits.words);
  if (!t)
    return job.exit_code !== undefined && isOver(job) ? `exit code ${job.exit_code}` : "";
  const done = job.state === "succeeded" ? t.epochs : t.done + (t.steps > 0 ? t.step / t.steps : 0);
  const words = `${count(t.done)} of ${many(t.epochs, "epoch")}`;
  return [h("progress", { max: t.epochs, value: done, "aria-label": `${job.name}: ${words}` }), h("span", { class: "muted" }, words)];
}

function row(job) {
  const [look_, words] = stateOf(job);
  const [since, long] = time(job);
  return h("tr", { key: job.id, id: `job-${job.id}` },
    h("td", { class: "name" }, h("button", {
      class: "plain disclose", "aria-expanded": String(opened.has(job.id)), onclick: () => toggle(job.id),
    }, job.name), " ", job.attempts > 1 && h("span", { class: "cause" }, `attempt ${job.attempts}`)),
    h("td", {}, h("span", { class: `state ${look_}` }, words)),
    h("td", { class: "where", "data-label": "on" }, `${many(job.nodes, "node")} of ${job.cluster}`),
    h("td", { class: "progress" }, progress(job)),
    h("td", { class: "n", "data-label": "accuracy" }, job.training && job.training.accuracy !== undefined ? percent(job.training.accuracy) : "–"),
    h("td", { class: "n", "data-label": since, title: since }, long));
}

// --- Opened ---

function curve(epochs, planned) {
  const [width, height, left, top, bottom] = [360, 150, 40, 8, 20];
  const x = (epoch) => left + (width - left - 8) * (planned > 1 ? (epoch - 1) / (planned - 1) : 0.5);
  const y = (accuracy) => top + (height - top - bottom) * (1 - accuracy);
  const line = (column) => epochs.map((row_, i) => `${i ? "L" : "M"}${x(row_[0]).toFixed(1)} ${y(row_[column]).toFixed(1)}`).join("");
  const last = epochs[epochs.length - 1];
  return h("figure", {},
    h("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Accuracy after ${last[0]} epochs: ${percent(last[1])}` },
      [0, 0.5, 1].map((a) => [
        h("line", { class: "grid", x1: left, x2: width - 8, y1: y(a), y2: y(a) }),
        h("text", { x: left - 6, y: y(a) + 4, "text-anchor": "end" }, `${100 * a} %`)]),
      h("text", { x: left, y: height - 4 }, "epoch 1"),
      planned > 1 && h("text", { x: width - 8, y: height - 4, "text-anchor": "end" }, count(planned)),
      h("path", { class: "training", d: line(2) }),
      h("path", { class: "validation", d: line(1) }),
      h("circle", { class: "end", cx: x(last[0]), cy: y(last[1]), r: 3.5 })),
    h("figcaption", { class: "muted" }, `Accuracy: validation ${percent(last[1])} (solid), training ${percent(last[2])} (dashed); loss ${last[3].toFixed(3)}.`));
}

const fact = (name, value) => value && [h("dt", {}, name), h("dd", {}, value)];
const at = (seconds) => (seconds === null ? null : calendar(seconds).join(" "));

function facts(job, detail) {
  const places = [...job.logs ? [["logs", job.logs]] : [], ...detail ? detail.outputs.map((o) => [o.id, o]) : []];
  return h("dl", { class: "facts-list" },
    fact("Experiment", `${job.workspace} / ${job.experiment}`),
    fact("Toolkit", `${job.tool}, ${count(job.processes)} ${job.processes === 1 ? "process" : "processes"}`),
    fact("Submitted", at(job.created_s)), fact("Started", at(job.started_s)), fact("Ended", at(job.ended_s)),
    job.error && fact("Error", h("span", { class: "bad" }, `${job.error.code}: ${job.error.message}`)),
    job.training && job.training.kept > 0 && fact("Kept", `${many(job.training.kept, "epoch")}, by checkpoints on a share`),
    detail && fact("Command", h("code", {}, detail.command)),
    detail && detail.is_unknown && fact("Effect", "Nothing says what this command does: it only takes a time. POST {\"match\": …, \"script\": \"sleep 20m; exit 0\"} to /trainyard/programs, or set TRAINYARD_DURATION in the job."),
    detail && detail.node_names.length > 0 && fact("Nodes", h("code", {}, detail.node_names.slice(0, 8).join(" ") + (detail.node_names.length > 8 ? " …" : ""))),
    places.length > 0 && fact("Files", h("span", { class: "row" },
      places.map(([name, place]) => h("button", { key: name, class: "plain", onclick: () => browse(place.share, place.path) }, name)))));
}

function actions(job) {
  if (isOver(job))
    return null;
  return h("div", { class: "row small", role: "group", "aria-label": `Faults of ${job.name}` },
    job.state === "running" && h("button", { onclick: () => injectFault({ do: "node.crash", job: job.name, recovery: "replace", duration: "5m" }, job) }, "Lose one of its nodes"),
    job.state === "running" && h("button", { onclick: () => injectFault({ do: "job.exit", job: job.name, exit_code: 1 }, job) }, "Exit with 1"),
    h("button", { onclick: () => openFault("job.exit", { job: job.id }) }, "Other fault…"));
}

function log(job, open) {
  if (!job.logs)
    return h("p", { class: "muted wide" }, "It has printed nothing yet.");
  const name = open.log || "";
  return h("div", { class: "wide" },
    h("div", { class: "row small" },
      h("label", { for: `log-${job.id}` }, "Log"),
      h("select", { id: `log-${job.id}`, value: name, onchange: (e) => { open.wanted = open.log = e.target.value; open.isWhole = false; look(job.id); } },
        (open.logs || []).map((n) => h("option", { key: n, value: n }, n)))),
    h("pre", { class: "log", tabindex: 0, "aria-label": `The end of ${name}` }, open.text === undefined ? "…" : open.text || "(empty)"));
}

function openRow(job) {
  const open = opened.get(job.id);
  const epochs = open.detail ? open.detail.epochs : [];
  return h("tr", { key: `open-${job.id}`, class: "open" }, h("td", { colspan: 6 },
    h("div", { class: "job-open" },
      epochs.length > 0 && curve(epochs, job.training.epochs),
      h("div", { class: epochs.length > 0 ? "" : "wide" }, facts(job, open.detail), actions(job)),
      log(job, open))));
}

// --- All ---

function filter(state) {
  firstPage("before_job");
  world.page.job_state = state;
  refresh();
}

function filters() {
  const jobs = world.state.totals.jobs;
  const button = (state, name, n) => h("button", {
    key: name, "aria-pressed": String(world.page.job_state === state), onclick: () => filter(state),
  }, `${name} ${count(n)}`);
  return h("div", { class: "row small", role: "group", "aria-label": "Which jobs" },
    button(undefined, "All", sum(jobs)),
    states.filter((s) => jobs[s] > 0 || world.page.job_state === s).map((s) => button(s, s, jobs[s])));
}

// Logs stay scrolled to their ends, unless the user has scrolled up.
function atEnds() {
  return new Set([...document.querySelectorAll("pre.log")].filter((pre) => pre.scrollTop + pre.clientHeight > pre.scrollHeight - 8));
}

function drawJobs() {
  const { jobs, totals, next, files_only: filesOnly } = world.state;
  const total = world.page.job_state ? totals.jobs[world.page.job_state] : sum(totals.jobs);
  const ends = atEnds();
  byId("jobs").hidden = filesOnly;
  draw(byId("jobs"), [
    h("div", { class: "head" }, h("h2", { id: "jobs-title" }, "Jobs"), h("span", { class: "grow" }), sum(totals.jobs) > 0 && filters()),
    jobs.length === 0 && h("p", { class: "note" }, world.page.job_state ? `No job is ${world.page.job_state}.` : "No job yet."),
    jobs.length > 0 && h("table", { class: "stack" },
      h("thead", {}, h("tr", {}, ["Job", "State", "Where", "Progress"].map((name) => h("th", { key: name, scope: "col" }, name)),
        h("th", { class: "n", scope: "col" }, "Accuracy"), h("th", { class: "n", scope: "col" }, "Time"))),
      h("tbody", {}, jobs.map((job) => [row(job), opened.has(job.id) && openRow(job)]))),
    pager("before_job", jobs.length, total, next.jobs),
  ]);
  for (const pre of document.querySelectorAll("#jobs pre.log"))
    if (ends.has(pre) || !pre.wasDrawn) {
      pre.scrollTop = pre.scrollHeight;
      pre.wasDrawn = true;
    }
}

world.listeners.push(() => {
  if (!world.state)
    return;
  drawJobs();
  for (const [id, open] of opened)
    if (!open.isWhole)
      look(id);
});
