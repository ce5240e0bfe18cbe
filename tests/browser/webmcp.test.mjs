/**
 * WebMCP in a Chromium that has it: tools offered to an agent outside of the page, and other scripts' tools adopted.
 * What the browser cannot be made to do is in `tests/facade/webmcp.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dialogPart } from "./helpers.mjs";
import { agentOf, startStage } from "./webmcp/stage.mjs";

let stage;
before(async () => {
  stage = await startStage();
});
after(() => stage?.close());

const warnings = (page) => page.evaluate(() => globalThis.warnings);
const reports = (page) => page.evaluate(() => globalThis.reports);

/** Waits until something is so. */
async function until(check, what) {
  for (let left = 300; left > 0; left -= 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail(`never: ${what}`);
}

/** A page whose runtime offers what `tools` makes, an agent outside of it, and a check of both at the end. */
async function offered(tools, body) {
  const page = await stage.open({ body });
  const agent = await agentOf(page);
  await page.evaluate(`(async () => { await make((${tools})()); globalThis.link = exposeToBrowser(runtime); await link.ready; })()`);
  return { page, agent };
}

async function clean(page) {
  assert.deepEqual(page.trouble, []);
  await page.context().close();
}

test("an agent outside sees the tools with their schemas and hints, and calls them with arguments that are checked", async () => {
  const { page, agent } = await offered(() => [
    globalThis.tool({
      name: "add",
      description: "Adds.",
      annotations: { readOnly: true },
      input: { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } }, required: ["a", "b"], additionalProperties: false },
      execute: ({ a, b }) => ({ sum: a + b }),
    }),
    globalThis.tool({ name: "wipe", description: "Wipes.", annotations: { destructive: true, untrusted: true }, execute: () => 1 }),
  ]);
  await until(() => agent.tools.size === 2, "two tools");
  assert.equal(agent.tools.get("add").description, "Adds.");
  assert.deepEqual(agent.tools.get("add").inputSchema.required, ["a", "b"]);
  const listed = await page.evaluate(async () => (await document.modelContext.getTools()).map(({ name, annotations }) => [name, { ...annotations, read: annotations.readOnlyHint, consequential: annotations.consequentialHint, untrusted: annotations.untrustedContentHint }]));
  const hints = Object.fromEntries(listed.map(([name, { read, consequential, untrusted }]) => [name, [read, consequential, untrusted]]));
  assert.deepEqual(hints, { add: [true, false, false], wipe: [false, true, true] });
  assert.deepEqual(await agent.call("add", { a: 2, b: 3 }), { sum: 5 });
  const { error } = await agent.call("add", { a: "two" });
  assert.equal(error.code, "SCHEMA_VALIDATION_FAILED");
  assert.match(error.message, /\/a: expected integer/);
  const told = (await reports(page)).map(({ name, status, code }) => [name, status, code]);
  assert.deepEqual(told, [["add", "completed", undefined], ["add", "failed", "SCHEMA_VALIDATION_FAILED"]]);
  await clean(page);
});

test("a call that must be asked about shows the dialog; a no is something the agent reads, a yes runs it", async () => {
  const { page, agent } = await offered(() => [
    globalThis.tool({ name: "order", description: "Orders.", annotations: { destructive: true }, execute: ({ what }) => ((globalThis.ordered = what), "ordered") }),
  ]);
  const no = await agent.begin("order", { what: "tea" });
  await dialogPart(page, "dialog").waitFor();
  assert.match(await dialogPart(page, "dialog").textContent(), /tea/);
  await dialogPart(page, "cancel").click();
  const declined = await no.ended;
  assert.equal(declined.status, "Completed");
  assert.equal(declined.output.error.code, "declined");
  assert.equal(await page.evaluate(() => globalThis.ordered), undefined);
  const yes = await agent.begin("order", { what: "coffee" });
  await dialogPart(page, "submit").click();
  assert.equal((await yes.ended).output, "ordered");
  assert.equal(await page.evaluate(() => globalThis.ordered), "coffee");
  await clean(page);
});

test("results of every kind reach the agent as texts, and a Symbol does not take the page with it", async () => {
  const { page, agent } = await offered(() =>
    Object.entries({
      bigint: () => ({ n: 12345678901234567890n }),
      nothing: () => undefined,
      empty: () => "",
      map: () => new Map([["a", 1]]),
      symbol: () => Symbol("s"),
      cycle: () => { const a = {}; a.a = a; return a; },
      throws: () => { throw new Error("no stock left"); },
      image: () => new ImageData(1, 1),
    }).map(([name, execute]) => globalThis.tool({ name, description: name, execute })),
  );
  assert.deepEqual(await agent.call("nothing"), null);
  assert.equal(await agent.call("empty"), "");
  assert.deepEqual(await agent.call("map"), [["a", 1]]);
  assert.deepEqual(await agent.call("bigint"), { n: 12345678901234567000 });
  const digits = await page.evaluate(async () => document.modelContext.executeTool((await document.modelContext.getTools()).find(({ name }) => name === "bigint"), {}));
  assert.equal(digits, '{"n":12345678901234567890}');
  for (const [name, code, words] of [["symbol", "unserialisable-result", /symbol/], ["cycle", "unserialisable-result", /contains itself/], ["throws", "TOOL_EXEC_FAILED", /no stock left/]]) {
    const { error } = await agent.call(name);
    assert.equal(error.code, code);
    assert.match(error.message, words);
  }
  const { content } = await agent.call("image");
  assert.deepEqual(content.map(({ type, mimeType }) => [type, mimeType]), [["text", undefined], ["image", "image/png"]]);
  assert.equal(await page.evaluate(() => 1 + 1), 2);
  await clean(page);
});

