/**
 * The checker file against the schema file, as they ship: of every schema that the first takes both must say the same of
 * every value, word for word. Runs in Node and in a page alike, so it touches neither.
 */

/** The addresses of the drafts that are taken. */
const addresses = {
  draft7: "http://json-schema.org/draft-07/schema#",
  "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
  "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
};

/** One comparison: what was compared, and what differed. */
export class Comparison {
  taken = 0;
  left = 0;
  right = 0;
  wrong = 0;
  differences = [];
  #glue;

  constructor(glue) {
    this.#glue = glue;
  }

  /** Both checkers of a schema; nothing if the small one does not take it. */
  open(schema, forInput = false) {
    const { RawSmall, RawSchema } = this.#glue;
    const text = JSON.stringify(schema);
    const small = RawSmall.compile(text, forInput);
    if (!small) {
      this.left += 1;
      return;
    }
    this.taken += 1;
    return { text, small, whole: RawSchema.compile(text, undefined) };
  }

  /** Compares both on a text. Gives whether it is right. */
  check({ text, small, whole }, value) {
    const found = small.checkText(value);
    const wanted = whole.checkText(value);
    if (JSON.stringify(JSON.parse(found)) !== JSON.stringify(JSON.parse(wanted))) this.differences.push({ schema: text, value, found, wanted });
    if (found === "[]") this.right += 1;
    else this.wrong += 1;
    return found === "[]";
  }

  end({ small, whole }) {
    small.free();
    whole.free();
  }
}

/** The tests of the official suite for one draft: `{ file: [{ schema, tests: [{ data, valid }] }] }`. */
export function compareSuite(glue, draft, files) {
  const comparison = new Comparison(glue);
  for (const { schema, tests } of Object.values(files).flat()) {
    const named = typeof schema === "object" ? { $schema: addresses[draft], ...schema } : schema;
    const both = comparison.open(named);
    if (!both) continue;
    for (const { data, valid } of tests) {
      const value = JSON.stringify(data);
      if (comparison.check(both, value) !== valid) comparison.differences.push({ schema: both.text, value, valid });
    }
    comparison.end(both);
  }
  return comparison;
}

/** Numbers from 0 up to a limit that are the same for the same seed. */
export function chanceOf(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const texts = ["", "a", "red", "12", "true", "{}", "é😀", "\ud800", "2025-01-31", "2025-02-29T10:00:00Z", "https://example.com/a?b#c", "x".repeat(100)];
const numbers = ["0", "-0", "1", "2.5", "-3", "1e2", "0.1", "1e-7", "1e21", "1e400", "9007199254740993", "18446744073709551616", "-9223372036854775809", "5e-324", "123456789012345680.5"];

/** The text of a value that a schema asks for, more or less. */
export function answer(chance, root, schema, depth = 6) {
  const pick = (all) => all[chance(all.length)];
  const other = () => pick(["null", "true", pick(numbers), JSON.stringify(pick(texts)), "[]", '["a",1]', "{}", '{"a":1,"b":[null]}']);
  if (depth === 0 || typeof schema !== "object" || chance(14) === 0) return other();
  if (schema.$ref) return answer(chance, root, schema.$ref.split("/").slice(1).reduce((at, part) => at[part], root), depth - 1);
  if (schema.enum) return JSON.stringify(pick(schema.enum));
  if ("const" in schema) return JSON.stringify(schema.const);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return answer(chance, root, pick(branches), depth - 1);
  const type = Array.isArray(schema.type) ? pick(schema.type) : (schema.type ?? (schema.properties ? "object" : undefined));
  if (type === "object") return object(chance, root, schema, depth);
  if (type === "array") return `[${Array.from({ length: chance(4) }, () => answer(chance, root, schema.items ?? {}, depth - 1)).join(",")}]`;
  if (type === "string") return JSON.stringify(pick(texts));
  if (type === "integer") return String(chance(50));
  return type === "number" ? pick(numbers) : type === "boolean" ? "true" : other();
}

function object(chance, root, schema, depth) {
  const members = [];
  const add = (name, inner) => members.push(`${JSON.stringify(name)}:${answer(chance, root, inner, depth - 1)}`);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (schema.required?.includes(name) ? chance(14) : chance(2)) add(name, inner);
  }
  const further = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  while (chance(5) === 0) add(["stray", "a", "Path"][chance(3)], further);
  return `{${members.join(",")}}`;
}

/** Schemas of tools, one JSON document a line, and so many values for each. */
export function compareTools(glue, lines, values) {
  const comparison = new Comparison(glue);
  for (const line of lines.trim().split("\n")) {
    const { inputSchema } = JSON.parse(line);
    const both = comparison.open(inputSchema, true);
    if (!both) continue;
    for (let seed = 0; seed < values; seed += 1) comparison.check(both, answer(chanceOf(seed), inputSchema, inputSchema));
    comparison.end(both);
  }
  return comparison;
}

/** A random schema of the small set. */
function schemaOf(chance, depth) {
  const pick = (all) => all[chance(all.length)];
  const name = () => pick(["a", "b", "qty", "favoriteColor", "é", "a/b", ""]);
  const keywords = {
    type: () => pick(["object", "object", "array", "string", "integer", "number", ["string", "null"], "boolean"]),
    enum: () => [pick(texts.slice(0, 5)), pick([null, 1, 2.5, true, "red"])],
    const: () => pick([null, 1, "red", 100]),
    minimum: () => chance(4) / 2,
    exclusiveMaximum: () => chance(4),
    minLength: () => chance(4),
    maxItems: () => chance(3),
    pattern: () => pick(["^a", "\\d", "^\\p{Lu}", "(?=.)", "^.$"]),
    format: () => pick(["date", "date-time", "uri", "uuid"]),
    required: () => [name()],
  };
  const nested = {
    properties: () => Object.fromEntries([name(), name()].map((one) => [one, schemaOf(chance, depth - 1)])),
    items: () => schemaOf(chance, depth - 1),
    additionalProperties: () => pick([false, schemaOf(chance, depth - 1)]),
    propertyNames: () => schemaOf(chance, 0),
    anyOf: () => [schemaOf(chance, depth - 1), schemaOf(chance, depth - 1)],
    oneOf: () => [schemaOf(chance, depth - 1), schemaOf(chance, depth - 1)],
  };
  const all = Object.entries(depth === 0 ? keywords : { ...keywords, ...nested });
  const schema = {};
  for (let left = 1 + chance(4); left > 0; left -= 1) {
    const [keyword, make] = pick(all);
    schema[keyword] = make();
  }
  return schema;
}

/** So many random schemas, and eight values for each. */
export function compareRandom(glue, schemas) {
  const comparison = new Comparison(glue);
  for (let seed = 0; seed < schemas; seed += 1) {
    const chance = chanceOf(seed);
    const schema = { ...schemaOf(chance, 3), ...(chance(2) ? { $schema: addresses.draft7 } : {}) };
    const both = comparison.open(schema);
    if (!both) continue;
    for (let left = 8; left > 0; left -= 1) comparison.check(both, answer(chance, schema, schema));
    comparison.end(both);
  }
  return comparison;
}
