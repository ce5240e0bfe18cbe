/**
 * The WASM files that ship, in one table: the file's name is the cargo feature's.
 * A new file is a feature in Cargo.toml, a line here, an export in package.json and a budget in budgets.json.
 * A `renewable` one can be made anew after a trap.
 * One with `ownProperties` reads elements of pages that may give their fields any name, by the module that is named.
 * One with a `workspace` is linked there, where other crates stand in for some of its dependencies.
 */
export const modules = [{ name: "runtime", renewable: true }, { name: "schema", workspace: "tools/schema-wasm" }, { name: "engine" }, { name: "page", renewable: true, ownProperties: "../page-own.js" }];
