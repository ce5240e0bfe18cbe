/** The demo's server as a program: its address, its arguments, its end, and the conversation it drives by itself. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { driveOnce } from "../../scripts/once.mjs";
import { startDemo } from "../../www/server.mjs";

const server = fileURLToPath(new URL("../../www/server.mjs", import.meta.url));

/** Runs the server with arguments; resolves to what it printed and its exit code. */
async function run(args, { until } = {}) {
  const { ANTHROPIC_API_KEY: _one, OPENAI_API_KEY: _other, ...env } = process.env;
  const child = spawn(process.execPath, [server, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let interrupted = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      text += chunk;
      if (interrupted || !until?.test(text)) return;
      interrupted = true;
      child.kill("SIGINT");
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), 90_000);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { text, code };
}

test("it prints its address and ends in good order on an interrupt", async () => {
  const { text, code } = await run(["--port", "0"], { until: /Ctrl\+C/ });
  assert.match(text, /http:\/\/127\.0\.0\.1:\d+\//);
  assert.equal(code, 0);
});

test("wrong arguments and a taken port are told, not thrown", async () => {
  assert.match((await run(["--port", "many"])).text, /--port must be a number/);
  assert.match((await run(["--tea"])).text, /Usage: npm start/);
  const demo = await startDemo();
  const { text, code } = await run(["--port", new URL(demo.url).port]);
  await demo.close();
  assert.equal(code, 1);
  assert.match(text, /choose another with --port/);
  assert.doesNotMatch(text, /\n\s+at /, "no stack for a person");
});

test("--once prints every call with arguments, verdict, answer and record, and exits 0", async () => {
  const { text, code } = await run(["--once"]);
  assert.equal(code, 0, text);
  const calls = text.split("\n").filter((line) => line.startsWith("  ✓ "));
  assert.deepEqual(
    calls.map((line) => line.split(/\s+/)[2]),
    ["read_cart", "add_to_cart", "get_location", "get_delivery_options", "fill_address", "fill_address", "fill_address",
      "read_page", "fill", "fill", "fill", "fill", "select", "check", "find", "highlight", "click", "read_cart",
      "apply_coupon", "apply_coupon", "add_gift_note", "post_review", "get_screen", "get_locale", "read_cart", "confirm_order"],
  );
  for (const field of ["arguments", "classification", "answer", "recorded"]) {
    assert.equal(text.split("\n").filter((line) => line.startsWith(`    ${field} `)).length, calls.length, field);
  }
  assert.match(text, /classification +invalid; .*postal_code/);
  assert.match(text, /TOOL_EXEC_FAILED: "SUMMER25"/);
  assert.equal(text.match(/consent +user: yes/g).length, 3, "a click, a review and an order are asked about");
  assert.match(text, /26 calls, each settled exactly once\./);
});

test("--once exits 1 when the engine never gets an answer, and shows the call that is open", async (context) => {
  const printed = [];
  context.mock.method(console, "log", (line) => printed.push(line));
  let posts = 0;
  const intercept = (request, response) => {
    if (request.method !== "POST" || !request.url.startsWith("/api/client/") || (posts += 1) < 2) return false;
    response.writeHead(403, { "content-type": "application/json" });
    response.end("{\"error\":\"session access denied\"}");
    return true;
  };
  const code = await driveOnce(() => startDemo({ intercept }), { turnMs: 4_000 });
  assert.equal(code, 1);
  assert.match(printed.join("\n"), /✗ read_cart .*\n[^]*settled 0 times/);
});
