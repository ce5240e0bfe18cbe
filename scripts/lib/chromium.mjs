/**
 * Starts a headless Chromium for whoever drives a page: with a profile folder of its own, removed at the end,
 * and without its background traffic, which a closed network would have to refuse at every start.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chromePath } from "../setup/browser.mjs";
import { Failure } from "./run.mjs";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser context with the given options; `close` ends the browser and removes its profile. */
export async function startChromium(options = {}) {
  const executablePath = chromePath();
  if (!executablePath) throw new Failure("no Chromium was found", "install Debian's `chromium`, or set CHROME to its path");
  const profile = mkdtempSync(join(tmpdir(), "pagehand-chromium-"));
  const remove = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  try {
    const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: flags, timeout: 60_000, ...options });
    const close = async () => {
      await context.close();
      remove();
    };
    return { context, close };
  } catch (error) {
    remove();
    throw error;
  }
}
