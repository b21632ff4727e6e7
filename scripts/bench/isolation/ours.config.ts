import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({ test: { include: ["ours.spec.ts"], testTimeout: 60_000 } });
