// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import assert from "node:assert/strict";
import { importModule } from "../context/module.ts";
import { WorkerEntrypoint } from "./cloudflare_workers.ts";
import { createService, type Entrypoint } from "./service.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { type Cases, compareWithWorkerd } from "./fixtures/in_workerd.ts";

// Here, since Deno takes the loading of a module for a leak of the test in which it is the first.
const file = new URL("./fixtures/services.ts", import.meta.url).pathname;
const module = await importModule(file) as Record<string, Entrypoint> & { CASES: Cases };

const BINDINGS: Record<string, { entrypoint: string; props?: Record<string, unknown> }> = {
  PRICES: { entrypoint: "Prices", props: { tax: 20 } },
  BARE: { entrypoint: "Prices" },
  SITE: { entrypoint: "Site" },
  PLAIN: { entrypoint: "plain" },
  SELF: { entrypoint: "HANDLERS" },
};

Deno.test({
  name: "createService() answers every case as the service bindings of workerd do",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const env: Record<string, unknown> = { NAME: "test" };
    for (const [binding, { entrypoint, ...rest }] of Object.entries(BINDINGS)) {
      env[binding] = createService({
        binding,
        load: () => Promise.resolve(module[entrypoint]!),
        env,
        waitUntil: () => {},
        guard: () => {},
        ...rest,
      });
    }
    await compareWithWorkerd(t, {
      file: "services.ts",
      cases: module.CASES,
      double: (name) => encodeOutcome(() => module.CASES[name]!(env)),
      entry: `import { HANDLERS } from "./services.ts";`,
      workerd: {
        name: "own",
        bindings: { NAME: "test" },
        serviceBindings: Object.fromEntries(
          Object.entries(BINDINGS).map(([binding, { entrypoint, props }]) => [
            binding,
            binding === "SELF" ? "own" : { name: "own", entrypoint, props },
          ]),
        ),
      },
    });
  },
});

Deno.test("createService() hands over background work, and can be printed and awaited", async () => {
  const work: Promise<unknown>[] = [];
  class Later extends WorkerEntrypoint {
    begin(): void {
      (this.ctx as { waitUntil(work: Promise<unknown>): void }).waitUntil(Promise.resolve("done"));
    }
  }
  const service = createService({
    binding: "LATER",
    load: () => Promise.resolve(Later),
    env: {},
    waitUntil: (promise) => void work.push(promise),
    guard: () => {},
  }) as { begin(): Promise<void> };
  assert.equal(await service, service);
  assert.equal(JSON.stringify({ service }), '{"service":{}}');
  await service.begin();
  assert.deepEqual(await Promise.all(work), ["done"]);
});
