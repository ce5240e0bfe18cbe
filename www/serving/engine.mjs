/**
 * The bundled engine of the demo: set up, with tokens minted here.
 * The API key and the signing secret are made at start and never leave this process.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createTestEngine } from "../../pkg/testing.js";
import { modelHost } from "./model.mjs";

const script = new URL("../script.json", import.meta.url);
const secret = () => randomBytes(24).toString("hex");
const tokenSeconds = 600;

/** Starts an engine; with a model it answers, else the script does. `config` is for tests. */
export async function startEngine(model, config = {}) {
  const answering = model ? { model: modelHost(model) } : { script: JSON.parse(await readFile(script, "utf8")) };
  const agent = { stream: true };
  const engine = await createTestEngine({ apiKey: secret(), jwtSecret: secret(), deltaIntervalMs: 14, agent, ...answering, ...config });

  /** A token for one visitor, and when it ends in seconds since the epoch. */
  async function mint(visitor) {
    const token = await engine.token(visitor, tokenSeconds);
    return { token, expires_at: Math.floor(Date.now() / 1000) + tokenSeconds };
  }
  return { engine, mint };
}
