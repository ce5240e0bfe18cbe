/**
 * A static server for one folder, under the policy the README tells people to use.
 * For packed and built pages: it knows nothing of the demo.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Serves a folder; `url` ends with a slash. */
export async function serveFolder(folder) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://folder");
    if (pathname === "/favicon.ico") return response.writeHead(204).end();
    const file = join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
    const bytes = await readFile(file).catch(() => null);
    if (!bytes) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", "content-security-policy": policy });
    response.end(bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
