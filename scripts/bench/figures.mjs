/**
 * What a measurement gives: one figure, its contenders, and how it stands to its aim. Tables and charts are made of
 * these alone. `better` is "more" or "less"; `aim` is `{ text, value, met }`, where `value` is what the aim is about.
 */

/** A figure, with nothing missing. */
export function figure({ id, title, where, unit, better, rows, aim = null, notes = [] }) {
  for (const { name, value } of rows) {
    if (!Number.isFinite(value)) throw new Error(`${id}: ${name} was not measured`);
  }
  return { id, title, where, unit, better, rows: rows.map(({ name, ours = false, value }) => ({ name, ours, value })), aim, notes };
}

/** A number with as many digits as anybody reads. */
export function short(value) {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

/** How many times better than the best other contender ours is; the first of ours counts. */
export function ratio({ rows, better }) {
  const ours = rows.find((row) => row.ours);
  const others = rows.filter((row) => !row.ours).map((row) => row.value);
  if (!ours || others.length === 0) return null;
  return better === "more" ? ours.value / Math.max(...others) : Math.min(...others) / ours.value;
}
