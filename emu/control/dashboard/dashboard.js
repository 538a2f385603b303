// The dashboard of trainyard's emulator: all parts, and what keeps them up to date.
import { drawTime } from "./clock.js";
import "./totals.js";
import "./clusters.js";
import "./jobs.js";
import "./shares.js";
import { listen } from "./events.js";
import { rate, refresh, world } from "./world.js";

const TICK_MS = 200; // the clock's digits
const LOOK_MS = 2000; // values that change without an event (cost, steps, logs), and whether the server answers

async function begin() {
  await refresh();
  if (world.state)
    listen();
  else
    setTimeout(begin, LOOK_MS);
}

setInterval(() => {
  if (!document.hidden)
    drawTime();
}, TICK_MS);
setInterval(() => {
  if (!document.hidden && world.state && (rate() > 0 || world.isLost || performance.now() - world.at > 2 * LOOK_MS))
    refresh();
}, LOOK_MS);
document.addEventListener("visibilitychange", () => {
  if (!world.state)
    return;
  listen();
  if (!document.hidden)
    refresh();
});
begin();
