/**
 * Serves the page and the built package, and nothing else: files of known kinds under `www` and `pkg`.
 * The security policy goes out with every answer, so that the page runs under it everywhere, tests included.
 */
import { readFile } from "node:fs/promises";
import { dirname, extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";

const www = dirname(dirname(fileURLToPath(import.meta.url)));
const pkg = join(dirname(www), "pkg");

/** Where `npm run bench` leaves its figures. */
export const benchmarkFile = join(dirname(www), ".tools", "out", "bench.json");

const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** What the page may do. WASM needs its own word; nothing inline, nothing from elsewhere, no HTML from strings. */
export const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The file a path names, or null: only inside the two folders, and only of a known kind. */
function fileFor(pathname) {
  let path;
  try {
    path = normalize(decodeURIComponent(pathname === "/" ? "/index.html" : pathname));
  } catch {
    return null;
  }
  const [folder, rest] = path.startsWith("/pkg/") ? [pkg, path.slice(5)] : [www, path.slice(1)];
  const file = join(folder, rest);
  const known = extname(file) in types && file.startsWith(folder + sep) && !path.includes("\0");
  return known ? file : null;
}

/** Answers a GET or HEAD for a file; resolves to whether there is one. */
export async function serveFile(request, response, headers) {
  const file = fileFor(new URL(request.url, "http://page").pathname);
  const bytes = file && (await readFile(file).catch(() => null));
  if (!bytes) return false;
  response.writeHead(200, {
    "content-type": types[extname(file)],
    "content-length": bytes.length,
    "cache-control": "no-cache",
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
  return true;
}
