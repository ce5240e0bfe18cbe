/**
 * Shortens the names by which a WASM file and its glue know each other's functions, in both files alike.
 * wasm-bindgen ends what is imported in a hash that no compression can do anything about: two kilobytes of the first
 * load. What is exported has long names, each twice: half a kilobyte more.
 * The names are between the two files alone; the instantiation after it proves that they still agree.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../lib/run.mjs";

const IMPORTS = 2;
const EXPORTS = 7;

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

const same = (name) => name;

/**
 * Renames what a module imports and exports, and the module that it imports from: the functions that are given say the
 * new names. Gives the new module.
 */
export function renameNames(bytes, { imported = same, exported = same, from: whence = same }) {
  const out = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const start = at;
    const id = bytes[at];
    let size;
    [size, at] = readNumber(bytes, at + 1);
    const end = at + size;
    if (id !== IMPORTS && id !== EXPORTS) out.push(bytes.subarray(start, end));
    else {
      let count;
      [count, at] = readNumber(bytes, at);
      const section = number(count);
      const name = () => {
        let length;
        [length, at] = readNumber(bytes, at);
        at += length;
        return Buffer.from(bytes.subarray(at - length, at)).toString();
      };
      for (let index = 0; index < count; index += 1) {
        if (id === IMPORTS) section.push(...text(whence(name())), ...text(imported(name())));
        else section.push(...text(exported(name())));
        const from = at;
        at = id === IMPORTS ? skipDescription(bytes, at) : readNumber(bytes, at + 1)[1];
        section.push(...bytes.subarray(from, at));
      }
      out.push(Uint8Array.from([id, ...number(section.length), ...section]));
    }
    at = end;
  }
  return Buffer.concat(out);
}

/** A letter, and a number behind it when the letters are used up: what compresses best. */
const letter = (index) => String.fromCharCode(97 + (index % 26)) + (Math.floor(index / 26) || "");

/** Short names for what a text mentions, in the order it does; those of `last` come behind the others. */
function shortNames(mentions, last, make) {
  const isLast = (name) => last.some((stem) => name.startsWith(stem));
  const names = [...new Set(mentions)];
  const ordered = [...names.filter((name) => !isLast(name)), ...names.filter(isLast)];
  return new Map(ordered.map((name, index) => [name, make(index)]));
}

/**
 * Shortens them in a WASM file and its glue. Two files that differ by what `last` names get the same names for the rest.
 */
export function shortenNames(wasm, glue, last = []) {
  const before = readFileSync(wasm);
  let source = readFileSync(glue, "utf8");
  const [hashed, offered, origins] = [new Set(), new Set(), new Set()];
  const note = (set) => (name) => (set.add(name), name);
  renameNames(before, { imported: note(hashed), exported: note(offered), from: note(origins) });
  const mentioned = (pattern) => [...source.matchAll(pattern)].map(([, name]) => name);
  const imports = shortNames(mentioned(/\b(\w+_[0-9a-f]{16})\b/g).filter((name) => hashed.has(name)), last, (index) => `_${index.toString(36)}`);
  // The memory is for whoever looks at it from outside.
  const exports = shortNames(mentioned(/\bwasm\.(\w+)/g).filter((name) => name !== "memory" && offered.has(name)), last, letter);
  for (const name of hashed) {
    if (/_[0-9a-f]{16}$/.test(name) && !imports.has(name)) throw new Failure(`${glue} does not define ${name}`, "look at how this wasm-bindgen names its imports");
  }
  source = source.replace(/\bwasm\.(\w+)/g, (use, name) => (exports.has(name) ? `wasm.${exports.get(name)}` : use));
  source = source.replace(/\b\w+_[0-9a-f]{16}\b/g, (name) => imports.get(name) ?? name);
  const [origin] = origins;
  if (origins.size === 1) source = source.replaceAll(JSON.stringify(origin), '"g"');
  const short = (names) => (name) => names.get(name) ?? name;
  writeFileSync(wasm, renameNames(before, { imported: short(imports), exported: short(exports), from: origins.size === 1 ? () => "g" : same }));
  writeFileSync(glue, source);
}
