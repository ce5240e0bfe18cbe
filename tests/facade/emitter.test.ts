/** Listeners do not disturb each other. */
import { expect, it, vi } from "vitest";
import { Emitter } from "../../src/js/emitter.ts";

type Event = { type: "a"; n: number } | { type: "b" };

it("isolates a listener that throws and reports what it threw", () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const emitter = new Emitter<Event>();
  const heard: number[] = [];
  const failure = new Error("mine");
  emitter.on("a", () => {
    throw failure;
  });
  emitter.on("a", (event) => heard.push(event.n));
  emitter.emit({ type: "a", n: 7 });
  expect(heard).toEqual([7]);
  expect(reported).toHaveBeenCalledWith(expect.any(String), failure);
});

it("reports the rejection of an async listener", async () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const emitter = new Emitter<Event>();
  emitter.on("a", async () => {
    throw "late";
  });
  emitter.emit({ type: "a", n: 1 });
  await Promise.resolve();
  expect(reported).toHaveBeenCalledWith(expect.any(String), "late");
});

it("ends a subscription by its function and by a signal, once", () => {
  const changed = vi.fn();
  const emitter = new Emitter<Event>(changed);
  const heard = vi.fn();
  const controller = new AbortController();
  const off = emitter.on("a", heard);
  emitter.on("a", heard, { signal: controller.signal });
  emitter.emit({ type: "a", n: 1 });
  expect(heard).toHaveBeenCalledTimes(2);
  off();
  off();
  controller.abort();
  emitter.emit({ type: "a", n: 2 });
  expect(heard).toHaveBeenCalledTimes(2);
  expect(emitter.kinds()).toEqual([]);
  expect(changed).toHaveBeenCalledTimes(4);
});

it("never calls a listener whose signal had aborted before", () => {
  const emitter = new Emitter<Event>();
  const heard = vi.fn();
  emitter.on("b", heard, { signal: AbortSignal.abort() });
  emitter.emit({ type: "b" });
  expect(heard).not.toHaveBeenCalled();
});

it("does not call a listener that an earlier one removed", () => {
  const emitter = new Emitter<Event>();
  const heard = vi.fn();
  let off = () => {};
  emitter.on("b", () => off());
  off = emitter.on("b", heard);
  emitter.emit({ type: "b" });
  expect(heard).not.toHaveBeenCalled();
});
