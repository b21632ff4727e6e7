// One list of cases, which a worker that knows nothing of the framework passes in process and in workerd.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CASES } from "./plain_cases.ts";

const cwd = fileURLToPath(new URL("./plain", import.meta.url));

/** Cases that see nothing of those before them: one workerd has them all, in this order. */
const TOGETHER = [
  "entries and files",
  "caches, the one by default and one by its name",
  "what the platform says of the visitor, after a wait",
  "durable objects",
  "cookies",
  "outgoing calls, by a fetch that a module keeps",
  "errors, and the origin in their place",
  "HEAD has no body",
  "queues: what is acknowledged, delivered again, and used up",
  "mails that arrive",
  "entrypoints",
];

for (const runtime of ["process", "workerd"] as const) {
  for (const [name, run, options] of CASES) {
    if (runtime === "workerd" && TOGETHER.includes(name)) continue;
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
  name: "workerd: cases in one context",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await using ctx = await createTestContext({ cwd, runtime: "workerd" });
    for (const name of TOGETHER) {
      const [, run] = CASES.find(([other]) => other === name)!;
      await t.step(name, () => run(ctx));
    }
  },
});

Deno.test({
  name: "workerd: what the worker sends is the platform's to deliver, and ctx.queue() says so",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using ctx = await createTestContext({ cwd, runtime: "workerd" });
    await assert.rejects(ctx.queue("mails"), { code: "RUNTIME", message: /Pass them/ });
  },
});
