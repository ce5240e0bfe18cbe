/** A call all the way round: the model asks, the page answers, the engine records, the model goes on. */
import { describe, expect, it, vi } from "vitest";
import { tool } from "pagehand";
import { gate, oneCall, open } from "./page.ts";

const cart = tool({
  name: "read_cart",
  description: "Reads the cart",
  input: { type: "object", properties: { currency: { type: "string", enum: ["EUR", "USD"] } }, required: ["currency"] },
  execute: ({ currency }) => ({ items: 3, currency }),
});

describe("a turn with one call", () => {
  it("runs the tool and lets the model read the result", async () => {
    const { engine, runtime } = await open(oneCall("read_cart", { currency: "EUR" }), { tools: [cart] });
    const turn = runtime.send("What is in my cart?");
    const result = await turn.finished;
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(result.error).toBeUndefined();
    const [call, ...others] = engine.calls(runtime.sessionId);
    expect(others).toEqual([]);
    expect(call).toMatchObject({ name: "read_cart", status: "completed", handler: "client" });
    expect(JSON.parse(call?.rendered ?? "")).toEqual({ items: 3, currency: "EUR" });
    expect(call?.settlements.filter((one) => one.accepted)).toHaveLength(1);
    expect(result.report.children).toMatchObject([
      { type: "tool", name: "read_cart", input: { currency: "EUR" }, output: { items: 3, currency: "EUR" }, status: "completed", checks: { input: "valid" }, tripIndex: 0 },
    ]);
    expect(runtime.pending).toEqual([]);
    expect(runtime.state).toBe("open");
  });

  it("tells each listener level the same call, in order", async () => {
    const { runtime, seen } = await open(oneCall("read_cart", { currency: "USD" }), { tools: [cart] }, [
      "agent.tool.calling",
      "agent.tool.called",
      "agent.tool.failed",
      "tool.finished",
      "turn.finished",
    ]);
    const onTool: string[] = [];
    const off = cart.on("agent.tool.called", (event) => onTool.push(event.callId));
    const turn = runtime.send("cart?");
    const onTurn: string[] = [];
    turn.on("agent.tool.called", (event) => onTurn.push(event.callId));
    await turn.finished;
    off();
    expect(seen.map((event) => event.type)).toEqual(["agent.tool.calling", "agent.tool.called", "tool.finished", "turn.finished"].sort((a, b) => seen.findIndex((e) => e.type === a) - seen.findIndex((e) => e.type === b)));
    expect(seen[0]?.type).toBe("agent.tool.calling");
    expect(seen.at(-1)?.type).toBe("turn.finished");
    expect(onTool).toEqual(["call_1"]);
    expect(onTurn).toEqual(["call_1"]);
  });

  it("streams text and calls to who iterates the turn, also from late on", async () => {
    const { runtime } = await open(
      { script: { replies: [{ say: "Let me look.", call: [{ name: "read_cart", arguments: { currency: "EUR" } }] }], otherwise: { say: "Three items." } }, agent: { stream: true } },
      { tools: [cart] },
    );
    const turn = runtime.send("cart?");
    const kinds: string[] = [];
    let text = "";
    for await (const event of turn) {
      kinds.push(event.type);
      if (event.type === "text") text += event.delta;
    }
    expect(text).toContain("Three items.");
    expect(kinds.at(-1)).toBe("turn.finished");
    expect(kinds).toContain("agent.tool.called");
    const again: string[] = [];
    for await (const event of turn) again.push(event.type);
    expect(again).toEqual(kinds);
    expect(turn.text).toBe("Three items.");
  });

  it("declares the tools with the engine's words", async () => {
    const { runtime } = await open({}, { tools: [cart] });
    expect(runtime.declarations()).toEqual([
      { name: "read_cart", description: "Reads the cart", input: cart.input, handler: "client" },
    ]);
  });
});

