// test_pages.mjs CHROMIUM SCREENSHOTS PAGE...: see test_pages.sh.
import { resolve } from "node:path";
import { openBrowser } from "./browser.mjs";

const [chromium, screenshots, ...pages] = process.argv.slice(2);
const browser = await openBrowser(chromium);
let passed = 0, failed = 0;
const check = (what, found) => {
  if (found.length === 0)
    return passed++;
  failed++;
  console.log(`not ok: ${what}: ${JSON.stringify(found)}`);
};

// Texts of plots that reach over the edge of their drawing.
const cutTexts = `[...document.querySelectorAll("svg")].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return frame.width > 0 && box.width > 0 && (box.left < frame.left - 0.5 || box.right > frame.right + 0.5);
  }).map((text) => text.textContent);
})`;

// Pairs of texts of a plot of which one is over the other; marks, which are letters too, may be anywhere.
const overlaps = `[...document.querySelectorAll("svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].map((text) => ({ words: text.textContent.trim(), box: text.getBoundingClientRect() }))
    .filter(({ words, box }) => /[\\p{L}\\p{N}]/u.test(words) && box.width > 0);
  const isOver = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => isOver(a.box, b.box)).map((b) => [a.words, b.words]));
})`;

for (const path of pages) {
  const page = await browser.openPage(`file://${resolve(path)}`);
  await page.until(`document.readyState === "complete"`);
  await page.value(`document.querySelectorAll("details").forEach((details) => { details.open = true; })`);
  for (const [width, isPhone] of [[1280, false], [390, true]]) {
    await page.look({ width, isPhone });
    const total = await page.value("document.documentElement.scrollWidth");
    check(`${path} is as wide as a screen of ${width} px`, total > width ? [total] : []);
    check(`${path} at ${width} px cuts no text of a plot`, await page.value(cutTexts));
    check(`${path} at ${width} px has no text of a plot over another`, await page.value(overlaps));
    if (screenshots)
      await page.photograph(`${screenshots}/${path.replace(/\W+/g, "-")}-${width}.png`);
  }
  // A4 paper less the margins of page.css: what is wider makes a browser print the whole page smaller.
  await page.look({ width: 688, media: "print" });
  const printed = await page.value(`[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 689 + scrollX)
    .map((e) => e.tagName + " " + e.textContent.trim().slice(0, 40)).slice(0, 3)`);
  check(`${path} is as wide as paper`, printed);
  check(`${path} cuts no text of a plot on paper`, await page.value(cutTexts));
  check(`${path} has what its links to parts of it name`, await page.value(`[...document.querySelectorAll("a[href^='#']")].map((a) => a.hash.slice(1))
    .filter((id) => !document.getElementById(id))`));
  check(`${path} says of each heading of a table what it heads`, await page.value(`[...document.querySelectorAll("th:not([scope])")].map((th) => th.textContent)`));
  check(`${path} has a name for each picture and link`, await page.value(`[...document.querySelectorAll("svg, a")].filter((e) =>
    !(e.getAttribute("aria-label") || e.textContent).trim()).map((e) => e.outerHTML.slice(0, 80))`));
  check(`${path} has no problem in the console`, page.problems);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
