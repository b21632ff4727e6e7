// One list of cases, run in this process and inside workerd, so that the two cannot drift apart.
import { encodeOutcome } from "../platform/fixtures/encode_outcome.ts";
import { compareWithWorkerd } from "../platform/fixtures/in_workerd.ts";
import { CASES } from "../platform/fixtures/web_sockets.ts";
import { definePlatformGlobals } from "./platform_globals.ts";

Deno.test({
  name: "definePlatformGlobals() adds a WebSocketPair that answers every case as workerd does",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    definePlatformGlobals();
    await compareWithWorkerd(t, {
      file: "web_sockets.ts",
      cases: CASES,
      double: (name) => encodeOutcome(CASES[name]!),
      workerd: {},
    });
  },
});
