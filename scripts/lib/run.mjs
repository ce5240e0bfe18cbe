/**
 * Starts other programs: quietly, for their output, or as a long job that shows it is alive.
 * A job's whole output goes to a log file; on failure its end is in the error, with the log's path.
 * It never decides what to run, and never swallows an exit code.
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join, relative } from "node:path";
import { logsDir, root } from "./paths.mjs";
import { alive } from "./alive.mjs";

const tailLines = 40;
const keptOutput = 8 * 1024 * 1024;
const colours = /\u001b\[[0-9;?]*[A-Za-z]/g;

/** A failure a person can act on: the message, and what to do about it. */
export class Failure extends Error {
  constructor(message, advice = "") {
    super(message);
    this.advice = advice;
  }
}

/** Runs a short command and returns its trimmed stdout, or null when it is missing or fails. */
export function ask(command, args = [], options = {}) {
  const result = spawnSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], cwd: root, ...options });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** The full path of a program on PATH, or null. */
export const which = (name) => ask("sh", ["-c", 'command -v -- "$0"', name]) || null;

/**
 * Runs a long command. Resolves to its output (stdout and stderr in order of arrival).
 * `echo` streams every line; otherwise a live line, under `label`, says how it goes.
 */
export async function job(command, args, { log, label = "", echo = false, env = {}, cwd = root, advice = "", timeoutMs } = {}) {
  mkdirSync(logsDir, { recursive: true });
  const logPath = join(logsDir, `${log ?? command.replace(/\W+/g, "-")}.log`);
  const file = openSync(logPath, "w");
  const merged = { ...process.env, ...env };
  for (const [key, value] of Object.entries(env)) if (value === undefined) delete merged[key];
  const child = spawn(command, args, { cwd, env: merged, stdio: ["ignore", "pipe", "pipe"] });
  const ticker = echo ? null : alive(label);
  let output = "";
  let partial = "";
  const take = (chunk) => {
    writeSync(file, chunk);
    if (echo) process.stdout.write(chunk);
    const text = chunk.toString("utf8");
    output = (output + text).slice(-keptOutput);
    partial = (partial + text).slice(-4096);
    const lines = partial.split(/[\r\n]+/);
    partial = lines.pop() ?? "";
    const last = lines.filter((line) => line.trim()).pop();
    if (last) ticker?.say(last.replace(colours, "").trim());
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  let late = false;
  const timer = timeoutMs && setTimeout(() => ((late = true), child.kill("SIGTERM")), timeoutMs);
  const status = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  clearTimeout(timer);
  ticker?.stop();
  closeSync(file);
  output = output.replace(colours, "");
  if (status === 0) return output;
  const why = late ? `gave no end within ${timeoutMs / 1000} s` : `ended with ${status}`;
  const tail = echo ? "" : `\n${output.trimEnd().split("\n").slice(-tailLines).join("\n")}`;
  const failure = new Failure(`\`${[command, ...args].join(" ")}\` ${why}${tail}\n(all of it: ${relative(root, logPath)})`, advice);
  failure.output = output;
  throw failure;
}