test("an agent that calls it off stops the handler and takes the question away", async () => {
  const { page, agent } = await offered(() => [
    globalThis.tool({ name: "hang", description: "Hangs.", execute: (_input, { signal }) => new Promise(() => { globalThis.hanging = signal; }) }),
    globalThis.tool({ name: "ask", description: "Asks.", approve: "always", execute: () => 1 }),
  ]);
  const hanging = await agent.begin("hang");
  await page.waitForFunction(() => globalThis.hanging);
  await hanging.cancel();
  assert.equal((await hanging.ended).status, "Canceled");
  await page.waitForFunction(() => globalThis.hanging.aborted);
  const asking = await agent.begin("ask");
  await dialogPart(page, "dialog").waitFor();
  await asking.cancel();
  await dialogPart(page, "dialog").waitFor({ state: "detached" });
  await until(async () => (await reports(page)).length === 2, "both calls have ended");
  assert.deepEqual((await reports(page)).map(({ name, status }) => [name, status]), [["hang", "failed"], ["ask", "failed"]]);
  await clean(page);
});

test("tools that go from the runtime go from the browser, and with the runtime all of them", async () => {
  const { page, agent } = await offered(() => [globalThis.tool({ name: "stays", description: "S.", execute: () => 1 })]);
  await page.evaluate(() => void (globalThis.release = globalThis.runtime.register(globalThis.tool({ name: "goes", description: "G.", execute: () => 2 }))));
  await until(() => agent.tools.has("goes"), "the tool is offered");
  assert.equal(await agent.call("goes"), 2);
  await page.evaluate(() => globalThis.release());
  await until(() => !agent.tools.has("goes"), "the tool is withdrawn");
  assert.deepEqual([...agent.tools.keys()], ["stays"]);
  await page.evaluate(() => globalThis.runtime.close());
  await until(() => agent.tools.size === 0, "all are withdrawn");
  assert.deepEqual(await page.evaluate(async () => (await document.modelContext.getTools()).length), 0);
  await clean(page);
});

test("names, descriptions and duplicates that the browser refuses are warnings, and the other tools are offered", async () => {
  const { page, agent } = await offered(() => {
    void document.modelContext.registerTool({ name: "taken", description: "Theirs.", execute: () => "theirs" });
    return [
      globalThis.tool({ name: "a:b", description: "A.", execute: () => 1 }),
      globalThis.tool({ name: "bare", execute: () => 1 }),
      globalThis.tool({ name: "taken", description: "T.", execute: () => 1 }),
      globalThis.tool({ name: "fine", description: "F.", execute: () => "fine" }),
    ];
  });
  const said = await warnings(page);
  assert.equal(said.length, 3, said.join("\n"));
  assert.match(said.find((one) => one.includes('"a:b"')), /^invalid-tool: .* letters, digits/);
  assert.match(said.find((one) => one.includes('"bare"')), /^invalid-tool: .* description/);
  assert.match(said.find((one) => one.includes('"taken"')), /^duplicate-tool: .* another script/);
  assert.equal(await agent.call("taken"), "theirs");
  assert.equal(await agent.call("fine"), "fine");
  await clean(page);
});

