/**
 * Vitest runs the TypeScript tests alone: `*.test.mjs` belong to Node's own runner and to the browser stage.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts", "src/js/**/*.test.ts"],
    testTimeout: 20_000,
  },
});