describe("arguments", () => {
  it("reach the handler to the last digit", async () => {
    const got = gate<unknown>();
    const { runtime } = await open(oneCall("t", '{"id":2512292042121000001,"__proto__":{"x":1}}'), {
      tools: [tool({ name: "t", execute: (input) => got.open(input) })],
    });
    const turn = runtime.send("go");
    const input = (await got.promise) as Record<string, unknown>;
    expect(input.id).toBe(2512292042121000001n);
    expect(Object.keys(input)).toEqual(["id", "__proto__"]);
    await turn.finished;
  });

  it("come as rounded numbers where that is asked for", async () => {
    const got = gate<unknown>();
    const { runtime } = await open(oneCall("t", '{"id":2512292042121000001}'), {
      numbers: "number",
      tools: [tool({ name: "t", execute: (input) => got.open(input.id) })],
    });
    runtime.send("go");
    expect(await got.promise).toBe(2512292042121000001);
  });

  it("that do not fit are answered with what a model needs, and nothing runs", async () => {
    const ran = vi.fn();
    const { engine, runtime } = await open(oneCall("read_cart", { currency: "EURO" }), {
      tools: [tool({ name: "read_cart", input: cart.input ?? {}, execute: ran })],
    });
    const { report } = await runtime.send("cart?").finished;
    expect(ran).not.toHaveBeenCalled();
    const [call] = engine.calls(runtime.sessionId);
    expect(call?.status).toBe("errored");
    expect(call?.rendered).toMatch(/invalid tool arguments: \/currency/);
    expect(report.children).toMatchObject([{ status: "failed", error: { code: "SCHEMA_VALIDATION_FAILED" }, checks: { input: "invalid", issues: [{ path: "/currency", keyword: "enum" }] } }]);
  });

  it("that do not fit run where the author says so, or are repaired by the author's function", async () => {
    const ran = vi.fn();
    const repair = vi.fn(() => ({ currency: "EUR" }));
    const schema = cart.input ?? {};
    const { runtime } = await open(
      { script: { replies: [{ call: [{ name: "run", arguments: { currency: 1 } }, { name: "repair", arguments: { currency: 2 } }] }], otherwise: { say: "ok" } } },
      {
        tools: [
          tool({ name: "run", input: schema, onInvalid: "run", execute: ran }),
          tool({ name: "repair", input: schema, onInvalid: repair, execute: ran }),
        ],
      },
    );
    await runtime.send("go").finished;
    expect(ran.mock.calls.map(([input]) => input)).toEqual(expect.arrayContaining([{ currency: 1 }, { currency: "EUR" }]));
    expect(repair).toHaveBeenCalledWith(expect.objectContaining({ issues: expect.arrayContaining([expect.objectContaining({ path: "/currency" })]) }));
  });
});

describe("handlers", () => {
  it.each<[string, () => unknown, string | RegExp, string]>([
    ["a plain value", () => "Lisbon", "Lisbon", "completed"],
    ["nothing", () => undefined, "null", "completed"],
    ["a promise", async () => [1], "[1]", "completed"],
    ["a thenable", () => ({ then: (done: (value: number) => void) => done(5) }), "5", "completed"],
    ["a BigInt", () => ({ n: 2512292042121000001n }), '{"n":2512292042121000001}', "completed"],
    ["a Map", () => new Map([["a", 1]]), '[["a",1]]', "completed"],
    ["an Error it did not throw", () => new Error("odd"), "odd", "completed"],
    ["a cycle", () => { const a: Record<string, unknown> = {}; a.a = a; return a; }, /result\.a cannot be sent/, "errored"],
    ["a thrown error", () => { throw new Error("the shop is closed"); }, /the shop is closed/, "errored"],
    ["a thrown string", () => { throw "no cart"; }, /no cart/, "errored"],
    ["a thrown undefined", () => { throw undefined; }, /undefined/, "errored"],
    ["a thrown object without prototype", () => { throw Object.create(null); }, /./, "errored"],
    ["a rejection", () => Promise.reject(Object.assign(new Error("late"), { stack: "secret frames" })), /^(?!.*secret).*late/s, "errored"],
  ])("may end with %s", async (_name, execute, rendered, status) => {
    const { engine, runtime } = await open(oneCall("t"), { tools: [tool({ name: "t", execute })] });
    const result = await runtime.send("go").finished;
    expect(result.status).toBe("completed");
    const [call] = engine.calls(runtime.sessionId);
    expect(call?.status).toBe(status);
    if (typeof rendered === "string") expect(call?.rendered).toBe(rendered);
    else expect(call?.rendered).toMatch(rendered);
  });

  it("put artifacts aside that the model does not see", async () => {
    const { engine, runtime } = await open(oneCall("t"), {
      tools: [
        tool({
          name: "t",
          execute: (_input, ctx) => {
            ctx.artifacts.blocks = [{ secret: 1 }];
            return "seen";
          },
        }),
      ],
    });
    const heard = gate<unknown>();
    runtime.on("agent.tool.called", (event) => heard.open(event.artifacts));
    await runtime.send("go").finished;
    expect(await heard.promise).toEqual({ blocks: [{ secret: 1 }] });
    expect(JSON.stringify(engine.log(runtime.sessionId))).not.toContain("secret");
  });

  it("that hang past their timeout are answered, told to stop, and not listened to afterwards", async () => {
    const late = gate<string>();
    const reasons: unknown[] = [];
    const { engine, runtime } = await open(oneCall("t"), {
      tools: [
        tool({
          name: "t",
          timeout: 40,
          execute: (_input, { signal }) => {
            signal.addEventListener("abort", () => reasons.push(signal.reason));
            return late.promise;
          },
        }),
      ],
    });
    const result = await runtime.send("go").finished;
    expect(result.report.children).toMatchObject([{ error: { code: "deadline_exceeded" } }]);
    expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })]);
    const before = JSON.stringify(engine.calls(runtime.sessionId));
    late.open("too late");
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(JSON.stringify(engine.calls(runtime.sessionId))).toBe(before);
  });

  it("stay alive by reporting progress, which listeners hear", async () => {
    const values: unknown[] = [];
    const { runtime } = await open(oneCall("t"), {
      tools: [
        tool({
          name: "t",
          timeout: 120,
          execute: async (_input, { progress }) => {
            for (let step = 1; step <= 4; step += 1) {
              await new Promise((resolve) => setTimeout(resolve, 60));
              progress(step);
            }
            return "kept";
          },
        }),
      ],
    });
    runtime.on("tool.progress", (event) => values.push(event.value));
    const result = await runtime.send("go").finished;
    expect(result.report.children).toMatchObject([{ status: "completed", output: "kept" }]);
    expect(values).toEqual([1, 2, 3, 4]);
  });
});

