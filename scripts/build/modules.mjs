/**
 * The WASM files that ship, in one table: the file's name is the cargo feature's.
 * A new file is a feature in Cargo.toml, a line here, an export in package.json and a budget in budgets.json.
 */
export const modules = [{ name: "runtime" }, { name: "schema" }, { name: "engine" }];
