/**
 * Looks at a page as a person would: what sticks out, what cannot be read, what has no name, in the page and in the
 * dialog that may stand before it.
 * Each function runs inside the page, so it may use nothing from outside itself; an empty list is good.
 */

/** Elements that make the page scroll sideways. */
export function overflowing() {
  const width = document.documentElement.clientWidth;
  const dialog = [...(document.querySelector("pagehand-ask")?.shadowRoot.querySelectorAll("*") ?? [])];
  const page = document.documentElement.scrollWidth <= width ? [] : [...document.querySelectorAll("body *")];
  return [...page, ...dialog]
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
}

/** Visible text whose contrast with what is behind it is below WCAG AA. */
export function lowContrast() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      layers.push(rgba(style.backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1]);
  };
  const found = [];
  const texts = [document.body, document.querySelector("pagehand-ask")?.shadowRoot].flatMap((root) => {
    const nodes = [];
    const walker = root && document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker?.nextNode()) nodes.push(walker.currentNode);
    return nodes;
  });
  for (const node of texts) {
    const element = node.parentElement;
    const text = node.data.trim();
    if (!text || !element.checkVisibility({ visibilityProperty: true }) || element.closest(".hidden, .skip, noscript, select, option")) continue;
    const style = getComputedStyle(element);
    const back = behind(element);
    const front = over(rgba(style.color), back);
    const [light, dark] = [luminance(front), luminance(back)].sort((one, other) => other - one);
    const ratio = (light + 0.05) / (dark + 0.05);
    const large = Number.parseFloat(style.fontSize) >= 24 || (Number.parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} "${text.slice(0, 30)}" (${element.tagName.toLowerCase()}.${element.className})`);
  }
  return [...new Set(found)];
}

/** Visible controls that a screen reader could not name. */
export function unnamed() {
  const controls = "button, a[href], input, select, textarea, summary, [role=log], [role=group]";
  const roots = [document, document.querySelector("pagehand-ask")?.shadowRoot].filter(Boolean);
  return roots
    .flatMap((root) => [...root.querySelectorAll(controls)])
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const labels = [...(element.labels ?? [])].map((label) => label.textContent).join("");
      const named = (element.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => element.getRootNode().getElementById(id)?.textContent ?? "").join("");
      return !(element.getAttribute("aria-label") || named || labels || element.textContent).trim();
    })
    .map((element) => element.outerHTML.slice(0, 80));
}
