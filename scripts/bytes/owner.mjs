/**
 * Whose a function is, told from its name: `owner(name)` gives the path of a crate and its modules.
 *
 * The names are demangled. What they do not say is not guessed: a generic function of another crate counts as that
 * crate's, whatever type it was made for, because the older mangling does not name the type. Two kinds are counted
 * where a cut would be made: dropping a type is the type's, and a method of a trait is the type's that has it, unless
 * that is `T` or another name without a path; then it is the trait's.
 */

/** Functions without a path: what the linker, wasm-bindgen and C name. */
export const unnamed = "(exports and intrinsics)";

/** Where the bracket that opens at `start` is closed. */
function closing(text, start) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "<") depth += 1;
    else if (text[at] === ">" && text[at - 1] !== "-" && --depth === 0) return at;
  }
  return text.length;
}

/** Where `T as Trait` is cut, outside of brackets; -1 when there is no such place. */
function cutOfAs(text) {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "<") at = closing(text, at);
    else if (text.startsWith(" as ", at)) return at;
  }
  return -1;
}

/** The path that a type begins with, past references, pointers and words like `dyn`; empty for a bare name. */
function pathOfType(type) {
  const bare = type.replace(/^(?:[&*([\s]|(?:mut|const|dyn|impl)\s)+/, "");
  if (bare.startsWith("<")) return ownerPath(bare);
  const path = /^[\w:]+/.exec(bare)?.[0] ?? "";
  return path.includes("::") ? path : "";
}

function ownerPath(name) {
  const dropped = /^core::ptr::drop_(?:in_place|glue)(?:::)?</.exec(name);
  if (dropped) {
    const inside = name.slice(dropped[0].length, closing(name, dropped[0].length - 1));
    return innermost(inside) || "core::ptr::drop_in_place";
  }
  if (!name.startsWith("<")) return name;
  const inside = name.slice(1, closing(name, 0));
  const cut = cutOfAs(inside);
  // A method of a type without a path, as in `<str>::trim`, is one that the language's own types have.
  if (cut < 0) return pathOfType(inside) || `core::${inside}::`;
  return pathOfType(inside.slice(0, cut)) || pathOfType(inside.slice(cut + 4));
}

/** Of a type in boxes, lists and options, the first that is not the standard library's; else the outermost. */
function innermost(type) {
  const paths = [...type.matchAll(/(?<![:\w])[a-z_]\w*(?:::\w+)+/g)].map(([path]) => path);
  return paths.find((path) => !/^(?:core|alloc|std)::/.test(path)) ?? paths[0] ?? "";
}

/** The crate and the modules that a function of this name belongs to: `["pagehand", "runtime", "board"]`. */
export function owner(name) {
  const plain = name
    // What the optimiser put first: two functions that it made one.
    .replace(/^byn\$mgfn-shared\$/, "")
    .replaceAll(/\[[0-9a-f]{6,}\]/g, "")
    .replace(/(?:\.(?:llvm\.)?\d+)+$/, "")
    .replace(/::h[0-9a-f]{16}$/, "");
  const path = ownerPath(plain);
  if (!path.includes("::")) return [unnamed];
  const parts = path.split("::");
  // Types, `{{closure}}`, `<impl …>` and `_` end the modules; without one, the last part is the function.
  const end = parts.findIndex((part) => !/^(?!_$)[a-z_]\w*$/.test(part));
  return parts.slice(0, Math.max(1, end < 0 ? parts.length - 1 : end));
}
