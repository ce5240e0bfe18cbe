/**
 * The bundled engine behind Node's HTTP server: requests in, answers and streams out, tokens minted here.
 * The API key and the signing secret are made at start and never leave this process.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createTestEngine } from "../../pkg/testing.js";
import { modelHost } from "./model.mjs";

const script = new URL("../script.json", import.meta.url);
const secret = () => randomBytes(24).toString("hex");
const anywhere = "http://engine";
const tokenSeconds = 600;

/** Starts an engine; with a model it answers, else the script does. `config` is for tests. */
export async function startEngine(model, config = {}) {
  const apiKey = secret();
  const answering = model ? { model: modelHost(model) } : { script: JSON.parse(await readFile(script, "utf8")) };
  const engine = await createTestEngine({ apiKey, jwtSecret: secret(), deltaIntervalMs: 14, ...answering, ...config });

  /** A token for one visitor. */
  async function mint(visitor) {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ identity: { id: visitor }, ttl_seconds: tokenSeconds });
    const response = await engine.fetch(new Request(`${anywhere}/api/machine/client-tokens`, { method: "POST", headers, body }));
    if (!response.ok) throw new Error(`the engine minted no token (${response.status})`);
    return response.json();
  }

  /** Hands a request to the engine and its answer back, as it comes. */
  async function serve(request, response) {
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const { method, url } = request;
    const body = method === "GET" || method === "HEAD" ? undefined : Readable.toWeb(request);
    const headers = Object.entries(request.headers).flatMap(([name, value]) => (name === "host" || name === "connection" ? [] : [[name, String(value)]]));
    try {
      const answer = await engine.fetch(new Request(anywhere + url, { method, headers, body, duplex: "half", signal: gone.signal }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      if (!answer.body) return response.end();
      await pipeline(Readable.fromWeb(answer.body), response);
    } catch (error) {
      // The page went, or the engine broke the connection on purpose: either way the socket is all there is to close.
      response.destroy(gone.signal.aborted ? undefined : error);
    }
  }

  return { engine, mint, serve };
}