test("other scripts' tools are the runtime's while they are registered, are checked by it, and are never offered back", async () => {
  const { page, agent } = await offered(() => [globalThis.tool({ name: "ours", description: "O.", execute: () => 1 })]);
  await page.evaluate(async () => {
    globalThis.gone = new AbortController();
    const inputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    await document.modelContext.registerTool({ name: "theirs", description: "Theirs.", inputSchema, annotations: { readOnlyHint: true }, execute: async ({ n }, { signal }) => (n < 0 ? new Promise(() => { globalThis.theirSignal = signal; }) : n === 0 ? Promise.reject(new Error("lost")) : { twice: 2 * n }) }, { signal: globalThis.gone.signal });
    await globalThis.adoptFromBrowser(globalThis.runtime, { prefix: "page_" }).ready;
  });
  const invoke = (input) => page.evaluate(async (given) => {
    const { data, error } = await globalThis.runtime.invoke("page_theirs", given);
    return error ? { code: error.code, message: error.message } : data;
  }, input);
  const names = () => page.evaluate(() => globalThis.runtime.declarations().map(({ name }) => name));
  assert.deepEqual(await names(), ["ours", "page_theirs"]);
  assert.deepEqual(await invoke({ n: 4 }), { twice: 8 });
  assert.equal((await invoke({ n: "x" })).code, "SCHEMA_VALIDATION_FAILED");
  assert.match((await invoke({ n: 0 })).message, /the browser does not say why/);
  assert.deepEqual([...agent.tools.keys()].sort(), ["ours", "theirs"]);
  const called = invoke({ n: -1 });
  await page.waitForFunction(() => globalThis.theirSignal);
  await page.evaluate(() => globalThis.gone.abort());
  await until(async () => (await names()).length === 1, "the tool is gone");
  assert.equal((await called).code, "cancelled");
  assert.equal(await page.evaluate(() => globalThis.theirSignal.aborted), true);
  const odd = (await warnings(page)).filter((one) => !one.includes("answered after its call had ended"));
  assert.deepEqual(odd, []);
  // The browser tells the developer what it keeps from the caller.
  page.trouble = page.trouble.filter((one) => !/^console: WebMCP tool execution failed: .*lost/.test(one));
  await clean(page);
});

test("the page tools work for an agent outside: a click on a link is answered, then the page goes", async () => {
  const page = await stage.open({ body: '<a href="?next">Go on</a>' });
  const agent = await agentOf(page);
  await page.evaluate(async () => {
    const { pageTools } = await import("/pkg/page.js");
    await globalThis.make(await pageTools({ approve: "never" }));
    await globalThis.exposeToBrowser(globalThis.runtime).ready;
  });
  await until(() => agent.tools.size === 14, "every page tool is offered");
  const hints = await page.evaluate(async () => (await document.modelContext.getTools()).map(({ annotations }) => annotations.untrustedContentHint));
  assert.deepEqual(hints, hints.map(() => true), "what they give is the page's");
  const outline = await agent.call("read_page");
  const [, ref] = /^(\w+) link "Go on"$/m.exec(outline);
  assert.match((await agent.call("click", { ref })).note, /the page goes to/);
  await page.waitForURL(/\?next$/);
  await page.waitForFunction(() => globalThis.ready);
  assert.equal(await page.evaluate(async () => (await document.modelContext.getTools()).length), 0);
  assert.deepEqual(page.trouble, []);
  await clean(page);
});

test("a form that is a tool can be adopted: its fields are filled, and the person submits it", async () => {
  const body = '<form toolname="subscribe" tooldescription="Subscribes."><input name="mail" toolparamdescription="The address"><button>Go</button></form>';
  const page = await stage.open({ body });
  await page.evaluate(async () => {
    await globalThis.make();
    document.forms[0].addEventListener("submit", (event) => {
      event.preventDefault();
      event.respondWith(Promise.resolve(`subscribed ${event.target.mail.value}`));
    });
    await globalThis.adoptFromBrowser(globalThis.runtime).ready;
  });
  const called = page.evaluate(async () => {
    const { data, error } = await globalThis.runtime.invoke("subscribe", { mail: "a@example.com" });
    return data ?? error.message;
  });
  await page.waitForFunction(() => document.forms[0].mail.value === "a@example.com");
  await page.locator("button").click();
  assert.equal(await called, "subscribed a@example.com");
  await clean(page);
});

for (const [what, headers, advice] of [
  ["an origin that shares its process", { "origin-agent-cluster": "?0" }, /`Origin-Agent-Cluster: \?1`/],
  ["a permissions policy", { "permissions-policy": "tools=()" }, /`Permissions-Policy: tools=\(self\)`/],
]) {
  test(`says which header to send where the browser refuses ${what}, and throws nothing`, async () => {
    const page = await stage.open({ headers });
    await page.evaluate(async () => {
      await globalThis.make([1, 2].map((n) => globalThis.tool({ name: `t${n}`, description: "T.", execute: () => n })));
      await globalThis.exposeToBrowser(globalThis.runtime).ready;
    });
    const said = await warnings(page);
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0], /^unsupported-environment: /);
    assert.match(said[0], advice);
    await page.evaluate(() => globalThis.adoptFromBrowser(globalThis.runtime).ready);
    assert.match((await warnings(page))[1], advice);
    await clean(page);
  });
}

test("says so where the browser has no WebMCP, and throws nothing", async () => {
  const without = await startStage({ webmcp: false });
  try {
    const page = await without.open();
    await page.evaluate(async () => {
      await globalThis.make([globalThis.tool({ name: "t", description: "T.", execute: () => 1 })]);
      await globalThis.exposeToBrowser(globalThis.runtime).ready;
    });
    const said = await warnings(page);
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0], /^unsupported-environment: this browser has no document\.modelContext/);
    await clean(page);
  } finally {
    await without.close();
  }
});
