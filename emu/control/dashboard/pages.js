// Lists that are longer than a page.
import { h } from "./dom.js";
import { refresh, world } from "./world.js";
import { count } from "./words.js";

// The pages before the one that is shown, of the list whose cursor is `name`; their first ids.
const before = {};

function turn(name, id) {
  world.page[name] = id;
  refresh();
}

// Buttons below a list; nothing where it is whole. `next`: what the state says of it.
export function pager(name, shown, total, next) {
  const stack = before[name] = before[name] || [];
  if (next === null && stack.length === 0)
    return null;
  return h("div", { class: "more small" },
    `${count(shown)} of ${count(total)}`,
    h("button", { disabled: stack.length === 0, onclick: () => turn(name, stack.pop()) }, "Back"),
    h("button", {
      disabled: next === null, onclick: () => {
        stack.push(world.page[name]);
        turn(name, next);
      },
    }, "More"));
}

export function firstPage(name) {
  before[name] = [];
  world.page[name] = undefined;
}
