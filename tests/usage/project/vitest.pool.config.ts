import { defineTestConfig } from "@framework/testing/vitest";

export default defineTestConfig({
  test: {
    include: ["tests/{component,middleware,queue,object}.spec.{ts,tsx}"],
    poolOptions: {
      workers: {
        wrangler: { configPath: "./wrangler.jsonc" },
        // Another worker, which does not run here.
        miniflare: { serviceBindings: { PAYMENTS: () => new Response("paid") } },
      },
    },
  },
});
