/** Wrong options are thrown at once, by name. */
import { describe, expect, it } from "vitest";
import { type RuntimeOptions, createRuntime } from "pagehand";

const good: RuntimeOptions = { engine: "https://engine.test", agent: "shop" };
const refused = async (options: unknown) => createRuntime(options as RuntimeOptions).then(
  () => {
    throw new Error("it was taken");
  },
  (error: unknown) => error as { code: string; message: string },
);

describe("createRuntime", () => {
  it.each<[string, Record<string, unknown>]>([
    ["engine", { engine: undefined }],
    ["engine", { engine: 7 }],
    ["engine", { engine: "/relative/without/a/page" }],
    ["engine", { engine: "ftp://engine.test" }],
    ["engine", { engine: "https://user:secret@engine.test" }],
    ["engine", { engine: "https://engine.test/?a=1" }],
    ["engine", { engine: "https://engine.test/#x" }],
    ["agent", { agent: "" }],
    ["agent", { agent: undefined }],
    ["token", { token: "a-token" }],
    ["fetch", { fetch: {} }],
    ["onApproval", { onApproval: true }],
    ["now", { now: 5 }],
    ["session", { session: "" }],
    ["session", { session: 12 }],
    ["numbers", { numbers: "big" }],
    ["tools", { tools: {} }],
    ["tools[0]", { tools: [{ name: "a", execute() {} }] }],
    ["tuning", { tuning: null }],
    ["tuning.idleTimeout", { tuning: { idleTimeout: -1 } }],
    ["tuning.maxRunning", { tuning: { maxRunning: 1.5 } }],
    ["tuning.speed", { tuning: { speed: 1 } }],
    ["agnet", { agnet: "shop" }],
    ["transport", { transport: "websocket" }],
    ["artifactsSchema", { artifactsSchema: "object" }],
    ["finalizeArtifacts", { finalizeArtifacts: {} }],
    ["engine", { transport: "trigger", engine: "https://engine.test/#x" }],
  ])("names %s", async (name, options) => {
    const error = await refused({ ...good, ...options });
    expect(error.code).toBe("invalid-options");
    expect(error.message.startsWith(`${name} `)).toBe(true);
  });

  it("refuses nothing at all", async () => {
    expect(await refused(undefined)).toMatchObject({ code: "invalid-options" });
    expect(await refused(null)).toMatchObject({ code: "invalid-options" });
  });

  it("offers the nearest known name", async () => {
    expect((await refused({ ...good, agnet: "shop" })).message).toContain('did you mean "agent"?');
    expect((await refused({ ...good, tuning: { maxrunning: 1 } })).message).toContain('did you mean "maxRunning"?');
  });

  it("takes one endpoint's address with a query, for the trigger transport", async () => {
    const urls: URL[] = [];
    const runtime = await createRuntime({
      ...good,
      engine: "https://engine.test/triggers/?room=7",
      transport: "trigger",
      fetch: async (request) => {
        urls.push(new URL(request.url));
        return new Response(null, { status: 403 });
      },
    });
    runtime.attach();
    await expect.poll(() => urls.length).toBe(1);
    expect([urls[0]?.pathname, urls[0]?.searchParams.get("room")]).toEqual(["/triggers/", "7"]);
    await runtime.close();
  });

  it("quotes no value that may be a secret", async () => {
    const error = await refused({ ...good, engine: "https://user:secret@engine.test", token: "abc-secret" });
    expect(error.message).not.toContain("secret");
  });

  it("takes an address with a path, with or without a slash at its end", async () => {
    for (const engine of ["https://engine.test/base/", new URL("https://engine.test/base")]) {
      const urls: string[] = [];
      const runtime = await createRuntime({
        ...good,
        engine,
        fetch: async (request) => {
          urls.push(request.url);
          return new Response(null, { status: 403 });
        },
      });
      runtime.attach();
      await expect.poll(() => urls.length).toBe(1);
      expect(urls[0]).toBe(`https://engine.test/base/api/client/sessions/${runtime.sessionId}/events/stream?after_seq=0`);
      await runtime.close();
    }
  });
});
