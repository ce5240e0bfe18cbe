/**
 * Parsers of event streams, fed the same bytes in the same chunks. Every one of them must find every frame: a run that
 * does not is an error, not a figure. Takes a stream's bytes as a page has them, so who reads text decodes it first.
 */
import { createParser } from "eventsource-parser";
import { inTurns } from "./rounds.mjs";
import { cut, streamText } from "./stream-text.mjs";

const DELTA = "llm.token.delta";

/** eventsource-parser over decoded text: what `ai` and others build on. */
function peer(chunks, onEvent) {
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent });
  for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }));
}

/** The least a page can do by hand: no rule of the format but the blank line, `event:` and `data:`. */
function floor(chunks, onEvent) {
  const decoder = new TextDecoder();
  let rest = "";
  for (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
      const event = {};
      for (const line of rest.slice(start, end).split("\n")) {
        const colon = line.indexOf(": ");
        event[line.slice(0, colon)] = line.slice(colon + 2);
      }
      onEvent(event);
      start = end + 2;
    }
    rest = rest.slice(start);
  }
}

/** What the WASM hands over is three texts for each event. */
function objectsOf(texts) {
  const pieces = texts.split("\0");
  const objects = [];
  for (let at = 0; at + 2 < pieces.length; at += 3) objects.push({ event: pieces[at], id: pieces[at + 1], data: JSON.parse(pieces[at + 2]) });
  return objects;
}

const toObject = ({ event, id, data }) => ({ event, id, data: JSON.parse(data) });

/** The three tasks: what each way of reading does with a frame, and how many frames that are. */
const tasks = {
  count: { ours: (stream, chunk) => stream.count(chunk), theirs: () => 1 },
  tools: { ours: (stream, chunk) => stream.decodeTools(chunk), theirs: (event) => (event.event === DELTA ? 0 : JSON.parse(event.data) && 1) },
  objects: { ours: (stream, chunk) => objectsOf(stream.texts(chunk)).length, theirs: (event) => (toObject(event) ? 1 : 0) },
  all: { ours: (stream, chunk) => stream.decodeAll(chunk), theirs: (event) => (JSON.parse(event.data) ? 1 : 0) },
};

function contendersOf(task, chunks, wanted, wasm) {
  const { ours, theirs } = tasks[task];
  const checked = (name, read) => ({
    name,
    run: () => {
      const found = read();
      if (found !== wanted) throw new Error(`${name} found ${found} of ${wanted} frames (${task})`);
    },
  });
  const js = (name, parse) =>
    checked(name, () => {
      let found = 0;
      parse(chunks, (event) => {
        found += theirs(event);
      });
      return found;
    });
  const built = Object.entries(wasm).map(([name, { BenchStream }]) =>
    checked(name, () => {
      const stream = new BenchStream();
      let found = 0;
      for (const chunk of chunks) found += ours(stream, chunk);
      stream.free();
      return found;
    }),
  );
  return [...built, js("eventsource-parser", peer), js("by hand", floor)];
}

/**
 * Measures. `wasm` is the benchmark's WASM files by name. Resolves to `{ [task]: { [chunk size]: { [name]: MB/s } } }`,
 * a megabyte being 10^6 bytes.
 */
export async function measureSse(wasm, { megabytes, rounds, sampleMs, sizes = [16_384, 64] }) {
  const { bytes, frames, toolFrames } = streamText(megabytes * 1e6);
  const figures = {};
  for (const task of Object.keys(tasks)) {
    figures[task] = {};
    for (const size of sizes) {
      const contenders = contendersOf(task, cut(bytes, size), task === "tools" ? toolFrames : frames, wasm);
      const taken = await inTurns(contenders, { rounds, sampleMs });
      figures[task][size] = Object.fromEntries(Object.entries(taken).map(([name, ms]) => [name, bytes.length / 1e3 / ms]));
    }
  }
  return figures;
}
