/**
 * The facade's tests run against what ships in `pkg`, under the package's own names; only units that the
 * package does not export are taken from the sources.
 */
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const shipped = (file) => fileURLToPath(new URL(`./pkg/${file}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^pagehand$/, replacement: shipped("index.js") },
      { find: /^pagehand\/ask$/, replacement: shipped("ask/index.js") },
      { find: /^pagehand\/schema$/, replacement: shipped("schema.js") },
      { find: /^pagehand\/testing$/, replacement: shipped("testing.js") },
      { find: /^pagehand\/worker$/, replacement: shipped("worker.js") },
      { find: /^pagehand\/webmcp$/, replacement: shipped("webmcp.js") },
    ],
  },
  test: {
    include: ["tests/**/*.test.ts"],
    testTimeout: 15_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
});
