/**
 * How long the page tools take to read a page, beside a plain walk of the same DOM in JavaScript: both in one page of one
 * Chromium, in turns, so that whatever slows the machine slows both. The walk is the least that any reader does: it
 * visits each element, asks whether it is shown, and writes a line of its role or tag and its own text.
 */
import { startGround } from "../../tests/browser/page/ground.mjs";
import { figure } from "./figures.mjs";
import { median } from "./page-side/rounds.mjs";

const table = (rows) => `
  const list = document.querySelector("ul");
  for (let at = 0; at < ${rows}; at += 1) {
    const [row, words, link, button] = ["li", "span", "a", "button"].map((name) => document.createElement(name));
    words.textContent = "Row " + at;
    link.href = "#" + at;
    link.textContent = "Open " + at;
    button.textContent = "Buy " + at;
    row.append(words, link, button);
    list.append(row);
  }
  globalThis.walk = () => {
    const lines = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
    for (let element = walker.currentNode; element; element = walker.nextNode()) {
      const style = getComputedStyle(element);
      if (style.display === "none" || style.visibility !== "visible") continue;
      const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(" ");
      lines.push((element.getAttribute("role") ?? element.localName) + ' "' + (element.getAttribute("aria-label") ?? own) + '"');
    }
    return lines.join("\\n");
  };
`;

/** Measures. Resolves to medians in milliseconds, the longest task of a reading, and how many times the walk a reading takes. */
export async function measurePage({ rows = 1_250, rounds = 15 } = {}) {
  const ground = await startGround();
  try {
    const page = await ground.open("<ul></ul>", { script: table(rows) });
    // The first call of all loads what later ones have.
    await page.good("find", { role: "nothing" });
    const times = await page.evaluate(async (count) => {
      const taken = { read: [], walk: [], tasks: [] };
      const observer = new PerformanceObserver((seen) => taken.tasks.push(...seen.getEntries().map((entry) => entry.duration)));
      observer.observe({ type: "longtask" });
      const timed = async (into, run) => {
        const start = performance.now();
        await run();
        into.push(performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 20));
      };
      for (let round = 0; round < count; round += 1) {
        await timed(taken.read, () => globalThis.call("read_page", { limit: 200_000 }));
        await timed(taken.walk, () => globalThis.walk());
      }
      observer.disconnect();
      return taken;
    }, rounds);
    const elements = await page.evaluate(() => document.body.querySelectorAll("*").length);
    const [read, walk] = [median(times.read), median(times.walk)];
    return { elements, rounds, readMs: read, walkMs: walk, ratio: read / walk, longestTaskMs: Math.max(0, ...times.tasks) };
  } finally {
    await ground.close();
  }
}

/** The same as a figure of the suite. */
export async function measureReading(_lab, options) {
  const found = await measurePage(options);
  return [
    figure({
      id: "page-reading",
      title: `Reading a page of ${found.elements.toLocaleString("en-US")} elements`,
      where: "chromium",
      unit: "ms",
      better: "less",
      rows: [
        { name: "pagehand, read_page, in slices", ours: true, value: found.readMs },
        { name: "a plain walk, without names, refs, masks or what covers what", value: found.walkMs },
      ],
      notes: [`the longest task: ${found.longestTaskMs === 0 ? "under 50" : found.longestTaskMs} ms`],
    }),
  ];
}
