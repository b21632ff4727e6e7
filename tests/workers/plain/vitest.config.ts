import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    exclude: ["tests/pool/**", "node_modules/**"],
    // Other tests may run beside these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
