/**
 * Takes functions out of a module's table that nothing can call through it any more.
 *
 * For each import that takes a closure, used or not, wasm-bindgen's crates describe the closure's caller, `invoke`, by
 * its place in the table. The tool reads the descriptions and removes them; where a caller is wanted, it exports it. The
 * places stay, and with them dozens of functions. A caller cannot be one with another function of the same code: none
 * but callers say that a closure was dropped. It must run before the optimiser, while names are there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Failure } from "../lib/run.mjs";
import { dissect, reader } from "../bytes/dissect.mjs";

const CALLER = /^wasm_bindgen(?:\[[0-9a-f]+\])?::convert::closures::_::invoke\b/;
const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);

/** Index to name, by the module's own names. */
function namesIn(sections) {
  const text = new TextDecoder();
  const names = new Map();
  for (const { kind, content } of sections) {
    if (kind !== "custom") continue;
    const from = reader(content, 0);
    const word = () => {
      const length = from.number();
      from.at += length;
      return text.decode(content.subarray(from.at - length, from.at));
    };
    if (word() !== "name") continue;
    while (from.at < content.length) {
      const part = content[from.at++];
      const end = from.number() + from.at;
      if (part === 1) for (let left = from.number(); left > 0; left -= 1) names.set(from.number(), word());
      from.at = end;
    }
  }
  return names;
}

/** The element section with another function in the places of those that go, and how many those are. */
function emptied(content, isDead) {
  const from = reader(content, 0);
  const out = [...number(from.number())];
  let gone = 0;
  while (from.at < content.length) {
    const start = from.at;
    const flags = from.number();
    // A list of functions at a place of the only table: `i32.const N`, `end`.
    if (flags !== 0 || content[from.at++] !== 0x41) throw new Failure(`a table is filled in another way (${flags})`, "teach scripts/build/dead-shims.mjs how");
    while (content[from.at++] >= 0x80);
    from.at += 1;
    const count = from.number();
    out.push(...content.subarray(start, from.at));
    const listed = Array.from({ length: count }, () => from.number());
    const instead = listed.find((index) => !isDead(index)) ?? 0;
    for (const index of listed) {
      if (isDead(index)) gone += 1;
      out.push(...number(isDead(index) ? instead : index));
    }
  }
  return { content: Uint8Array.from(out), gone };
}

/** A module without them, and how many went. */
export function withoutDeadShims(bytes) {
  const { sections } = dissect(bytes);
  const names = namesIn(sections);
  const parts = [bytes.subarray(0, 8)];
  let gone = 0;
  let at = 8;
  for (const { kind, size, content } of sections) {
    if (kind === "element") {
      const made = emptied(content, (index) => CALLER.test(names.get(index) ?? ""));
      gone += made.gone;
      parts.push(Uint8Array.from([bytes[at], ...number(made.content.length)]), made.content);
    } else parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return { module: Buffer.concat(parts), gone };
}

/** Takes them out of a file. */
export function dropDeadShims(file) {
  writeFileSync(file, withoutDeadShims(readFileSync(file)).module);
}
