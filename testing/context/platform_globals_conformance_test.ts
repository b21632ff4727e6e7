// One list of cases, run in this process and inside workerd, so that the two cannot drift apart.
import { definePlatformGlobals } from "./platform_globals.ts";
import { encodeOutcome } from "../platform/fixtures/encode_outcome.ts";
import { CASES } from "../platform/fixtures/globals.ts";
import { compareWithWorkerd } from "../platform/fixtures/in_workerd.ts";

Deno.test({
  name: "definePlatformGlobals() adds what workerd has",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    definePlatformGlobals();
    await compareWithWorkerd(t, {
      file: "globals.ts",
      cases: CASES,
      double: (name) => encodeOutcome(CASES[name]!),
      workerd: {},
    });
  },
});
