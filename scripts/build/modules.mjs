/**
 * The WASM files that ship, in one table: the file's name is the cargo feature's.
 * A new file is a feature in Cargo.toml, a line here, an export in package.json and a budget in budgets.json.
 * A `renewable` one can be made anew after a trap.
 * One that is `awaited` stands between a page and its first use: the optimiser may take its time over it.
 * The glue of one that is `shared` serves the file it names too: all that it has more are methods of the names in
 * `beyond`. See shared-glue.mjs.
 * One with `ownProperties` reads elements of pages that may give their fields any name, by the module that is named.
 * One with `simd` reads streams by it.
 * One with an `optLevel` is compiled for speed as far as that says: its work is on the way of every call.
 * One with `unused` methods is freed of their bodies; the callers named must be gone with them. See unused.mjs.
 * One with a `workspace` is linked there, where other crates stand in for some of its dependencies.
 */

/** `jsonschema` can tell all that it saw in a value, annotations too. The schema file asks for verdicts and errors alone. */
const evaluation = {
  bodies: /\bjsonschema::validator::Validate(<[^>]*>>)?::evaluate(_with_location)?::h[0-9a-f]+$/,
  callers: /\bjsonschema::node::SchemaNode<.*>::evaluate|\bjsonschema::validator::Validator<.*>::evaluate|\bjsonschema::evaluation::Evaluation\b/,
};

export const modules = [
  { name: "runtime", renewable: true, awaited: true, simd: true },
  { name: "ag_ui", renewable: true, awaited: true, simd: true, shared: "runtime", beyond: ["provide"] },
  { name: "checker", awaited: true, optLevel: "s" },
  { name: "schema", workspace: "tools/schema-wasm", awaited: true, unused: evaluation },
  { name: "engine" },
  { name: "page", renewable: true, awaited: true, ownProperties: "../page-own.js" },
];
