/**
 * What the model adapters share: posting with time limits, one retry on 429, and reading a provider's SSE answer.
 * It knows no provider's format. It may assume Node's `fetch`; it must never put a key into a message.
 */

/** A model request that failed; `code` and `retryable` are what the engine records. */
export class ModelError extends Error {
  constructor(message, { code = "provider_error", retryable = false, cause } = {}) {
    super(message, { cause });
    this.name = "ModelError";
    this.code = code;
    this.retryable = retryable;
  }

  /** The form the engine takes. */
  failure() {
    return { message: this.message, code: this.code, retryable: this.retryable };
  }
}

const longestWaitMs = 20_000;
const longestMessage = 300;
const longestEvent = 4 * 1024 * 1024;

/** A signal that aborts after a silence; `touch` starts the silence anew. */
function silence(limitMs) {
  const controller = new AbortController();
  let timer;
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), limitMs);
  };
  touch();
  return { signal: controller.signal, touch, stop: () => clearTimeout(timer) };
}

/** Milliseconds to wait as a `Retry-After` header says: seconds or a date; null when it says nothing usable. */
export function retryAfterMs(header, now = Date.now()) {
  if (!header) return null;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : null;
}

/** The provider's own words in an error body, whatever its shape. */
function wordsOf(text) {
  try {
    const { error } = JSON.parse(text);
    const words = typeof error === "string" ? error : error?.message;
    if (typeof words === "string" && words) return words.slice(0, longestMessage);
  } catch {
    // Not JSON: a proxy's page, most likely, whose text helps nobody.
  }
  return "";
}

const advice = {
  401: "check the API key",
  403: "the key may not use this model",
  404: "check the model's name and the base URL",
  429: "too many requests: wait a little",
};

function refused(provider, status, text) {
  const parts = [`${provider} answered ${status}`, wordsOf(text), advice[status]].filter(Boolean);
  const code = status === 429 ? "rate_limited" : "provider_error";
  return new ModelError(parts.join(": "), { code, retryable: status >= 500 });
}

const delay = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });

async function post(options, signal, touch) {
  const { provider, url, headers, body, waitMs = 1_000 } = options;
  const request = { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body), signal };
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(url, request);
    touch();
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    const wait = retryAfterMs(response.headers.get("retry-after")) ?? waitMs;
    if (response.status !== 429 || attempt > 0 || wait > longestWaitMs) throw refused(provider, response.status, text);
    touch(wait);
    await delay(wait, signal);
    touch();
  }
}

/** The `data` of each event of an SSE body, in order. */
async function* eventsOf(body, touch) {
  const decoder = new TextDecoder();
  let rest = "";
  let data = [];
  for await (const chunk of body) {
    touch();
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > longestEvent) throw new ModelError("an event of the model's answer is too large");
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      else if (line === "" && data.length) {
        yield data.join("\n");
        data = [];
      }
    }
  }
}

/**
 * Posts a request and hands each event's data to `take`, until it returns true or the answer ends.
 * Resolves to whether `take` said that the answer is whole; rejects with a `ModelError` only.
 */
export async function converse(options, take) {
  const { provider, silenceMs = 60_000, totalMs = 300_000, signal: outer } = options;
  const quiet = silence(silenceMs);
  const total = AbortSignal.timeout(totalMs);
  const signal = AbortSignal.any([quiet.signal, total, ...(outer ? [outer] : [])]);
  try {
    const touch = (extra = 0) => (extra ? quiet.stop() : quiet.touch());
    const response = await post(options, signal, touch);
    const type = response.headers.get("content-type") ?? "";
    if (!type.includes("text/event-stream")) throw new ModelError(`${provider} answered ${type || "an unnamed type"} instead of a stream: check the base URL`);
    for await (const data of eventsOf(response.body, touch)) if (take(data) === true) return true;
    return false;
  } catch (error) {
    if (error instanceof ModelError) throw error;
    if (outer?.aborted) throw new ModelError("the request was given up", { code: "cancelled", cause: error });
    if (quiet.signal.aborted) throw new ModelError(`${provider} said nothing for ${silenceMs / 1000} s`, { code: "deadline_exceeded", retryable: true, cause: error });
    if (total.aborted) throw new ModelError(`${provider} did not finish within ${totalMs / 1000} s`, { code: "deadline_exceeded", cause: error });
    const why = error?.cause?.code ?? error?.message ?? "the connection failed";
    throw new ModelError(`${provider} could not be reached, or broke off (${why})`, { retryable: true, cause: error });
  } finally {
    quiet.stop();
  }
}

/** An event's data as an object; a broken one ends the request, because a part of the answer would be missing. */
export function parsed(provider, data) {
  try {
    const value = JSON.parse(data);
    if (value && typeof value === "object") return value;
  } catch {
    // Told below.
  }
  throw new ModelError(`${provider} sent an event that is not JSON`, { retryable: true });
}

/** A message's content as text: a string, or the text parts joined. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (part?.type === "text" ? part.text : `[${part?.type ?? "part"}]`)).join("\n");
}