it("answers two parallel calls each by itself, in whatever order they end", async () => {
  const first = gate<string>();
  const { engine, runtime } = await open(
    { script: { replies: [{ call: [{ name: "slow" }, { name: "fast" }] }], otherwise: { say: "both" } } },
    {
      tools: [
        tool({ name: "slow", execute: () => first.promise }),
        tool({
          name: "fast",
          execute: () => {
            setTimeout(() => first.open("slow one"), 20);
            return "fast one";
          },
        }),
      ],
    },
  );
  const result = await runtime.send("go").finished;
  expect(result.text).toBe("both");
  expect(engine.calls(runtime.sessionId).map((call) => [call.name, call.rendered])).toEqual([
    ["slow", "slow one"],
    ["fast", "fast one"],
  ]);
});

describe("consent", () => {
  const pay = (approve: boolean | ((input: unknown) => boolean)) => tool({ name: "pay", approve, execute: (input) => ({ paid: input }) });

  it.each<[string, () => unknown, string]>([
    ["yes", () => true, "completed"],
    ["no", () => false, "errored"],
    ["no with a reason", () => ({ allow: false, reason: "too dear" }), "errored"],
    ["something odd", () => "sure", "errored"],
    ["a throw", () => { throw new Error("no dialog"); }, "errored"],
  ])("by a person who answers %s", async (_name, answer, status) => {
    const asked: unknown[] = [];
    const { engine, runtime } = await open(oneCall("pay", { sum: 3 }), {
      tools: [pay(true)],
      onApproval: (approval) => {
        asked.push(approval.input);
        return answer() as boolean;
      },
    });
    runtime.on("warning", () => undefined);
    await runtime.send("pay").finished;
    expect(asked).toEqual([{ sum: 3 }]);
    expect(engine.calls(runtime.sessionId)[0]?.status).toBe(status);
  });

  it("may change the arguments", async () => {
    const { engine, runtime } = await open(oneCall("pay", { sum: 3 }), {
      tools: [pay(true)],
      onApproval: () => ({ allow: true, input: { sum: 2 } }),
    });
    await runtime.send("pay").finished;
    expect(engine.calls(runtime.sessionId)[0]?.rendered).toBe('{"paid":{"sum":2}}');
  });

  it("is not asked for where the tool's function says so, and never given where nobody can be asked", async () => {
    const free = await open(oneCall("pay", { sum: 0 }), { tools: [pay(() => false)] });
    await free.runtime.send("pay").finished;
    expect(free.engine.calls(free.runtime.sessionId)[0]?.status).toBe("completed");
    const alone = await open(oneCall("pay", { sum: 3 }), { tools: [pay(true)] });
    await alone.runtime.send("pay").finished;
    expect(alone.engine.calls(alone.runtime.sessionId)[0]?.status).toBe("errored");
  });
});
