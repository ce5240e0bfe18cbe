/**
 * Sums functions up by whose they are, with an estimate of what each group is worth once compressed.
 * A group's bytes are deflated alone, which finds less than deflating the whole does; so all estimates are scaled until
 * their sum is what the code section takes in the compressed file.
 */
import { deflateRawSync } from "node:zlib";
import { owner } from "./owner.mjs";

const deflated = (parts) => deflateRawSync(Buffer.concat(parts), { level: 9 }).length;

/** Every function with its index, name, owner and bytes. */
export const named = ({ functions, imported }, names) =>
  functions.map((bytes, at) => {
    const name = names.get(at + imported) ?? "";
    return { index: at + imported, name: name || "(no name)", path: name ? owner(name) : ["(no name)"], bytes };
  });

/** Whether a path is the module of that name, or in it. */
export const within = (path, module) => module === "" || `${path.join("::")}::`.startsWith(`${module}::`);

/**
 * Groups of functions, largest first: `[{ path, raw, gzip, count }]`. `level(path)` says how many parts of a path make
 * a group; `whole` is what all the code takes once compressed.
 */
export function grouped(functions, level, whole) {
  const groups = new Map();
  for (const one of functions) {
    const path = one.path.slice(0, level(one.path)).join("::");
    const group = groups.get(path) ?? { path, parts: [], raw: 0, count: 0 };
    group.parts.push(one.bytes);
    group.raw += one.bytes.length;
    group.count += 1;
    groups.set(path, group);
  }
  const list = [...groups.values()].map(({ parts, ...group }) => ({ ...group, alone: deflated(parts) }));
  const sum = list.reduce((total, group) => total + group.alone, 0);
  return list.map(({ alone, ...group }) => ({ ...group, gzip: Math.round((alone / sum) * whole) })).sort((left, right) => right.raw - left.raw);
}
