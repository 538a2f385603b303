// The clock: the present time, and its speed.
import { byId, draw, h } from "./dom.js";
import { act, ask, calendar, now, rate, refresh, say, soon, waitsFor, world } from "./world.js";
import { span } from "./words.js";

const rates = ["real", "x10", "x60", "x600", "x3600", "manual", "auto"];
const names = { real: "as fast as real", manual: "by hand only", auto: "jumps while clients wait" };
const jumps = [["1m", "+1 min"], ["10m", "+10 min"], ["1h", "+1 h"], ["1d", "+1 d"]];

const tell = (body, what, more) => act("/trainyard/clock", body, what, more);
// A jump can be undone.
const jump = (body, what) => tell(body, what, { offer: { words: "Undo", run: () => undo(false) } });

function mode() {
  const { clock, paused } = world.state.clock;
  return paused ? "paused" : names[clock] ? clock : `${clock.slice(1)}\u00d7`;
}

function drawClock() {
  const { clock, paused, undo: undoable } = world.state.clock;
  const [date, time] = calendar(now());
  const stands = paused || clock === "manual";
  draw(byId("clock"), [
    h("time", { datetime: `${date}T${time}Z`, title: "simulated time, UTC" }, h("small", {}, date), time),
    h("span", { class: `mode ${paused ? "paused" : ""}` }, mode()),
    h("button", {
      accesskey: "p", class: paused ? "first" : "", disabled: clock === "manual",
      onclick: () => tell({ do: paused ? "resume" : "pause" }, paused ? "The clock runs." : "The clock is paused."),
    }, paused ? "Resume" : "Pause"),
    h("button", {
      accesskey: "s", title: stands ? "to the next event" : "pause and go to the next event",
      onclick: async () => {
        if (!stands)
          await tell({ do: "pause" }, "The clock is paused.");
        await jump({ do: "step" }, "Stepped through the next event.");
      },
    }, "Step"),
    undoable && h("button", { key: "undo", accesskey: "z", title: `back to ${calendar(undoable.to_ns / 1e9).join(" ")}, before the last jump`, onclick: () => undo(false) }, "Undo"),
  ]);
}

// Moments of the present clusters and jobs that run-until can wait for.
function goals() {
  const { clusters, jobs } = world.state;
  const unfinished = jobs.filter((job) => job.state === "queued" || job.state === "running");
  return [
    ...unfinished.flatMap((job) => [`job ${job.name} completed`, ...job.state === "queued" ? [`job ${job.name} started`] : []]),
    ...clusters.flatMap((cluster) => [`cluster ${cluster.name} ready`, `cluster ${cluster.name} empty`]),
  ].slice(0, 40);
}

const PATIENCE = "1d"; // of simulated time: further days are asked for

let question = null; // {words, button, run}: asked before time moves

async function runUntil(until) {
  question = null;
  const refusal = await jump({ do: "run-until", until, within: PATIENCE }, `Ran until ${until}.`);
  if (refusal && refusal.status === 409 && world.state.clock.next_event_ns !== null)
    question = { words: `${refusal.message} Time has moved by a day at most.`, button: "Wait another day", run: () => runUntil(until) };
  drawControls();
}

// Goes back before the last jump. If requests since then would be dropped, the refusal names them: asks first.
async function undo(accept) {
  question = null;
  try {
    const { now_ns: to } = await ask("/trainyard/clock", { do: "undo", accept });
    say(`Back at ${calendar(to / 1e9).join(" ")}.`);
  } catch (error) {
    const words = error.message[0].toUpperCase() + error.message.slice(1);
    if ((error.hint || "").startsWith('"accept"'))
      question = { words: `${words.split(" (\"accept\"")[0]}. The whole session is kept before, in its state folder.`, button: "Undo all the same", run: () => undo(true) };
    else
      say(error.message);
  }
  await refresh();
  soon(); // the emulator begins again
  drawControls();
}

// A moment that cannot come would only let time and money pass: asks first.
function wantsUntil(event) {
  event.preventDefault();
  const until = byId("until").value.trim();
  const job = world.state.jobs.find((j) => until === `job ${j.name}` || until.startsWith(`job ${j.name} `));
  const waits = job && waitsFor(job);
  if (waits && waits.never) {
    question = { words: `Job ${job.name} cannot start: ${waits.words}.`, button: "Run for a day all the same", run: () => runUntil(until) };
    drawControls();
  } else if (until !== "") {
    runUntil(until);
  }
}

function drawQuestion() {
  if (question === null)
    return null;
  const { words, button, run } = question;
  return h("div", { class: "row", id: "question", role: "alert" },
    h("span", {}, words),
    h("button", { onclick: run }, button),
    h("button", { class: "plain", onclick: () => { question = null; drawControls(); } }, "No"));
}

function drawControls() {
  const { clock } = world.state.clock;
  const known = rates.includes(clock) ? rates : [clock, ...rates];
  draw(byId("time-controls"), [
    h("div", { class: "row" },
      h("label", { for: "rate" }, "Pace"),
      h("select", { id: "rate", value: clock, onchange: (e) => tell({ do: "rate", rate: e.target.value }, `The clock: ${e.target.value}.`) },
        known.map((r) => h("option", { key: r, value: r }, names[r] ? `${r}: ${names[r]}` : `${r.slice(1)} s a second`)))),
    h("div", { class: "row", role: "group", "aria-label": "Advance by" },
      jumps.map(([by, text]) => h("button", { key: by, onclick: () => jump({ do: "advance", by }, `Advanced by ${text.slice(1)}.`) }, text))),
    h("form", { onsubmit: wantsUntil },
      h("label", { for: "until" }, "Run until"),
      h("input", { id: "until", list: "goals", autocomplete: "off", spellcheck: "false", placeholder: "job train completed, cluster gpu idle >= 2" }),
      h("datalist", { id: "goals" }, goals().map((goal) => h("option", { key: goal, value: goal }))),
      h("button", {}, "Run")),
    drawQuestion(),
  ]);
}

// "in 12 s", in simulated time
export function nextEvent() {
  const next = world.state.clock.next_event_ns;
  if (next === null)
    return "no event is pending";
  const left = next / 1e9 - now();
  return left < 1 ? "the next one is now" : `the next one in ${span(left)}`;
}

function drawLink() {
  const link = byId("link");
  const text = world.isLost ? "no connection" : rate() > 0 ? "live" : "live, time stands still";
  link.className = world.isLost ? "lost" : "live";
  if (link.textContent !== text)
    link.textContent = text;
}

export function drawTime() {
  drawLink();
  if (world.state)
    drawClock();
}

world.listeners.push(() => {
  drawTime();
  if (world.state)
    drawControls();
});
