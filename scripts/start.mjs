/**
 * `npm start`: set-up, build, then the demo server; `npm start -- --once` needs a browser too and ends by itself.
 * All arguments go to the server, whose exit code is ours. It never runs the server from a stale build.
 */
import { spawn } from "node:child_process";
import { build } from "./build.mjs";
import { at, root } from "./lib/paths.mjs";
import { main } from "./lib/step.mjs";
import { chromePath } from "./setup/browser.mjs";
import { setup } from "./setup.mjs";

const args = process.argv.slice(2);

await main(async () => {
  const once = args.includes("--once");
  await setup(once ? ["build", "browser"] : ["build"]);
  await build();
  const env = { ...process.env, ...(once ? { CHROME: chromePath() } : {}) };
  const server = spawn(process.execPath, [at("www", "server.mjs"), ...args], { cwd: root, stdio: "inherit", env });
  // The terminal sends its interrupt to the server as well: wait for it to end by itself.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  process.exitCode = await new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("close", (code, signal) => resolve(signal === "SIGINT" ? 130 : (code ?? 1)));
  });
});
