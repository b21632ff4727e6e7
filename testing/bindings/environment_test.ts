import assert from "node:assert/strict";
import type { Platform } from "@framework/cli/project";
import { inspect } from "node:util";
import { createEnvironment } from "./environment.ts";

function environment(raw: Platform["raw"], overrides: Record<string, unknown> = {}) {
  const platform = {
    vars: { A: "vars", B: "vars", C: "vars" },
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    raw,
  } as unknown as Platform;
  return createEnvironment({
    platform,
    secrets: { B: "secret", C: "secret" },
    images: new Map(),
    overrides,
    now: () => 0,
    guard: () => {},
  }).env;
}

Deno.test("createEnvironment() lets secrets win over variables, and the test over both", () => {
  assert.deepEqual(environment({}, { C: "test" }), { A: "vars", B: "secret", C: "test" });
});

Deno.test("createEnvironment() refuses every other binding by its name and kind", () => {
  const env = environment({
    durable_objects: { bindings: [{ name: "COUNTER", class_name: "Counter" }] },
    services: [{ binding: "API", service: "api" }],
    ai: { binding: "AI" },
    send_email: [{ name: "MAILER" }],
    triggers: { crons: ["* * * * *"] },
    name: "worker",
  });
  const kinds: Record<string, string> = {
    COUNTER: "durable_objects",
    API: "services",
    AI: "ai",
    MAILER: "send_email",
  };
  for (const [binding, kind] of Object.entries(kinds)) {
    const expected = { code: "NOT_EMULATED", binding, kind };
    assert.throws(() => Reflect.get(env[binding] as object, "get"), expected);
  }
  assert.deepEqual(Object.keys(env).sort(), ["A", "B", "C", ...Object.keys(kinds)].sort());
});

Deno.test("createEnvironment() can be printed and awaited with bindings that are refused", async () => {
  const env = environment({ ai: { binding: "AI" } });
  assert.match(inspect(env), /AI/);
  assert.match(JSON.stringify(env), /"AI":\{\}/);
  assert.equal(await Promise.resolve(env["AI"]), env["AI"]);
});
