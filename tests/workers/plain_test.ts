// One list of cases, which a worker that knows nothing of the framework passes in process and in workerd.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CASES } from "./plain_cases.ts";

const cwd = fileURLToPath(new URL("./plain", import.meta.url));

for (const runtime of ["process", "workerd"] as const) {
  for (const [name, run, options] of CASES) {
    Deno.test({
      name: `${runtime}: ${name}`,
      // The emulator keeps timers and message ports of its own.
      ...(runtime === "workerd" && { sanitizeOps: false, sanitizeResources: false }),
      fn: async () => {
        await using ctx = await createTestContext({ cwd, runtime, ...options });
        await run(ctx);
      },
    });
  }
}

Deno.test({
  name: "workerd: what the worker sends is the platform's to deliver, and ctx.queue() says so",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using ctx = await createTestContext({ cwd, runtime: "workerd" });
    await assert.rejects(ctx.queue("mails"), { code: "RUNTIME", message: /Pass them/ });
  },
});
