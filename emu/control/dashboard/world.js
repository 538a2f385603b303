// What is known of the emulator, and what it is asked: one copy for all parts of the page.
import { draw, h } from "./dom.js";
import { count, many } from "./words.js";

export const world = {
  state: null, // the answer of GET /trainyard/state
  at: 0, // when that was, by performance.now()
  isLost: false, // the connection
  page: { limit: 25 }, // what is asked for of it
  listeners: [], // called when any of this has changed
};

export function changed() {
  for (const listener of world.listeners)
    listener();
}

// --- Requests ---

// The answer as JSON; an Error with the emulator's words otherwise.
export async function ask(path, body, method) {
  const response = await fetch(path, body === undefined && !method ? {} : {
    method: method || "POST",
    headers: { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok)
    return answer;
  const error = answer.error || {};
  const words = error.hint ? `${error.message} (${error.hint})` : error.message || `status ${response.status}`;
  throw Object.assign(new Error(words), { status: response.status, hint: error.hint || "" });
}

export function query(parameters) {
  const said = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return new URLSearchParams(said).toString();
}

let isAsking = false;
let isStale = false;

// Asks again; once more after a request that is in progress.
export async function refresh() {
  if (isAsking) {
    isStale = true;
    return;
  }
  isAsking = true;
  try {
    world.state = await ask(`/trainyard/state?${query(world.page)}`);
    world.at = performance.now();
    world.isLost = false;
  } catch {
    world.isLost = true;
  }
  isAsking = false;
  changed();
  if (isStale) {
    isStale = false;
    soon();
  }
}

let timer = null;
const GAP_MS = 400; // events may come by the thousand

export function soon() {
  if (timer === null)
    timer = setTimeout(() => {
      timer = null;
      refresh();
    }, GAP_MS);
}

// --- Time ---

// Simulated seconds a second; 0: it stands still.
export function rate() {
  const { clock, paused } = world.state.clock;
  if (paused || clock === "manual")
    return 0;
  return clock.startsWith("x") ? Number(clock.slice(1)) : 1;
}

// Simulated seconds since the start, now.
export function now() {
  const passed = world.isLost ? 0 : (performance.now() - world.at) / 1000;
  return world.state.clock.now_ns / 1e9 + passed * rate();
}

// "2018-07-18", "17:46:30" of so many seconds since the start
export function calendar(seconds) {
  const text = new Date(Date.parse(world.state.scenario.start) + seconds * 1000).toISOString();
  return [text.slice(0, 10), text.slice(11, 19)];
}

// --- Messages ---

let silence = null;
const SAID_MS = 6000, OFFERED_MS = 12000;

// `offer`: {words, run}, a button after the text; or nothing.
export function say(text, offer) {
  const place = document.getElementById("said");
  const hush = () => draw(place, []);
  draw(place, [text, offer && h("button", { onclick: () => { hush(); offer.run(); } }, offer.words)]);
  clearTimeout(silence);
  silence = setTimeout(hush, offer ? OFFERED_MS : SAID_MS);
}

// Asks for something to be done, and says what came of it, with an offer. Returns the error of a refusal, or null.
export async function act(path, body, what, { method, offer } = {}) {
  let refusal = null;
  try {
    await ask(path, body, method);
    say(what, offer);
  } catch (error) {
    refusal = error;
    say(error.message, error.status === 409 ? offer : undefined);
  }
  await refresh();
  return refusal;
}

// Why a queued job waits: the nodes that it wants, and those that its cluster has or may have. `never`: the cluster is too small.
export function waitsFor(job) {
  const cluster = world.state.clusters.find((c) => c.id === job.cluster_id);
  if (job.state !== "queued" || !cluster)
    return null;
  const most = cluster.automatic ? cluster.automatic.maximum : cluster.target;
  if (job.nodes > most)
    return { never: true, words: `${many(job.nodes, "node")} wanted, the cluster may have ${count(most)}` };
  const idle = cluster.nodes.idle || 0;
  // Ids are in the order of submission.
  const before = world.state.jobs.filter((j) => j.state === "queued" && j.cluster_id === job.cluster_id && j.id < job.id).at(-1);
  const after = idle >= job.nodes && before ? `, queued after ${before.name}` : "";
  return { never: false, words: `${many(job.nodes, "node")} wanted, ${count(idle)} idle${after}` };
}
