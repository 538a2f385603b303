// The page as a function of the known state: h() describes elements, draw() changes an element's children to match. Existing
// elements are kept (focus, selection, scroll), found by key or else by order. Text is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";
const svgTags = new Set(["svg", "path", "line", "text", "circle"]);

export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes || {}, children: children.flat(Infinity).filter((c) => c || c === 0) };
}

function setAttribute(element, name, value) {
  if (name.startsWith("on")) {
    element[name] = value || null;
  } else if (name.startsWith("--")) {
    element.style.setProperty(name, value);
  } else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") {
    if (element[name] !== value)
      element[name] = value;
  } else if (value === false || value === null || value === undefined) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : value);
  }
}

function update(element, wanted) {
  const had = element.had || {};
  draw(element, wanted.children);
  for (const name in had)
    if (!(name in wanted.attributes))
      setAttribute(element, name, name === "value" ? "" : false);
  for (const [name, value] of Object.entries(wanted.attributes))
    if (name !== "key" && (had[name] !== value || name === "value"))
      setAttribute(element, name, value);
  element.had = wanted.attributes;
}

function create(wanted) {
  if (typeof wanted !== "object")
    return document.createTextNode(String(wanted));
  return svgTags.has(wanted.tag) ? document.createElementNS(SVG, wanted.tag) : document.createElement(wanted.tag);
}

// "tag" or "tag:key": an element is kept for another with the same value.
function kindOf(wanted) {
  if (typeof wanted !== "object")
    return "#text";
  return wanted.attributes.key === undefined ? wanted.tag : `${wanted.tag}:${wanted.attributes.key}`;
}

export function draw(parent, children) {
  const wanted = [children].flat(Infinity).filter((c) => c || c === 0);
  const there = new Map();
  for (const node of parent.childNodes) {
    const kind = node.kind || "#text";
    if (!there.has(kind))
      there.set(kind, []);
    there.get(kind).push(node);
  }
  const nodes = wanted.map((w) => {
    const node = (there.get(kindOf(w)) || []).shift() || create(w);
    node.kind = kindOf(w);
    return node;
  });
  for (const left of there.values())
    left.forEach((node) => node.remove());
  nodes.forEach((node, i) => {
    if (parent.childNodes[i] !== node)
      parent.insertBefore(node, parent.childNodes[i] || null);
    if (typeof wanted[i] === "object")
      update(node, wanted[i]);
    else if (node.data !== String(wanted[i]))
      node.data = String(wanted[i]);
  });
}

export const byId = (id) => document.getElementById(id);
