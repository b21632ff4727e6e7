import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    include: ["tests/*.spec.ts"],
    // Better Auth compares no origins where it sees variables of a test, which vitest sets.
    env: { NODE_ENV: "production", TEST: "" },
  },
});
