import { defineConfig } from "vitest/config";

// Not as an application has it.
export default defineConfig({ test: { include: ["tests/api.spec.ts"] } });
