// One list of cases, which a worker that knows nothing of the framework passes in process and in workerd.
import { createTestContext } from "@framework/testing";
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { CASES } from "./plain_cases.ts";

const cwd = fileURLToPath(new URL("./plain", import.meta.url));

/** Contexts of workerd, whose cases see nothing of those before them in the same one, in this order. */
const SHARED: Record<string, string[]> = {
  "cases of one clock and environment": [
    "variables, of the project and of the test",
    "a migrated database, which a module reads while it is loaded",
    "schedules",
    "the clock, by Date",
  ],
  "cases in one context": [
    "a database that is empty again",
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
  ],
};
const caseOf = (name: string) => CASES.find(([other]) => other === name)!;

for (const [name, run, options] of CASES) {
  Deno.test(`process: ${name}`, async () => {
    await using ctx = await createTestContext({ cwd, ...options });
    await run(ctx);
  });
}

Deno.test("each case has a context of workerd", () => {
  const names = Object.values(SHARED).flat();
  assert.deepEqual(names.toSorted(), CASES.map(([name]) => name).sort());
});

for (const [name, cases] of Object.entries(SHARED)) {
  Deno.test({
    name: `workerd: ${name}`,
    // The emulator keeps timers and message ports of its own.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (t) => {
      const options = Object.assign({}, ...cases.map((name) => caseOf(name)[2]));
      await using ctx = await createTestContext({ cwd, runtime: "workerd", ...options });
      // Before a case has passed any.
      await t.step(
        "what the worker sends is the platform's to deliver, and ctx.queue() says so",
        () => assert.rejects(ctx.queue("mails"), { code: "RUNTIME", message: /Pass them/ }),
      );
      for (const name of cases) await t.step(name, () => caseOf(name)[1](ctx));
    },
  });
}
