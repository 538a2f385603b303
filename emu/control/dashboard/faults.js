// What goes wrong on request: one dialog for all kinds, and the rules for the API that hold.
import { byId, draw, h } from "./dom.js";
import { act, ask, refresh, say, world } from "./world.js";
import { many } from "./words.js";

// --- Kinds and what they need ---

const recoveries = [["replace", "another takes its place"], ["reboot", "it is repaired and reboots"], ["stays", "it stays unusable"]];
const methods = ["*", "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"];
const policies = ["service", "backfill", "conservative", "shortest", "srtf", "fair-share", "priority-preemptive"];
const fields = {
  cluster: { name: "Cluster", choices: () => world.state.clusters.map((c) => [c.id, c.name]), needed: true },
  job: { name: "Job", choices: () => world.state.jobs.filter((j) => !["succeeded", "failed"].includes(j.state)).map((j) => [j.id, j.name]), needed: true },
  share: { name: "Share", choices: () => world.state.shares.map((s) => [s.name, s.name]), needed: true },
  group: { name: "Group", placeholder: "a group of the scenario", needed: true },
  node: { name: "Node", placeholder: "any", help: "its place, from 1", isNumber: true },
  recovery: { name: "What becomes of it", choices: () => recoveries, value: "replace" },
  duration: { name: "After", value: "5m", help: "until it is repaired, replaced, or over; as in 90s, 5m, 2h" },
  speed: { name: "Speed", value: "50%", help: "of the modelled speed; 0% of a share is an outage", needed: true },
  count: { name: "How many", value: "1", isNumber: true },
  exit_code: { name: "Exit code", value: "1", isNumber: true, needed: true },
  family: { name: "Family", value: "total", help: "as in NC" },
  vcpus: { name: "Cores", value: "0", isNumber: true, needed: true },
  priority: { name: "Of nodes", choices: () => [["dedicated", "dedicated"], ["lowpriority", "low-priority"]], value: "dedicated" },
  queue: { name: "Queue", placeholder: "a queue of the cluster", needed: true },
  gpus: { name: "Guarantee", placeholder: "as before", help: "GPUs, or nodes", isNumber: true },
  gpus_max: { name: "Limit", placeholder: "as before", help: "GPUs, or nodes", isNumber: true },
  seed: { name: "Seed", value: "2", isNumber: true, needed: true },
  policy: { name: "Policy", choices: () => policies.map((p) => [p, p]), needed: true },
  path: { name: "Path", value: "*", help: "as in */clusters/*" },
  method: { name: "Method", choices: () => methods.map((m) => [m, m === "*" ? "any" : m]), value: "*" },
  status: { name: "Status", value: "503", isNumber: true },
  retry_after: { name: "Retry-After", placeholder: "none", help: "as in 2s" },
  rate: { name: "Rate", value: "1kB/s" },
  chance: { name: "Chance", value: "100%" },
  times: { name: "How often", placeholder: "without end", isNumber: true, as: "count" },
};
const kinds = [
  ["Nodes", {
    "node.crash": ["A node is lost", "cluster node recovery duration"],
    "node.preempt": ["A node is preempted", "cluster node"],
    "node.reboot": ["A node reboots", "cluster node"],
    "node.slow": ["A node is slow", "cluster node speed"],
    "node.drain": ["A node is drained", "cluster node duration"],
    "node.resume": ["A drained node returns", "cluster node"],
    "preparation.fail": ["The next preparation fails", "cluster recovery duration"],
    "allocation.fail": ["The next allocation is short", "cluster count"],
  }],
  ["Jobs", { "job.exit": ["A job exits", "job exit_code"], "container.fail": ["A container does not start", "job"] }],
  ["Shares", { "share.slow": ["A share is slow, or out", "share speed duration"] }],
  ["Quotas", {
    "quota.change": ["A quota changes", "family vcpus priority"],
    "queue.change": ["A queue changes", "cluster queue gpus gpus_max"],
  }],
  ["The future", {
    "seed.change": ["Chance has another seed", "seed"],
    "policy.change": ["Another scheduling policy", "policy"],
  }],
  ["Many at once", {
    "region.outage": ["The region is out", "duration"],
    "group.crash": ["A group of nodes is lost", "group recovery duration"],
    "group.preempt": ["A group of nodes is preempted", "group"],
  }],
  ["Requests to the API", {
    "api.error": ["Errors", "path method status retry_after chance times"],
    "api.reset": ["Cut connections", "path method chance times"],
    "api.lost": ["Lost answers", "path method chance times"],
    "api.slow": ["Slow answers", "path method rate chance times"],
    "api.stale": ["Stale answers", "path chance times"],
  }],
];
const kindOf = (name) => kinds.map(([, list]) => list[name]).find(Boolean);

// The answer of GET /trainyard/faults: the active rules, and a sentence for each kind.
let told = { rules: [], kinds: [] };

async function lookAtRules() {
  told = await ask("/trainyard/faults").catch(() => told);
  drawFaults();
}

// --- Striking ---

// Faults go by name, and strike the newest of that name: nothing happens to another than was meant.
function isOther(list, thing) {
  return list.some((other) => other.name === thing.name && other.id > thing.id);
}

async function strike(fault) {
  await ask("/trainyard/faults", fault);
  const where = [fault.cluster || fault.job || fault.share || fault.group, fault.node && `node ${fault.node}`].filter(Boolean).join(", ");
  say(`${kindOf(fault.do)[0]}${where ? `: ${where}` : ""}.`);
}

