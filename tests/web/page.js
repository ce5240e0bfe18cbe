/**
 * The JavaScript half of the driver's browser tests: hosts that behave in stated ways and note what they
 * were asked, guards for stray errors, and a count of armed timers.
 */

const sleep = (span) => new Promise((resolve) => realSetTimeout(resolve, span));
const realSetTimeout = globalThis.setTimeout.bind(globalThis);
const realClearTimeout = globalThis.clearTimeout.bind(globalThis);

/** Resolves after a while. */
export const wait = (span) => sleep(span);

/** Begins to note errors and rejections nobody handled; gives the list. */
export function watchStray() {
  const stray = [];
  const note = (event) => stray.push(String(event.reason ?? event.message));
  addEventListener("error", note);
  addEventListener("unhandledrejection", note);
  stray.stop = () => {
    removeEventListener("error", note);
    removeEventListener("unhandledrejection", note);
  };
  return stray;
}

export const strayCount = (stray) => {
  stray.stop();
  return stray.length;
};

/** Counts the timers that are armed, and the most that ever were at once. */
export function watchTimers() {
  const armed = new Set();
  const counts = { most: 0 };
  globalThis.setTimeout = (callback, span) => {
    const id = realSetTimeout(() => {
      armed.delete(id);
      callback();
    }, span);
    armed.add(id);
    counts.most = Math.max(counts.most, armed.size);
    return id;
  };
  globalThis.clearTimeout = (id) => {
    armed.delete(id);
    realClearTimeout(id);
  };
  counts.stop = () => {
    globalThis.setTimeout = realSetTimeout;
    globalThis.clearTimeout = realClearTimeout;
    return armed.size;
  };
  return counts;
}

export const mostTimers = (counts) => counts.most;
export const stopTimers = (counts) => counts.stop();

/** A body that delivers the text in pieces of a few bytes, and then ends, breaks or hangs. */
function stream(text, piece, end) {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + piece));
        at += piece;
      } else if (end === "break") controller.error("cut off");
      else if (end === "hang") await new Promise(() => {});
      else controller.close();
    },
  });
}

const events = (text, piece, end) =>
  new Response(stream(text, piece, end), { headers: { "content-type": "text/event-stream" } });

class Foreign {
  constructor(text) {
    // A response of another realm: it walks like one, and is an instance of nothing here.
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const { Uint8Array: Bytes } = frame.contentWindow;
    const chunks = [Bytes.from(new TextEncoder().encode(text))];
    frame.remove();
    this.status = 200;
    this.headers = { get: (name) => (name === "content-type" ? "text/event-stream" : null) };
    this.body = { getReader: () => ({ read: async () => ({ done: chunks.length === 0, value: chunks.shift() }), cancel: async () => {} }) };
  }
}

/** What a stream request gets, by name. */
const answers = {
  whole: (text) => events(text, 7, "close"),
  open: (text) => events(text, 16, "hang"),
  broken: (text) => events(text, 64, "break"),
  foreign: (text) => new Foreign(text),
  "reject: string": () => Promise.reject("offline"),
  "reject: undefined": () => Promise.reject(undefined),
  "reject: symbol": () => Promise.reject(Symbol("x")),
  "reject: foreign error": () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const error = new frame.contentWindow.TypeError("from elsewhere");
    frame.remove();
    return Promise.reject(error);
  },
  "reject: throwing getters": () => Promise.reject({ get name() { throw 1; }, get message() { throw 2; }, toString() { throw 3; } }),
  "reject: abort with a reason": (_text, request) => {
    const controller = new AbortController();
    controller.abort({ custom: true });
    return fetch(request.url, { signal: controller.signal });
  },
  throw: () => { throw new Error("sync"); },
  "not a response": () => ({ ok: true }),
  nothing: () => undefined,
  "a string": () => "200 OK",
  "a body of strings": () => ({ status: 200, headers: new Headers({ "content-type": "text/event-stream" }), body: new ReadableStream({ start: (c) => c.enqueue("data: x\n\n") }) }),
  "a body without a reader": () => ({ status: 200, headers: new Headers({ "content-type": "text/event-stream" }), body: 7 }),
  never: () => new Promise(() => {}),
};

/** A host. `answer` names what streams get; posts are answered 202. `told` is called with each batch. */
export function makeHost(answer, text, told) {
  const seen = { events: [], posts: [], invoked: [], aborted: [], requests: 0, panics: [], value: "1" };
  return {
    seen,
    told: told ?? undefined,
    fetch(request) {
      seen.requests += 1;
      request.signal.addEventListener("abort", () => seen.aborted.push(String(request.signal.reason?.name)));
      if (request.method === "POST") {
        return request.text().then((body) => {
          seen.posts.push(body);
          return new Response(JSON.stringify({ session_id: "s1", turn_id: JSON.parse(body).input.turn_id ?? "t" }), { status: 202 });
        });
      }
      return answers[answer](text, request);
    },
    token: () => "token",
    check: () => ({ ok: true }),
    repair: () => null,
    consent: () => ({ allow: true }),
    invoke(_invocation, _session, _call, _attempt, _turn, name, _deadline, _trip, input, signal) {
      seen.invoked.push([name, input]);
      signal?.addEventListener("abort", () => seen.aborted.push("handler"));
      return seen.value;
    },
    events(batch) {
      const told = JSON.parse(batch);
      seen.events.push(...told);
      for (const event of told) this.told?.(event.type);
    },
    now: () => performance.timeOrigin + performance.now(),
    panicked: (message) => seen.panics.push(message),
  };
}

/** What a host has seen, as JSON. */
export const seenBy = (host) => JSON.stringify(host.seen);

/** Has the handler give something else than the value `1`. */
export function handlerGives(host, what) {
  host.seen.value = {
    promise: () => Promise.resolve('"later"'),
    reject: () => Promise.reject("handler"),
    failure: () => ({ message: "no cart", retryable: false, kind: "threw" }),
    nonsense: () => 7,
    never: () => new Promise(() => {}),
  }[what]();
}

export const goOffline = () => dispatchEvent(new Event("offline"));
export const goOnline = () => dispatchEvent(new Event("online"));
