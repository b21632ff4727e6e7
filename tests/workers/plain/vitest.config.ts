import { defineTestConfig } from "@framework/testing/vitest";

// Other tests may run beside these.
export default defineTestConfig({ test: { testTimeout: 300_000, hookTimeout: 300_000 } });
