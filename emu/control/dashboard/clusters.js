// Clusters, each a grid of its nodes by state.
import { byId, draw, h } from "./dom.js";
import { injectFault, openFault } from "./faults.js";
import { showJob } from "./jobs.js";
import { pager } from "./pages.js";
import { bar, nodesInWords, sum } from "./totals.js";
import { ask, now, world } from "./world.js";
import { count, many, nodeNumber, percent, span, usd } from "./words.js";

const states = { p: "preparing", i: "idle", r: "running", l: "leaving", u: "unusable" };

// The node that is looked at: its cluster's id, its place from 0, and what is known of it.
let chosen = null;

// --- The grid ---

function choose(cluster, place) {
  chosen = chosen && chosen.cluster === cluster.id && chosen.place === place ? null : { cluster: cluster.id, place };
  drawClusters();
  look();
}

// Asks about the chosen node; it may have gone.
async function look() {
  const asked = chosen;
  if (!asked)
    return;
  const node = await ask(`/trainyard/state/clusters/${asked.cluster}?place=${asked.place}`)
    .then(({ nodes }) => nodes.find((n) => n.place === asked.place + 1) || null, () => null);
  if (chosen === asked) {
    asked.node = node;
    asked.isKnown = true;
    drawClusters();
  }
}

// Arrows go from node to node, Enter chooses.
function onGridKey(cluster, event) {
  const nodes = [...event.currentTarget.querySelectorAll("[role=option]")];
  const at = nodes.indexOf(document.activeElement);
  const top = (node) => node.getBoundingClientRect().top;
  const inRow = nodes.filter((node) => top(node) === top(nodes[0])).length;
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + inRow, ArrowUp: at - inRow, Home: 0, End: nodes.length - 1 }[event.key];
  if ((event.key === "Enter" || event.key === " ") && at >= 0)
    choose(cluster, Number(nodes[at].dataset.place));
  else if (to === undefined || at < 0)
    return;
  else if (nodes[to])
    nodes[to].focus();
  event.preventDefault();
}

function onGridFocus(event) {
  for (const node of event.currentTarget.querySelectorAll("[tabindex='0']"))
    node.tabIndex = -1;
  event.target.tabIndex = 0;
}

function nodeCell(cluster, letter, place, isFirst) {
  if (letter === ".")
    return h("div", { key: place, class: "node free", "aria-hidden": "true" });
  const state = states[letter.toLowerCase()];
  const trouble = letter !== letter.toLowerCase();
  const isChosen = chosen !== null && chosen.cluster === cluster.id && chosen.place === place;
  const label = `place ${place + 1}: ${state}${trouble ? ", something is the matter with it" : ""}`;
  return h("div", {
    key: place, role: "option", class: `node ${state}${trouble ? " trouble" : ""}`, title: label, "aria-label": label,
    "aria-selected": String(isChosen), "data-place": place, onclick: () => choose(cluster, place),
    ...isFirst ? { tabindex: 0 } : { tabindex: -1 },
  });
}

function grid(cluster) {
  const letters = [...cluster.places];
  const first = letters.findIndex((letter) => letter !== ".");
  const size = letters.length > 400 ? " masses" : letters.length > 80 ? " many" : "";
  return h("div", {
    class: `nodes${size}`, role: "listbox", "aria-label": `Nodes of ${cluster.name}`,
    onkeydown: (event) => onGridKey(cluster, event), onfocusin: onGridFocus,
  }, letters.map((letter, place) => nodeCell(cluster, letter, place, place === first)));
}

// --- One node ---

function nodeFacts(node) {
  const trouble = [
    node.silent && "it is silent; the service has not noticed yet",
    node.speed !== 1 && `it computes at ${percent(node.speed)} of its speed`,
    node.notice && `it is about to be taken away (${node.notice})`,
    node.error && `${node.error.code}${node.error.message ? `: ${node.error.message}` : ""} (${node.error.cause})`,
  ].filter(Boolean);
  return [
    h("p", {},
      h("strong", {}, `Node ${nodeNumber(node.name)} `), `at place ${node.place} `, h("span", { class: `state ${node.state}` }, node.state), ` for ${span(now() - node.since_s)} `,
      node.job && ["· runs ", h("button", { class: "plain", onclick: () => showJob(node.job_id) }, node.job)]),
    h("p", { class: "muted" }, h("code", {}, node.name), ` · held for ${span(now() - node.allocated_s)}`),
    trouble.map((text) => h("p", { key: text, class: "bad" }, text)),
  ];
}

