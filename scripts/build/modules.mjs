/**
 * The WASM files that ship, in one table: the file's name is the cargo feature's.
 * A new file is a feature in Cargo.toml, a line here, an export in package.json and a budget in budgets.json.
 * A `renewable` one can be made anew after a trap.
 * One that is `awaited` stands between a page and its first use: the optimiser may take its time over it.
 * The glue of one that is `shared` serves the file it names too: all that it has more are methods of the names in
 * `beyond`. See shared-glue.mjs.
 * One with `ownProperties` reads elements of pages that may give their fields any name, by the module that is named.
 * One with a `workspace` is linked there, where other crates stand in for some of its dependencies.
 */
export const modules = [
  { name: "runtime", renewable: true, awaited: true },
  { name: "ag_ui", renewable: true, awaited: true, shared: "runtime", beyond: ["provide"] },
  { name: "schema", workspace: "tools/schema-wasm" },
  { name: "engine" },
  { name: "page", renewable: true, awaited: true, ownProperties: "../page-own.js" },
];
