import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    // Other tests may run beside these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    poolOptions: { workers: { wrangler: { configPath: "./wrangler.jsonc" } } },
  },
});
