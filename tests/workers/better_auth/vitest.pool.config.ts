import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    include: ["tests/*.spec.ts"],
    poolOptions: { workers: { wrangler: { configPath: "./wrangler.jsonc" } } },
  },
});
