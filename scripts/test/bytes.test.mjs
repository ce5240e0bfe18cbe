/** What `npm run bytes` says: the parts of a hand-made module, whose a function is, and how groups are summed up. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dissect } from "../bytes/dissect.mjs";
import { grouped, named, within } from "../bytes/groups.mjs";
import { parseNames } from "../bytes/names.mjs";
import { owner, unnamed } from "../bytes/owner.mjs";

const text = (words) => [words.length, ...Buffer.from(words)];
const section = (id, ...bytes) => [id, bytes.length, ...bytes];
const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, value >> 7]);
const nops = (count) => [...number(count + 2), 0, ...Array(count).fill(1), 0x0b];
const code = [3, ...nops(0), ...nops(200), ...nops(3)];
/** One function and a memory that are imported, three functions of its own, the second longer than one length byte. */
const module = Uint8Array.from([
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...section(1, 1, 0x60, 0, 0),
  ...section(2, 2, ...text("m"), ...text("f"), 0, 0, ...text("m"), ...text("memory"), 2, 0, 1),
  ...section(3, 3, 0, 0, 0),
  ...[10, ...number(code.length), ...code],
  ...section(11, 1, 0, 0x41, 0, 0x0b, 4, 1, 2, 3, 4),
]);

test("a module falls into its sections and functions, byte for byte", () => {
  const { sections, functions, imported } = dissect(module);
  assert.deepEqual(sections.map((one) => one.kind), ["type", "import", "function", "code", "data"]);
  assert.equal(sections.reduce((sum, one) => sum + one.size, 8), module.length);
  assert.equal(imported, 1);
  assert.deepEqual(functions.map((one) => [...one]), [nops(0), nops(200), nops(3)]);
});

test("names are matched past the imports, and odd characters are given back", () => {
  const names = parseNames("0:m.f\n1:pagehand::runtime::run\n2:core::ptr::drop_in_place<pagehand::browser::board::Pending>::h036c8eda8353b96e\n3:\\3cstr\\3e::trim\n");
  assert.deepEqual(named(dissect(module), names).map((one) => [one.index, one.path.join("::"), one.bytes.length]), [
    [1, "pagehand::runtime", 3],
    [2, "pagehand::browser::board", 204],
    [3, "core::str", 6],
  ]);
  assert.equal(named(dissect(module), new Map())[0].name, "(no name)");
});

test("whose a function is", () => {
  const cases = {
    "pagehand::runtime::answers::<impl pagehand::runtime::machine::Machine>::wake_parcels::{{closure}}::hd0c086f74dadc6d0": "pagehand::runtime::answers",
    "pagehand::runtime::board::Board::fold::{{closure}}::hc2f6e7ba8e3b4d27": "pagehand::runtime::board",
    "pagehand::protocol::native::decode_by::{{closure}}::h6c17928433994538": "pagehand::protocol::native::decode_by",
    "pagehand::schema::reader::unescape::h7784444440be9ab9": "pagehand::schema::reader",
    "<pagehand::protocol::json::RawJson as core::default::Default>::default::hc5bf162a4df1e649": "pagehand::protocol::json",
    "<&mut pagehand::a::B as core::fmt::Debug>::fmt": "pagehand::a",
    "<&T as core::fmt::Display>::fmt::h7c2e04cb73a14d06": "core::fmt",
    "<T as pagehand::a::B>::go": "pagehand::a",
    "<core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::Iterator>::next::h0123456789abcdef": "core::iter::adapters::map",
    "<alloc[a59d534b78f23021]::string::String as core[81ac53eac6c6f55c]::fmt::Write>::write_char.410": "alloc::string",
    "<alloc[a59d534b78f23021]::raw_vec::RawVecInner<_>>::reserve::do_reserve_and_handle::<alloc[a59d534b78f23021]::alloc::Global>": "alloc::raw_vec",
    "core::ptr::drop_in_place<alloc::vec::Vec<pagehand::runtime::event::Node>>::h7b7953cabaee85ab": "pagehand::runtime::event",
    "core[81ac53eac6c6f55c]::ptr::drop_in_place::<alloc[a59d534b78f23021]::string::String>": "alloc::string",
    "core::ptr::drop_in_place<<alloc::vec::drain::Drain<T,A> as core::ops::drop::Drop>::drop::DropGuard<u8>>": "alloc::vec::drain",
    "byn$mgfn-shared$alloc::vec::Vec<T,A>::into_boxed_slice::h916a695d06d960d7": "alloc::vec",
    "<dyn core::ops::function::FnMut(u8) -> u8 as pagehand::a::B>::go": "core::ops::function",
    "<u32 as core[81ac53eac6c6f55c]::fmt::Display>::fmt": "core::fmt",
    "<str>::trim_ascii": "core::str",
    "<[T]>::split_at": "core",
    rawruntime_suspend: unnamed,
    "Ref(String) -> Externref": unnamed,
  };
  for (const [name, path] of Object.entries(cases)) assert.equal(owner(name).join("::"), path, name);
});

test("groups add up, the largest first, and their estimates to the whole", () => {
  const names = new Map([[1, "a::b::f"], [2, "c::d::g"], [3, "a::e::h"]]);
  const functions = named(dissect(module), names);
  assert.deepEqual(grouped(functions, () => 1, 100).map(({ path, raw, count }) => [path, raw, count]), [["c", 204, 1], ["a", 9, 2]]);
  assert.deepEqual(grouped(functions, (path) => path.length, 100).map(({ path }) => path), ["c::d", "a::e", "a::b"]);
  for (const level of [() => 1, (path) => path.length]) {
    const sum = grouped(functions, level, 100).reduce((total, group) => total + group.gzip, 0);
    assert.ok(Math.abs(sum - 100) <= 1, `${sum}`);
  }
});

test("a module's path is not the beginning of another's name", () => {
  assert.ok(within(["a", "b"], "a") && within(["a", "b"], "a::b") && within(["a"], ""));
  assert.ok(!within(["ab"], "a") && !within(["a"], "a::b"));
});
