/** A real model's adapter behind the engine, with a local provider in the model's place: the page cannot tell. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { modelFrom } from "../../www/models/choose.mjs";
import { provider, stream } from "../models/provider.mjs";
import { assertSettledOnce, booksOf, heard, lastWords, listen, openShop, startBrowser, turnEnded, withDemo } from "./helpers.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const piece = (delta, finish = null) => ({ choices: [{ index: 0, delta, finish_reason: finish }] });
const call = (index, name, text) => piece({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: text } }] });
const answer = (...events) => ({ chunks: events.map((event) => stream([event])).concat(stream(["[DONE]"])) });

/** Opens a shop whose model is a local provider that gives these answers. */
async function withModel(answers, work) {
  const server = await provider(answers);
  const model = modelFrom({ OPENAI_API_KEY: "key-1", OPENAI_BASE_URL: `${server.url}/v1` });
  try {
    await withDemo({ model }, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      await work(page, demo, server);
      await page.end();
    });
  } finally {
    await server.close();
  }
}

async function write(page, words) {
  await page.locator("#composer-text").fill(words);
  await page.keyboard.press("Enter");
}

test("a model's parallel calls run in the page, and its text is streamed", async () => {
  const answers = [
    answer(piece({ content: "One " }), piece({ content: "moment." }), call(0, "read_cart", ""), call(1, "add_to_cart", "{\"sku\": \"night-ferry\", \"quantity\": 1}"), piece({}, "tool_calls")),
    answer(piece({ content: "All " }), piece({ content: "done." }), piece({}, "stop")),
  ];
  await withModel(answers, async (page, demo, server) => {
    assert.match(await page.locator("#assistant-model").textContent(), /^OpenAI/);
    await listen(page, ["text", "call"]);
    await write(page, "One night ferry, please");
    await turnEnded(page);
    assert.equal(await lastWords(page), "All done.");
    assert.equal(await page.locator("#basket-count").textContent(), "2");
    const events = await heard(page);
    assert.deepEqual(events.filter((event) => event.type === "text").map((event) => event.delta), ["One ", "moment.", "All ", "done."]);
    const arrived = events.filter((event) => event.type === "call" && event.state === "received");
    assert.deepEqual(arrived.map((event) => event.arguments), ["", "{\"sku\": \"night-ferry\", \"quantity\": 1}"], "arguments arrive as the model wrote them");
    const [, second] = server.requests;
    assert.deepEqual(second.body.messages.slice(-2).map((message) => message.role), ["tool", "tool"]);
    assertSettledOnce(await booksOf(page, demo));
  });
});

test("a model that fails is a failed turn with its words, and the next message works", async () => {
  const answers = [
    { status: 400, headers: { "content-type": "application/json" }, chunks: [JSON.stringify({ error: { message: "context is too long" } })] },
    answer(piece({ content: "Back again." }), piece({}, "stop")),
  ];
  await withModel(answers, async (page) => {
    await write(page, "Hello");
    await turnEnded(page, "failed");
    assert.match(await page.locator(".bubble.failed").textContent(), /OpenAI answered 400: context is too long/);
    await write(page, "Hello?");
    await turnEnded(page);
    assert.equal(await lastWords(page), "Back again.");
  });
});
