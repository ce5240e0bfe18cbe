/** The options of the AG-UI transport: what is wrong is thrown at once, by name, and what follows from the address. */
import { describe, expect, it, vi } from "vitest";
import { type RuntimeOptions, createRuntime } from "pagehand";
import { addressesOf } from "../../src/js/ag-ui-options.ts";
import { PagehandError } from "../../src/js/errors.ts";
import { validate } from "../../src/js/shape.ts";

const RUN = "https://e.test/agents/shop/run";
const refused = async (options: object) =>
  createRuntime({ engine: RUN, transport: "ag-ui", ...options } as RuntimeOptions).then(
    () => {
      throw new Error("it was taken");
    },
    (error: unknown) => error as { code: string; message: string },
  );

describe("createRuntime over AG-UI", () => {
  const loop: unknown[] = [];
  loop.push(loop);
  it.each<[string, object]>([
    ["engine", { engine: "ftp://e.test/run" }],
    ["engine", { engine: "https://user:secret@e.test/run" }],
    ["engine", { engine: "https://e.test/run#x" }],
    ["agent", { agent: "" }],
    ["agent", { agent: 7 }],
    ["agent", { agent: "other", engine: "https://e.test/api/channels/ag-ui/agents/shop/run" }],
    ["session", { session: "half an emoji \ud83d" }],
    ["agUi", { agUi: "x" }],
    ["agUi", { agUi: null }],
    ["agUi", { transport: "native", agent: "a", engine: "https://e.test", agUi: {} }],
    ["agUi", { transport: "trigger", agent: "a", agUi: {} }],
    ["agUi.conect", { agUi: { conect: false } }],
    ["agUi.connect", { agUi: { connect: true } }],
    ["agUi.connect", { agUi: { connect: "" } }],
    ["agUi.connect", { agUi: { connect: "https://[" } }],
    ["agUi.connect", { agUi: { connect: "https://elsewhere.test/connect" } }],
    ["agUi.connect", { agUi: { connect: "https://user:secret@e.test/connect" } }],
    ["agUi.connect", { agUi: { connect: "/connect#x" } }],
    ["agUi.context", { agUi: { context: {} } }],
    ["agUi.context", { agUi: { context: [{ description: "the cart", value: 3 }] } }],
    ["agUi.messages", { agUi: { messages: {} } }],
    ["agUi.messages", { agUi: { messages: [{ role: "user", content: "no id" }] } }],
    ["agUi.messages", { agUi: { messages: [{ id: "1", role: "narrator", content: "odd" }] } }],
    ["agUi.state[0]", { agUi: { state: loop } }],
    ["agUi.state.run", { agUi: { state: { run: () => 1 } } }],
    ["agUi.forwardedProps.later", { agUi: { forwardedProps: { later: Promise.resolve(1) } } }],
    ["tuning.maxRounds", { tuning: { maxRounds: -1 } }],
    ["tuning.stallTimeout", { tuning: { stallTimeout: "long" } }],
  ])("names %s where that is wrong", async (name, options) => {
    const error = await refused(options);
    expect(error).toMatchObject({ name: "PagehandError", code: "invalid-options" });
    expect(error.message.slice(0, name.length + 1)).toBe(`${name} `);
    expect(error.message).not.toContain("secret");
  });

  it("offers the nearest known name", async () => {
    expect((await refused({ agUi: { forwardProps: {} } })).message).toContain('did you mean "forwardedProps"?');
  });

  it("fails with a load error when the part that speaks AG-UI cannot be loaded", async () => {
    vi.resetModules();
    vi.doMock("../../pkg/ag-ui.js", () => {
      throw new Error("404");
    });
    const { createRuntime: anew } = await import("pagehand");
    await expect(anew({ engine: RUN, transport: "ag-ui" })).rejects.toMatchObject({ code: "wasm-load-failed", message: expect.stringContaining("AG-UI part") });
    vi.doUnmock("../../pkg/ag-ui.js");
    vi.resetModules();
  });
});

describe("the addresses", () => {
  const of = (engine: string, more: object = {}) => addressesOf({ PagehandError, validate } as never, { engine, agent: "", transport: "ag-ui", ...more });
  const NATIVE = "https://e.test/base/api/channels/ag-ui/agents/my%20shop/run";

  it.each<[string, string, object, object]>([
    ["any address at all", "https://e.test/agent?key=1", {}, {}],
    ["an agent's run", RUN, {}, { connect: "https://e.test/agents/shop/connect" }],
    ["an agent's run in the singular, with a query", "https://e.test/x/agent/shop/run?a=/run", {}, { connect: "https://e.test/x/agent/shop/connect?a=/run" }],
    ["what only looks like one", "https://e.test/agents/run", {}, {}],
    ["an agent's run that has no connect", RUN, { agUi: { connect: false } }, {}],
    ["a connect of its own", "https://e.test/x/begin", { agUi: { connect: "go-on?a=1" } }, { connect: "https://e.test/x/go-on?a=1" }],
    ["a connect given whole", "https://e.test/x/begin", { agUi: { connect: new URL("https://e.test/c") } }, { connect: "https://e.test/c" }],
    ["an agent that is named", "https://e.test/begin", { agent: "shop" }, { agent: "shop" }],
    ["the bundled engine's", NATIVE, {}, { agent: "my shop", connect: NATIVE.replace(/run$/, "connect"), nativeInput: "https://e.test/base/api/client/sessions/input" }],
    ["the bundled engine's without connect", NATIVE, { agent: "my shop", agUi: { connect: false } }, { agent: "my shop", nativeInput: "https://e.test/base/api/client/sessions/input" }],
    ["a name that no decoder takes", "https://e.test/api/channels/ag-ui/agents/%zz/run", {}, { agent: "%zz", connect: "https://e.test/api/channels/ag-ui/agents/%zz/connect", nativeInput: "https://e.test/api/client/sessions/input" }],
  ])("that follow from %s", (_name, engine, more, addresses) => {
    expect(of(engine, more)).toEqual({ agent: "", ...addresses });
  });
});
