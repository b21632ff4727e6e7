// One list of cases, run against the double and inside workerd, so that the two cannot drift apart.
import { encodeOutcome } from "./fixtures/encode_outcome.ts";
import { ADDRESSES, CASES } from "./fixtures/hyperdrives.ts";
import { compareWithWorkerd } from "./fixtures/in_workerd.ts";
import { createHyperdrive } from "./hyperdrive.ts";

Deno.test({
  name: "createHyperdrive() answers every case as workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const env = Object.fromEntries(
      Object.entries(ADDRESSES).map((
        [binding, address],
      ) => [binding, createHyperdrive(binding, address)]),
    );
    await compareWithWorkerd(t, {
      file: "hyperdrives.ts",
      cases: CASES,
      double: (name) => encodeOutcome(() => CASES[name]!(env)),
      workerd: { hyperdrives: ADDRESSES },
    });
  },
});
