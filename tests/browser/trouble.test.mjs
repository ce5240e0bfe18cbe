/** What goes wrong around a page: policies, broken frames, engines that are away, tokens that expired. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { policy } from "../../www/serving/files.mjs";
import { assertSettledOnce, booksOf, heard, lastWords, listen, openShop, picture, say, startBrowser, withDemo } from "./helpers.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.close());

const isStream = (request) => request.url.includes("/events/stream");

function refuse(response, status, type, body) {
  response.writeHead(status, { "content-type": type });
  response.end(body);
  return true;
}

test("a policy without 'wasm-unsafe-eval' gives wasm-blocked, and the message names the directive", async () => {
  const headers = { "content-security-policy": policy.replace(" 'wasm-unsafe-eval'", "") };
  await withDemo({ headers }, async (demo) => {
    const page = await browser.page();
    await page.goto(demo.url);
    await page.locator("[data-ready=failed]").waitFor();
    assert.equal(await page.evaluate(() => document.body.dataset.code), "wasm-blocked");
    assert.match(await page.locator(".bubble.failed").textContent(), /script-src[^.]*'wasm-unsafe-eval'/);
    await page.end();
  });
});

test("a frame of broken JSON is one warning, and the conversation goes on", async () => {
  const faults = [{ kind: "garbleFrame", event: "llm.token.delta", times: 1 }];
  await withDemo({ config: { faults } }, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    await listen(page, ["warning"]);
    await say(page, "What is in my basket?");
    assert.equal(await lastWords(page), "I count 1 in your basket, €17.40 with delivery.");
    const warnings = await heard(page);
    assert.deepEqual(warnings.map((warning) => [warning.code, warning.count]), [["frame-invalid", 1]]);
    assertSettledOnce(await booksOf(page, demo));
    await page.end();
  });
});

test("an engine that is away is a connection event with a hint, and all is well when it comes up", async () => {
  let away = true;
  const intercept = (request, response) => {
    if (!away || !request.url.startsWith("/api/")) return false;
    response.destroy();
    return true;
  };
  await withDemo({ intercept }, async (demo) => {
    const page = await browser.page();
    await page.goto(demo.url);
    const pill = page.locator("#connection[data-state=waiting]");
    await pill.waitFor();
    assert.match(await pill.getAttribute("title"), /^stream-network: .{10,}/);
    await picture(page, "1280-light-6-away");
    away = false;
    await page.locator("#connection[data-state=open]").waitFor({ timeout: 30_000 });
    await say(page, "What is in my basket?");
    assertSettledOnce(await booksOf(page, demo));
    await page.end();
  });
});

test("a stream that breaks amid the conversation is resumed, and nothing runs twice", async () => {
  const faults = [{ kind: "cutStream", afterBytes: 4000 }, { kind: "cutStream", afterBytes: 4000 }];
  await withDemo({ config: { faults } }, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    await listen(page, ["connection", "agent.tool.called"]);
    await say(page, "Add two tins");
    await say(page, "What is in my basket?");
    assert.equal(await page.locator("#basket-count").textContent(), "3");
    const events = await heard(page);
    assert.ok(events.some((event) => event.type === "connection" && event.state === "waiting"), "the stream was never cut");
    assert.equal(events.filter((event) => event.type === "agent.tool.called").length, 2);
    assertSettledOnce(await booksOf(page, demo));
    await page.end();
  });
});

test("a page where the stream should be stops the connection, says why, and can be tried again", async () => {
  let wrong = true;
  const intercept = (request, response) => wrong && isStream(request) && refuse(response, 200, "text/html", "<p>Log in</p>");
  await withDemo({ intercept }, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    const pill = page.locator("#connection[data-state=stopped]");
    await pill.waitFor();
    assert.match(await pill.getAttribute("title"), /^stream-content-type: .*text\/html/);
    wrong = false;
    await page.locator("#retry").click();
    await page.locator("#connection[data-state=open]").waitFor();
    await say(page, "What is in my basket?");
    await page.end();
  });
});

test("an expired token is refreshed once, and nobody notices", async () => {
  let minted = 0;
  const intercept = (request, response) => {
    if (request.url !== "/demo/token") return false;
    minted += 1;
    const stale = JSON.stringify({ token: "stale", expires_at: Math.floor(Date.now() / 1000) + 900 });
    return minted === 1 && refuse(response, 200, "application/json", stale);
  };
  await withDemo({ intercept }, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    await page.locator("#connection[data-state=open]").waitFor();
    await say(page, "What is in my basket?");
    assert.equal(minted, 2);
    assertSettledOnce(await booksOf(page, demo));
    await page.end();
  });
});

test("a token that a fresh one does not mend stops the connection with status 401", async () => {
  const intercept = (request, response) => request.url === "/demo/token" && refuse(response, 200, "application/json", JSON.stringify({ token: "bad", expires_at: 9e9 }));
  await withDemo({ intercept }, async (demo) => {
    const page = await browser.page();
    await openShop(page, demo);
    const pill = page.locator("#connection[data-state=stopped]");
    await pill.waitFor();
    assert.match(await pill.getAttribute("title"), /^stream-refused: .*token/i);
    await page.end();
  });
});

test("an engine of another origin without CORS is a connection event whose hint speaks of CORS", async () => {
  const silent = (request, response) => request.url.startsWith("/api/") && refuse(response, 200, "text/event-stream", ": no header for other origins\n\n");
  await withDemo({ intercept: silent }, async (elsewhere) => {
    const headers = { "content-security-policy": `${policy}; connect-src 'self' ${elsewhere.url}` };
    await withDemo({ headers }, async (demo) => {
      const page = await browser.page();
      await openShop(page, demo);
      const event = await page.evaluate(async (engine) => {
        const { createRuntime } = await import("/pkg/index.js");
        const runtime = await createRuntime({ engine, agent: "tea-room", token: () => "t" });
        const failed = new Promise((resolve) => runtime.on("connection", (told) => told.code && resolve(told)));
        runtime.attach();
        const told = await failed;
        await runtime.close();
        return told;
      }, elsewhere.url);
      assert.equal(event.code, "stream-network");
      assert.match(event.hint, /CORS/);
      await page.end();
    });
  });
});

test("no key or secret is ever sent to the page", async () => {
  await withDemo({ config: { apiKey: "very-secret-key", jwtSecret: "very-secret-sign" } }, async (demo) => {
    const page = await browser.page();
    const bodies = [];
    page.on("response", (response) => {
      if (!isStream({ url: response.url() })) bodies.push(response.text().catch(() => ""));
    });
    await openShop(page, demo);
    await say(page, "What is in my basket?");
    const seen = (await Promise.all(bodies)).join("\n");
    assert.ok(seen.includes("expires_at"));
    assert.doesNotMatch(seen, /very-secret/);
    for (const path of ["server.mjs", "script.json", "models/choose.mjs", "../package.json", "%2e%2e/package.json", "pkg/../../package.json"]) {
      assert.equal((await fetch(new URL(path, demo.url))).status, 404, path);
    }
    assert.equal((await fetch(new URL("api/machine/client-tokens", demo.url), { method: "POST" })).status, 404);
    assert.equal((await fetch(new URL("demo/token", demo.url), { method: "POST", headers: { "sec-fetch-site": "cross-site" } })).status, 403);
    await page.end();
  });
});
