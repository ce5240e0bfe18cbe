/** A call that the app makes ends when the app's own signal says so. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { open } from "./page.ts";
import { add } from "./webmcp-page.ts";

describe("runtime.invoke with a signal", () => {
  it("does not run what was called off before, and ends at once what is called off in between", async () => {
    const ran = vi.fn(() => new Promise(() => undefined));
    const { runtime } = await open({}, { tools: [tool({ name: "t", execute: ran })] });
    const early = await runtime.invoke("t", {}, { signal: AbortSignal.abort("no") });
    expect(early).toMatchObject({ error: { code: "cancelled", cause: "no" }, report: { status: "failed" } });
    expect(ran).not.toHaveBeenCalled();
    const late = await runtime.invoke("t", {}, { signal: AbortSignal.timeout(20) });
    expect(late.error).toMatchObject({ code: "cancelled", cause: { name: "TimeoutError" } });
    expect(runtime.pending).toEqual([]);
  });

  it("runs nothing after a call that was called off, and what is to run after any other", async () => {
    const after = vi.fn();
    const made = tool({ name: "t", execute: ({ hang }: { hang?: boolean }, ctx) => {
      ctx.after(after);
      return hang ? new Promise(() => undefined) : 1;
    } });
    const { runtime } = await open({}, { tools: [made as never] });
    await runtime.invoke("t", { hang: true }, { signal: AbortSignal.timeout(20) });
    expect(after).not.toHaveBeenCalled();
    await runtime.invoke("t", {}, { signal: new AbortController().signal });
    expect(after).toHaveBeenCalledOnce();
  });

  it("takes what is no signal for none, and leaves no listener on one that outlives the call", async () => {
    const { runtime } = await open({}, { tools: [add] });
    expect((await runtime.invoke("add", { a: 1, b: 2 }, { signal: {} as never })).data).toBe(3);
    const { signal } = new AbortController();
    const [on, off] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    await runtime.invoke("add", { a: 1, b: 2 }, { signal });
    const ends = on.mock.calls.map(([, , options]) => (options as AddEventListenerOptions).signal?.aborted);
    expect(ends).toEqual([true]);
    expect(off).toBeDefined();
  });
});
