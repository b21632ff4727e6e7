import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    include: [
      "tests/{api,component,fixture,loader,middleware,mocks,object,outgoing,queue,room}.spec.{ts,tsx}",
      "tests/pool/*.spec.ts",
    ],
    // By the real time.
    testNamePattern: "^(?!an alarm)",
    // Other tests may run beside these.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    poolOptions: {
      workers: {
        wrangler: { configPath: "./wrangler.jsonc" },
        // Another worker, which does not run here.
        miniflare: { serviceBindings: { PAYMENTS: () => new Response("paid") } },
      },
    },
  },
});
