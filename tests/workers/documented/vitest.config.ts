// vitest.config.ts
import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig();
