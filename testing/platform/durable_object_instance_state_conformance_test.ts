// One list of cases, asked of the state of an object in process, of the mock of it, and of that in workerd.
import { importModule } from "../context/module.ts";
import { definePlatformGlobals } from "../context/platform_globals.ts";
import { createMockDurableObjectState } from "../spies/durable_object_state.ts";
import { createObjectAlarms } from "./durable_object_alarms.ts";
import { createObjectNamespace, type ObjectClass } from "./durable_object_namespace.ts";
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { type Cases, compareWithWorkerd } from "./fixtures/in_workerd.ts";

// Here, since Deno takes the loading of a module for a leak of the test in which it is the first.
const file = new URL("./fixtures/object_state.ts", import.meta.url).pathname;
const module = await importModule(file) as {
  Holder: ObjectClass;
  CASES: Cases;
  STATE_CASES: Record<string, (state: unknown) => unknown>;
};

function namespace(): unknown {
  return createObjectNamespace({
    binding: "HOLDER",
    className: "Holder",
    env: {},
    alarms: createObjectAlarms({ now: Date.now, run: (work) => work(), failed: () => {} }),
    load: () => Promise.resolve(module.Holder),
    waitUntil: () => {},
    run: (work) => work(),
    guard: () => {},
  });
}

const DOUBLES: Record<string, (name: string) => unknown> = {
  "createObjectState()": (name) => module.CASES[name]!({ HOLDER: namespace() }),
  "createMockDurableObjectState()": (name) =>
    module.STATE_CASES[name]!(createMockDurableObjectState()),
};

for (const [double, answer] of Object.entries(DOUBLES)) {
  Deno.test({
    name: `${double} answers every case as the state of workerd does`,
    // Miniflare keeps a message port and a timer.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (t) => {
      definePlatformGlobals();
      await compareWithWorkerd(t, {
        file: "object_state.ts",
        cases: module.CASES,
        double: (name) => encodeOutcome(() => answer(name)),
        workerd: { durableObjects: { HOLDER: { className: "Holder", useSQLite: true } } },
      });
    },
  });
}
