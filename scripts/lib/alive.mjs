/**
 * Shows that long steps are alive: one ticking line on a terminal, a line every 15 seconds elsewhere.
 * Several jobs may run at once; they share the line. It writes to stdout only and holds nothing but the jobs at work.
 */
const everyMs = 15_000;
const terminal = Boolean(process.stdout.isTTY) && !process.env.CI;
const working = new Set();
let timer;

/** Seconds since `start`, for people. */
export function elapsed(start) {
  const seconds = (Date.now() - start) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

const describe = ({ label, start, newest }) => `${elapsed(start)}  ${label ? `${label}: ` : ""}${newest}`;

function draw() {
  if (!terminal) {
    for (const one of working) console.log(`    … ${describe(one).slice(0, 150)}`);
    return;
  }
  const width = Math.max(20, (process.stdout.columns || 80) - 1);
  process.stdout.write(`\r\u001b[K${`    ${[...working].map(describe).join("  |  ")}`.slice(0, width)}`);
}

function tick() {
  clearInterval(timer);
  timer = working.size === 0 ? undefined : setInterval(draw, terminal ? 500 : everyMs);
}

/** Starts showing a job; `say` gives it the newest thing to show, `stop` ends it and clears the line. */
export function alive(label = "") {
  const one = { label, start: Date.now(), newest: "" };
  working.add(one);
  if (working.size === 1) tick();
  return {
    say(text) {
      one.newest = text;
    },
    stop() {
      working.delete(one);
      if (working.size === 0) tick();
      if (terminal) process.stdout.write("\r\u001b[K");
    },
  };
}
