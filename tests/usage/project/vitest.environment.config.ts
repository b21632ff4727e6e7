import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    environment: "miniflare",
    environmentOptions: { bindings: { SITE: "From the configuration", LIMIT: 3 } },
    include: ["tests/environment/*.spec.ts"],
  },
});
