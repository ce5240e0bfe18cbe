/**
 * Reads a WASM file into its parts: sections, the bodies of its functions, and how many functions it imports. It assumes
 * a valid module, and must never change a byte: every part is a view of what was given.
 */

const kinds = ["custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code", "data", "data count", "tag"];

/** A reader of the format's numbers from a place on. */
export function reader(bytes, start) {
  const here = {
    at: start,
    number() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[here.at++];
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
    },
  };
  return here;
}

/** The bodies in a code section, each with its length in front, in the order of their indices. */
function bodies(bytes, start) {
  const from = reader(bytes, start);
  return Array.from({ length: from.number() }, () => {
    const begin = from.at;
    const length = from.number();
    from.at += length;
    return bytes.subarray(begin, from.at);
  });
}

/** `{ sections: [{ kind, size, content }], functions: [bytes], imported }`; a section's size counts its own head. */
export function dissect(bytes) {
  const sections = [];
  const functions = [];
  const from = reader(bytes, 8);
  while (from.at < bytes.length) {
    const begin = from.at;
    const id = bytes[from.at++];
    const length = from.number();
    const content = bytes.subarray(from.at, from.at + length);
    const kind = kinds[id] ?? `section ${id}`;
    if (kind === "code") functions.push(...bodies(bytes, from.at));
    from.at += length;
    sections.push({ kind, size: from.at - begin, content });
  }
  const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter((one) => one.kind === "function").length;
  return { sections, functions, imported };
}
