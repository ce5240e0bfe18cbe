/**
 * Shortens the names by which a WASM file imports its glue's functions, in both files alike.
 * wasm-bindgen ends each in a hash that no compression can do anything about: two kilobytes of the first load.
 * The names are between the two files alone; the instantiation after it proves that they still agree.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../lib/run.mjs";

const IMPORTS = 2;

function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function number(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return [...bytes, value];
}

const text = (words) => [...number(Buffer.byteLength(words)), ...Buffer.from(words)];

/** Where an import's description ends. */
function skipDescription(bytes, at) {
  const kind = bytes[at++];
  const skip = () => ([, at] = readNumber(bytes, at));
  const limits = () => {
    const flags = bytes[at++];
    skip();
    if (flags & 1) skip();
  };
  if (kind === 0) skip();
  else if (kind === 1) {
    at += 1;
    limits();
  } else if (kind === 2) limits();
  else if (kind === 3) at += 2;
  else throw new Failure(`an import of kind ${kind}`, "teach scripts/build/short-names.mjs what follows it");
  return at;
}

/** Renames the imports of a module: `rename` gives the new name. Gives the new module. */
export function renameImports(bytes, rename) {
  const out = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const id = bytes[at];
    let size;
    [size, at] = readNumber(bytes, at + 1);
    const end = at + size;
    if (id !== IMPORTS) out.push(bytes.subarray(start, end));
    else {
      let count;
      [count, at] = readNumber(bytes, at);
      const section = number(count);
      for (let index = 0; index < count; index += 1) {
        const names = [];
        for (let part = 0; part < 2; part += 1) {
          let length;
          [length, at] = readNumber(bytes, at);
          names.push(Buffer.from(bytes.subarray(at, at + length)).toString());
          at += length;
        }
        const from = at;
        at = skipDescription(bytes, at);
        section.push(...text(names[0]), ...text(rename(names[1])), ...bytes.subarray(from, at));
      }
      out.push(Uint8Array.from([IMPORTS, ...number(section.length), ...section]));
    }
    at = end;
  }
  return Buffer.concat(out);
}

/** Shortens them in a WASM file and its glue. */
export function shortenImports(wasm, glue) {
  const short = new Map();
  const shorten = (name) => {
    if (!/_[0-9a-f]{16}$/.test(name)) return name;
    if (!short.has(name)) short.set(name, `_${short.size.toString(36)}`);
    return short.get(name);
  };
  const module = renameImports(readFileSync(wasm), shorten);
  let source = readFileSync(glue, "utf8");
  for (const [name, shorter] of short) {
    const uses = source.split(new RegExp(`\\b${name}\\b`));
    if (uses.length < 2) throw new Failure(`${glue} does not define ${name}`, "look at how this wasm-bindgen names its imports");
    source = uses.join(shorter);
  }
  writeFileSync(wasm, module);
  writeFileSync(glue, source);
}
