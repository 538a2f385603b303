// What has happened, and why, as it happens.
import { byId, draw, h } from "./dom.js";
import { say, soon, world } from "./world.js";
import { bytes, count, many, nodeNumber, percent, span, usd } from "./words.js";

const KEPT = 2000, SHOWN = 250;
let events = []; // the newest first
let isAll = false;

// --- In words ---

const ms = (e) => (e.at_ns - (e.since_ns ?? e.at_ns)) / 1e9;
const took = (e) => (ms(e) > 0 ? ` in ${span(ms(e))}` : "");
const short = (path) => (path || "").split("/").pop();
const rate = (v) => usd((v.billed_ns / 3.6e12) * (v.micro_usd_per_hour / 1e6));
const point = (v) => (v.epochs > 0 || v.steps === 0 ? many(v.epochs, "epoch") : "") +
  (v.epochs > 0 && v.steps > 0 ? " and " : "") + (v.steps > 0 ? many(v.steps, "step") : "");
const file = (e) => (e.name.length > 64 ? `…${e.name.slice(-63)}` : e.name);

// The state of a resource in the service's register. "succeeded" there says nothing about the job itself, which may still run.
const provisioned = (e) => (e.name === "deleted" ? "deleted" : `provisioning state: ${e.name}`);

// What a record says; and how much it matters: 0 minor, 1 as usual, 2 warns, 3 wrong.
const records = {
  command_applied: [0, (e) => `asked for: ${e.name}`],
  command_skipped: [2, (e) => `never happened: ${e.name}`],
  command_refused: [3, (e) => `refused: ${e.name}`],
  resource_created: [1, (e) => `${e.name} made`],
  resource_deleted: [1, (e) => `${e.name} deleted`],
  cluster_provisioning: [0, provisioned],
  cluster_scaling: [1, (e, v) => (e.name === "automatic" ? `scales by itself between ${v.minimum} and ${v.maximum}` : `scaled by hand, target ${v.target}`)],
  cluster_error: [3, (e) => e.name],
  cluster_allocation: [1, (e, v) => `${e.name}, ${v.current} of ${many(v.target, "node")}`],
  cluster_ready: [1, (e, v) => `ready with ${many(v.nodes, "node")}`],
  cluster_shown: [0, () => "shown"],
  node_state: [1, (e) => e.name],
  node_error: [3, (e) => e.name],
  node_kind: [0, (e) => `is of kind ${e.name}`],
  node_repair: [2, (e) => (e.name === "waiting" ? "waits for a repair crew" : "gets a repair crew")],
  node_drained: [2, (e) => `takes no new job: ${e.name}`],
  node_resumed: [1, () => "is no longer drained"],
  node_notice: [2, (e, v) => `is taken away in ${span(v.notice_ns / 1e9)}`],
  node_speed: [2, (e, v) => `computes at ${percent(v.speed_ppm / 1e6)}`],
  group_struck: [3, (e, v) => `${e.name} is struck, ${many(v.nodes, "node")}`],
  node_billed: [0, (e, v) => `billed ${rate(v)} for ${span(v.billed_ns / 1e9)}`],
  job_provisioning: [0, provisioned],
  job_state: [1, (e, v) => e.name + (v.exit_code >= 0 ? `, exit code ${v.exit_code}` : "")],
  job_attempt: [0, (e, v) => `attempt ${e.name} after ${span(ms(e))} on ${many(v.nodes, "node")}`],
  job_placed: [0, (e, v) => `gets ${v.gpus} of the ${many(v.gpus_per_node, "GPU")} of ${nodeNumber(e.node)}`],
  job_waits: [0, (e) => `is the first of its queue and lacks ${e.name}`],
  job_notice: [2, (e, v) => (v.grace_ns < 0 ? "need not be stopped any more" : `is going to be stopped for queue ${e.name} in ${span(v.grace_ns / 1e9)}`)],
  queue_changed: [1, (e, v) => `queue ${e.name} is guaranteed ${many(v.gpus, "GPU")}${v.gpus_max < 0 ? "" : `, and has at most ${v.gpus_max}`}`],
  cluster_maintenance: [2, (e, v) => `maintenance of ${many(v.nodes, "node")} ${e.name}`],
  job_deferred: [1, (e, v) => (v.begins_ns < 0 ? "need not wait for maintenance any more" : "waits until planned maintenance is over")],
  queue_reclaims: [2, (e, v) => `starts: queue ${e.name} reclaims its guarantee from ${many(v.jobs, "job")}`],
  job_reclaimed: [2, (e) => `is stopped: queue ${e.name} borrowed`],
  job_stalled: [3, () => "stands still: one of its nodes is silent"],
  job_resumed: [1, (e, v) => `resumes after epoch ${v.epochs}`],
  job_resumed_within: [1, (e, v) => `resumes after ${point(v)}`],
  job_saved: [1, (e, v) => `saved on notice${took(e)}: ${point(v)}`],
  job_work_resumed: [1, (e, v) => `resumes after ${span(v.work_ns / 1e9)} of work`],
  job_work_saved: [1, (e, v) => `saved on notice${took(e)}: ${span(v.work_ns / 1e9)} of work`],
  job_error: [3, (e) => e.name],
  job_stage: [0, (e) => `${e.name}${took(e)}`],
  job_training: [1, (e, v) => `trains: ${many(v.epochs, "epoch")} of ${many(v.steps, "step")} on ${many(v.ranks, "rank")}`],
  job_trained: [1, (e, v) => `trained${took(e)}, accuracy ${percent(v.accuracy_ppm / 1e6)}`],
  epoch: [0, (e, v) => `epoch ${v.epoch}${took(e)}, training accuracy ${percent(v.train_accuracy_ppm / 1e6)}`],
  evaluation: [0, (e, v) => `epoch ${v.epoch}: accuracy ${percent(v.accuracy_ppm / 1e6)}, loss ${(v.loss_micro / 1e6).toFixed(3)}`],
  checkpoint: [0, (e, v) => `checkpoint of epoch ${v.epoch}${took(e)}`],
  checkpoint_within: [0, (e, v) => `checkpoint of ${point(v)}${took(e)}`],
  transfer: [0, (e) => `${e.name} ${bytes(e.bytes || 0)}${took(e)}`],
  file_written: [0, (e) => `${file(e)}, ${bytes(e.bytes || 0)}`],
  file_deleted: [0, (e) => `${file(e)} deleted`],
  share_state: [2, (e, v) => (e.name === "slow" ? `slow, ${percent(v.speed_ppm / 1e6)}` : e.name)],
  file_server_provisioning: [1, (e) => `file server ${e.name}`],
  file_server_billed: [0, (e, v) => `${e.name} billed ${rate(v)}`],
  usages_shown: [0, () => "usages shown"],
  job_shown: [0, () => "shown"],
  job_files_shown: [0, () => "files shown"],
  warning: [2, (e) => `${e.name}: ${e.message}`],
};