function detail(cluster) {
  if (chosen === null || chosen.cluster !== cluster.id)
    return null;
  const node = chosen.node;
  const strike = (fault, what) => h("button", {
    onclick: () => injectFault({ cluster: cluster.name, node: chosen.place + 1, ...fault }, cluster),
  }, what);
  return h("div", { class: "detail", role: "region", "aria-label": "The chosen node", "aria-live": "polite" },
    node ? nodeFacts(node) : h("p", { class: "muted" }, chosen.isKnown ? `Place ${chosen.place + 1} has no node any more.` : "…"),
    node && h("div", { class: "row small", role: "group", "aria-label": "Faults of this node" },
      strike({ do: "node.crash", recovery: "replace", duration: "5m" }, "Lose it"),
      cluster.priority === "lowpriority" && strike({ do: "node.preempt" }, "Preempt"),
      strike({ do: "node.reboot" }, "Reboot"),
      strike({ do: "node.slow", speed: "50%" }, "Slow, 50 %"),
      strike({ do: "node.drain" }, "Drain"),
      strike({ do: "node.resume" }, "Resume"),
      h("button", { onclick: () => openFault("node.crash", { cluster: cluster.id, node: chosen.place + 1 }) }, "Other…")));
}

// --- Clusters ---

function clusterBlock(cluster) {
  const scale = cluster.automatic ? `scales ${cluster.automatic.minimum} to ${cluster.automatic.maximum}` : `target ${cluster.target}`;
  const waiting = cluster.queued_jobs > 0 ? ` · ${many(cluster.queued_jobs, "job")} queued` : "";
  return h("div", { key: cluster.id, class: "cluster" },
    h("div", { class: "row" },
      h("h3", {}, cluster.name),
      h("span", { class: `state ${cluster.state}` }, cluster.state),
      h("span", { class: "grow" }),
      h("span", { class: "number" }, usd(cluster.cost_usd)),
      h("span", { class: "small" }, h("button", { "aria-label": `A fault of ${cluster.name}`, onclick: () => openFault("node.crash", { cluster: cluster.id }) }, "Fault…"))),
    h("p", { class: "facts" },
      `${cluster.workspace} · ${cluster.vm_size} · ${cluster.priority === "lowpriority" ? "low priority" : "dedicated"} · ${scale} · ${nodesInWords(cluster.nodes)}${waiting}`),
    cluster.error && h("p", { class: "bad" }, `${cluster.error.code}: ${cluster.error.message}`),
    cluster.places.length > 80 && bar(cluster.nodes),
    cluster.places.length > 0 && h("div", { class: "body" }, grid(cluster)),
    cluster.place_count > cluster.places.length && h("p", { class: "muted" }, `The first ${count(cluster.places.length)} of ${count(cluster.place_count)} places.`),
    detail(cluster));
}

const key = h("div", { class: "key", "aria-hidden": "true" },
  ["running", "idle", "preparing", "leaving", "unusable"].map((s) => h("span", { key: s }, h("i", { class: `node ${s}` }), s)),
  h("span", {}, h("i", { class: "node idle trouble" }), "in trouble"));

function drawClusters() {
  const { clusters, totals, next, files_only: filesOnly } = world.state;
  byId("clusters").hidden = filesOnly;
  draw(byId("clusters"), [
    h("div", { class: "head" }, h("h2", { id: "clusters-title" }, "Clusters"), h("span", { class: "grow" }), sum(totals.nodes) > 0 && key),
    clusters.length === 0 && h("div", { class: "note" }, "No cluster yet. In another shell:",
      h("pre", {}, "eval \"$(trainyard az-env)\"\naz group create --name batchai --location eastus\naz batchai workspace create -g batchai -n dev\naz batchai cluster create -g batchai -w dev -n gpu --vm-size STANDARD_NC6 --target 4 --generate-ssh-keys")),
    clusters.map(clusterBlock),
    pager("after_cluster", clusters.length, totals.clusters, next.clusters),
  ]);
}

world.listeners.push(() => {
  if (!world.state)
    return;
  drawClusters();
  look();
});
