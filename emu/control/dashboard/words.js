// Numbers and states as people read them.

const two = (n) => String(n).padStart(2, "0");

// "16 ms", "2.5 s", "12 s", "3 min 20 s", "2 h 05 min", "4 d 3 h"
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (seconds > 0 && seconds < 0.95)
    return `${Math.ceil(seconds * 1000)} ms`;
  if (seconds > 0 && seconds < 9.95 && seconds % 1)
    return `${seconds.toFixed(1)} s`;
  if (s < 60)
    return `${s} s`;
  if (s < 3600)
    return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86400)
    return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export const count = (n) => n.toLocaleString("en-US");
export const many = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;
export const percent = (part) => `${(100 * part).toFixed(1)} %`;

export function usd(amount) {
  const digits = amount === 0 || amount >= 0.1
    ? amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : Number(amount.toPrecision(2));
  return `${digits}\u00a0USD`; // on one line, as in reports
}

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; n >= 1000 && i < units.length - 1; i++)
    n /= 1000;
  return `${i === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${units[i]}`;
}

// "#4" of "tvm-4181365638_4-20180718t174733z": nodes are numbered over their cluster's life, and take the lowest free place.
export const nodeNumber = (name) => `#${name.split("_").pop().split("-")[0]}`;

// What a terminal would show of a log: progress bars go back over themselves.
export function terminal(text) {
  if (!/[\b\r]/.test(text))
    return text;
  return text.split("\n").map((line) => {
    const cells = [];
    let at = 0;
    for (const c of line) {
      if (c === "\b")
        at = Math.max(0, at - 1);
      else if (c === "\r")
        at = 0;
      else
        cells[at++] = c;
    }
    return cells.join("");
  }).join("\n");
}