function weight(e) {
  if ((e.record === "node_state" && e.name === "unusable") || (e.record === "job_state" && e.name === "failed"))
    return 3;
  if (e.record === "job_state" && e.name === "queued" && e.cause)
    return 2;
  if (e.record.endsWith("_provisioning") && ["deleted", "failed"].includes(e.name))
    return e.name === "failed" ? 3 : 1;
  return records[e.record] ? records[e.record][0] : 1;
}

function subject(e) {
  if (e.record.startsWith("node_"))
    return `${short(e.cluster)} ${nodeNumber(e.node)}`;
  if (e.record.startsWith("cluster_"))
    return short(e.cluster);
  return e.job ? short(e.job) : e.share || "";
}

const sentence = (e) => (records[e.record] ? records[e.record][1](e, e.values || {}) : e.record.replaceAll("_", " "));

// --- The list ---

function eventRow(e) {
  const look = ["minor", "", "warns", "wrong"][e.weight];
  return h("li", { key: e.number, class: `event ${look}` },
    h("time", { title: e.at }, e.at.slice(11, 19)),
    h("p", {}, e.subject && h("b", {}, e.subject), " ", e.text, " ", e.cause && h("span", { class: "cause" }, e.cause.replaceAll("_", " "))));
}

// A line between days.
const day = (e) => e.at.slice(0, 10);
const dayRow = (e, i, list) => (i === 0 || day(list[i - 1]) !== day(e)) && h("li", { key: day(e), class: "day" }, day(e));

// A list that is scrolled to the newest event follows it; otherwise its position is kept.
function drawEvents() {
  const list = byId("events").querySelector("ol");
  const isAtTop = !list || list.scrollTop < 8;
  drawSection();
  if (list && isAtTop)
    list.scrollTop = 0;
}

function drawSection() {
  const wanted = isAll ? events : events.filter((e) => e.weight > 0);
  draw(byId("events"), [
    h("div", { class: "head" }, h("h2", { id: "events-title" }, "Events"), h("span", { class: "grow" }),
      h("div", { class: "row small", role: "group", "aria-label": "Which events" },
        h("button", { "aria-pressed": String(!isAll), onclick: () => { isAll = false; drawEvents(); } }, "What matters"),
        h("button", { "aria-pressed": String(isAll), onclick: () => { isAll = true; drawEvents(); } }, "All"))),
    wanted.length === 0
      ? h("p", { class: "note" }, "Nothing has happened yet.")
      : h("ol", { class: "events", tabindex: 0, "aria-label": "Events, the newest first" }, wanted.slice(0, SHOWN).map((e, i, all) => [dayRow(e, i, all), eventRow(e)])),
    wanted.length > SHOWN && h("p", { class: "more" }, `The newest ${count(SHOWN)}. `, h("a", { href: "/trainyard/events?since=0&follow=false" }, "More as text")),
  ]);
}

// --- The stream ---

let stream = null, fresh = [], timer = null;
let past = 0; // number of the last event that had happened before the page listened

function take() {
  timer = null;
  const wrong = fresh.findLast((e) => e.weight === 3 && e.number > past);
  if (wrong)
    say(`${wrong.subject} ${wrong.text}`);
  events = fresh.reverse().concat(events).slice(0, KEPT);
  fresh = [];
  drawEvents();
  soon();
}

// The session went back: the events after this number have not happened.
function forget(number) {
  events = events.filter((e) => e.number <= number);
  fresh = fresh.filter((e) => e.number <= number);
  past = number;
  drawEvents();
  soon();
}

function hear(message) {
  const e = JSON.parse(message.data);
  if (e.record === "undone") {
    forget(Number(message.lastEventId));
    return;
  }
  fresh.push(Object.assign(e, { number: Number(message.lastEventId), weight: weight(e), subject: subject(e), text: sentence(e) }));
  if (fresh.length > KEPT)
    fresh.shift();
  if (timer === null)
    timer = setTimeout(take, 150);
}

// Events after the known ones. A hidden page does not listen.
export function listen() {
  if (stream)
    stream.close();
  stream = null;
  if (document.hidden)
    return;
  past = world.state.event;
  const last = events.length > 0 ? events[0].number : Math.max(0, world.state.event - KEPT);
  stream = new EventSource(`/trainyard/events?since=${last}`);
  stream.onmessage = hear;
  stream.onopen = soon;
  stream.onerror = soon; // polling the state shows whether the server answers
}

drawEvents();
