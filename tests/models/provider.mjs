/**
 * A local HTTP server that stands for a provider: it answers each request with the next of the given answers.
 * Bodies go out in the chunks they are given in, so that tests choose where bytes split.
 */
import { createServer } from "node:http";
import { once } from "node:events";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Bytes cut into pieces of `size`. */
export function cut(text, size) {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

/** An SSE body of the given events; a string stays as it is. */
export const stream = (events, { named = false } = {}) =>
  events.map((event) => `${named ? `event: ${event.type}\n` : ""}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

/** Starts the server; `answers` are `{ status?, headers?, chunks?, hang?, destroy? }`, used in order. */
export async function provider(answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    response.writeHead(answer.status ?? 200, { "content-type": "text/event-stream", ...answer.headers });
    for (const chunk of answer.chunks ?? []) {
      response.write(chunk);
      await pause(1);
    }
    if (answer.destroy) response.destroy();
    else if (!answer.hang) response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}
