/**
 * Charts of the last `npm run bench`, drawn as SVG from its JSON. It judges nothing: what is met came with the figures.
 * Everything is made element by element, so that the page runs under the demo's policy.
 */

const SVG = "http://www.w3.org/2000/svg";
const ROW = 44;
const WIDTH = 640;
const LABEL = 90;

function make(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function draw(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function short(value) {
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

/** One bar for each contender, from nothing on, so that lengths can be compared. */
function chart({ rows, unit, title }) {
  const most = Math.max(...rows.map((row) => row.value), Number.MIN_VALUE);
  const told = rows.map(({ name, value }) => `${name}: ${short(value)} ${unit}`).join("; ");
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${rows.length * ROW}`, role: "img", "aria-label": `${title}. ${told}` });
  rows.forEach(({ name, ours, value }, at) => {
    const length = Math.max(2, (Math.max(0, value) / most) * (WIDTH - LABEL));
    svg.append(
      draw("text", { x: 0, y: at * ROW + 14 }, name),
      draw("rect", { x: 0, y: at * ROW + 20, width: length, height: 14, rx: 3, class: ours ? "ours" : "other" }),
      draw("text", { x: length + 6, y: at * ROW + 32, class: "value" }, short(value)),
    );
  });
  return svg;
}

function card(figure) {
  const { title, where, unit, better, aim, notes } = figure;
  const card = make("section", { class: "figure" }, make("h3", { text: title }), make("p", { text: `${where === "node" ? "Node" : "Chromium"} · ${unit} · ${better} is better` }), chart(figure));
  if (aim) card.append(make("p", { class: `aim ${aim.met ? "met" : "missed"}`, text: `Aim ${aim.text}: ${aim.met ? "met" : "missed"} (${short(aim.value)})` }));
  for (const note of notes) card.append(make("p", { text: note }));
  return card;
}

async function show() {
  const status = document.getElementById("run");
  const response = await fetch("bench.json");
  if (!response.ok) {
    status.textContent = "There are no figures yet: `npm run bench` makes them.";
    return;
  }
  const { when, machine, parts } = await response.json();
  status.textContent = `${new Date(when).toLocaleString()} · ${machine.browser} · Node ${machine.node} · ${machine.cores} cores, ${machine.cpu}`;
  const list = document.getElementById("parts");
  for (const { title, figures } of Object.values(parts)) list.append(make("section", { class: "part" }, make("h2", { text: title }), ...figures.map(card)));
}

await show().catch((error) => {
  document.getElementById("run").textContent = `The figures cannot be read: ${error.message}`;
});
document.body.dataset.ready = "true";
