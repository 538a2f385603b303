// At a glance: nodes, jobs, cost, what comes next.
import { nextEvent } from "./clock.js";
import { byId, draw, h } from "./dom.js";
import { world } from "./world.js";
import { count, many, usd } from "./words.js";

const nodeStates = ["running", "idle", "preparing", "leaving", "unusable"];

export const sum = (counts) => Object.values(counts).reduce((a, b) => a + b, 0);
export const inWords = (counts, states) => states.filter((s) => counts[s] > 0).map((s) => `${count(counts[s])} ${s}`).join(" · ");

export function nodesInWords(counts) {
  return sum(counts) === 0 ? "no nodes" : inWords(counts, nodeStates);
}

export function bar(counts) {
  return h("div", { class: "bar", "aria-hidden": "true" },
    nodeStates.filter((s) => counts[s] > 0).map((s) => h("i", { key: s, class: s, "--part": String(counts[s]) })));
}

const cell = (name, big, ...rest) => h("div", { key: name }, h("dt", {}, name), h("dd", { class: "big" }, big), rest.map((r) => h("dd", {}, r)));

function drawTotals() {
  const { totals, cost, scenario, files_only: filesOnly } = world.state;
  const jobs = totals.jobs;
  byId("scenario").textContent = `${scenario.name} · ${scenario.region} · seed ${scenario.seed}`;
  draw(byId("totals"), h("dl", {}, filesOnly
    ? [cell("Shares", count(totals.shares)), cell("Serving", "Azure Files alone")]
    : [
      cell("Nodes", count(sum(totals.nodes)), nodesInWords(totals.nodes), bar(totals.nodes)),
      cell("Jobs", count(sum(jobs)), inWords(jobs, Object.keys(jobs)) || "none yet"),
      cell("Cost so far", usd(cost.total_usd),
        `${usd(cost.usd_per_hour)} an hour now` + (cost.file_servers_usd > 0 ? ` · file servers ${usd(cost.file_servers_usd)}` : "")),
      cell("Events", count(world.state.event), nextEvent()),
    ]));
  const running = jobs.running > 0 ? `${many(jobs.running, "job")} running · ` : "";
  document.title = `${running}trainyard`;
}

world.listeners.push(() => {
  if (world.state)
    drawTotals();
});
