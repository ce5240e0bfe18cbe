/**
 * Figures for people: a table on the terminal, and the same in Markdown, between the markers of docs/performance.md.
 * It reads nothing into a figure: what is met and what is not came with it.
 */
import { ratio, short } from "./figures.mjs";

const verdict = ({ text, value, met }, unit) => `aim ${text}: ${met ? "met" : "missed"} (${short(value)}${/x/.test(text) ? "x" : ` ${unit}`})`;
const compared = (figure) => {
  const times = ratio(figure);
  return times === null ? "" : `${short(times)}x the best other`;
};

/** Lines for the terminal. */
export function table({ title, figures }) {
  const lines = ["", title];
  for (const figure of figures) {
    lines.push(`  ${figure.title} (${figure.where === "node" ? "Node" : "Chromium"}, ${figure.unit}, ${figure.better} is better)`);
    for (const { name, ours, value } of figure.rows) lines.push(`    ${ours ? "▸" : " "} ${name.padEnd(62)}${short(value).padStart(9)}`);
    const told = [compared(figure), figure.aim && verdict(figure.aim, figure.unit), ...figure.notes].filter(Boolean);
    for (const line of told) lines.push(`      ${line}`);
  }
  return lines.join("\n");
}

const cell = (words) => words.replaceAll("|", "\\|");

/** One part as Markdown. */
export function markdown({ title, figures }) {
  const lines = [`### ${title}`, "", "| figure | where | contenders | aim |", "| --- | --- | --- | --- |"];
  for (const figure of figures) {
    const rows = figure.rows.map(({ name, ours, value }) => `${ours ? `**${name}**` : name} ${short(value)}`).join(" · ");
    const aim = figure.aim ? `${figure.aim.met ? "✓" : "✗"} ${figure.aim.text} (${short(figure.aim.value)})` : "";
    lines.push(`| ${cell(figure.title)} (${figure.unit}) | ${figure.where === "node" ? "Node" : "Chromium"} | ${cell(rows)} | ${cell(aim)} |`);
  }
  const notes = figures.flatMap((figure) => figure.notes.map((note) => `- ${figure.title}${figures.some((other) => other !== figure && other.title === figure.title) ? ` (${figure.where === "node" ? "Node" : "Chromium"})` : ""}: ${note}.`));
  return [...lines, ...(notes.length ? ["", ...notes] : []), ""].join("\n");
}

/** The text with what stands between the markers of each part exchanged. */
export function between(text, found) {
  let out = text;
  for (const [name, part] of Object.entries(found.parts)) {
    const [from, to] = [`<!-- bench: ${name} -->`, `<!-- bench: ${name} end -->`];
    const [start, end] = [out.indexOf(from), out.indexOf(to)];
    if (start < 0 || end < start) throw new Error(`there are no markers for ${name}`);
    out = `${out.slice(0, start + from.length)}\n${markdown(part)}${out.slice(end)}`;
  }
  return out;
}