// One that needs no dialog, on a cluster or job.
export async function injectFault(fault, thing) {
  const list = fault.job ? world.state.jobs : world.state.clusters;
  if (isOther(list, thing)) {
    say(`A newer one is called ${thing.name} too, and the fault would strike that.`);
    return;
  }
  await strike(fault).catch((error) => say(error.message));
  refresh();
}

// --- The dialog ---

let form = null; // {kind, values, message}

export function openFault(kind, values) {
  form = { kind, values: { ...values }, message: null };
  drawForm();
  byId("fault-dialog").showModal();
}

function valueOf(name) {
  const field = fields[name];
  if (form.values[name] !== undefined)
    return String(form.values[name]);
  if (field.value !== undefined)
    return field.value;
  const choices = field.choices ? field.choices() : [];
  return choices.length > 0 ? String(choices[0][0]) : "";
}

const fieldsOf = (kind) => kindOf(kind)[1].split(" ");
const isShown = (name) => name !== "duration" || valueOf("recovery") !== "stays" || !fieldsOf(form.kind).includes("recovery");

// A cluster or job by its id, which the form has for it.
function named(list, id) {
  const thing = list.find((t) => String(t.id) === id);
  if (thing && isOther(list, thing))
    throw new Error(`A newer one is called ${thing.name} too, and the fault would strike that.`);
  return thing ? thing.name : "";
}

function faultOfForm() {
  const fault = { do: form.kind };
  for (const name of fieldsOf(form.kind).filter(isShown)) {
    const value = valueOf(name).trim(), field = fields[name];
    if (value === "") {
      if (field.needed)
        throw new Error(`${field.name} is missing.`);
      continue;
    }
    fault[field.as || name] = name === "cluster" ? named(world.state.clusters, value)
      : name === "job" ? named(world.state.jobs, value) : field.isNumber ? Number(value) : value;
  }
  return fault;
}

async function submit(event) {
  event.preventDefault();
  try {
    await strike(faultOfForm());
    byId("fault-dialog").close();
  } catch (error) {
    form.message = error.message;
    drawForm();
  }
  refresh();
  lookAtRules();
}

function input(name) {
  const field = fields[name], id = `fault-${name}`;
  const set = (event) => {
    form.values[name] = event.target.value;
    drawForm();
  };
  return [
    h("label", { key: `l-${name}`, for: id }, field.name),
    field.choices
      ? h("select", { key: name, id, value: valueOf(name), onchange: set }, field.choices().map(([value, text]) => h("option", { key: value, value }, text)))
      : h("input", { key: name, id, value: valueOf(name), oninput: set, placeholder: field.placeholder || "", inputmode: field.isNumber ? "numeric" : "text", autocomplete: "off", spellcheck: "false" }),
    field.help && h("small", { key: `h-${name}` }, field.help),
  ];
}

function drawForm() {
  const what = told.kinds.find((kind) => kind.do === form.kind);
  draw(byId("fault-dialog"), [
    h("form", { onsubmit: submit, novalidate: true },
      h("div", { class: "head" }, h("h2", { id: "fault-title" }, "Let something go wrong")),
      form.message && h("p", { class: "wrong-said", role: "alert" }, form.message),
      h("div", { class: "fields" },
        h("label", { for: "fault-kind" }, "What"),
        h("select", { id: "fault-kind", value: form.kind, onchange: (e) => { form.kind = e.target.value; form.message = null; drawForm(); } },
          kinds.map(([title, list]) => h("optgroup", { key: title, label: title },
            Object.entries(list).map(([name, [text]]) => h("option", { key: name, value: name }, text))))),
        what && h("small", {}, `${what.what}.`),
        fieldsOf(form.kind).filter(isShown).map(input)),
      h("div", { class: "row" }, h("span", { class: "grow" }),
        h("button", { type: "button", onclick: () => byId("fault-dialog").close() }, "Cancel"),
        h("button", { class: "first" }, "Let it happen"))),
  ]);
}

// --- Rules that hold ---

function ruleText(rule) {
  const { do: kind, ...rest } = rule;
  return [kindOf(kind) ? kindOf(kind)[0] : kind, ...Object.entries(rest).map(([name, value]) => `${name} ${value}`)].join(" · ");
}

function drawFaults() {
  const remove = (path, what) => act(path, undefined, what, { method: "DELETE" }).then(lookAtRules);
  draw(byId("faults"), [
    h("div", { class: "head" }, h("h2", { id: "faults-title" }, "Faults"), h("span", { class: "grow" }),
      h("span", { class: "small" }, h("button", { accesskey: "f", onclick: () => openFault(world.state.files_only ? "api.error" : "node.crash", {}) }, "Let something go wrong…"))),
    told.rules.length > 0 && h("div", { class: "body" },
      h("ul", { class: "rules" }, told.rules.map((r) => h("li", { key: r.number },
        h("span", { class: "grow" }, ruleText(r.rule), h("span", { class: "muted" }, ` · struck ${many(r.struck, "time")} of ${r.asked}`)),
        h("span", { class: "small" }, h("button", { "aria-label": `End rule ${r.number}`, onclick: () => remove(`/trainyard/faults/${r.number}`, "The rule is gone.") }, "End"))))),
      told.rules.length > 1 && h("div", { class: "row small" }, h("button", { onclick: () => remove("/trainyard/faults", "No rule holds any more.") }, "End all"))),
    told.rules.length === 0 && h("p", { class: "note" }, "The API answers without faults."),
  ]);
}

world.listeners.push(() => {
  if (world.state && told.rules.length > 0)
    lookAtRules();
  else if (world.state)
    drawFaults();
});
lookAtRules();
