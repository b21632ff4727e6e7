import assert from "node:assert/strict";
import type { Platform } from "@framework/cli/project";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createEnvironment } from "./environment.ts";
import { WorkerEntrypoint, WorkflowEntrypoint } from "./cloudflare_workers.ts";
import type { ObjectClass, ObjectNamespace } from "./durable_object_namespace.ts";
import type { Workflow } from "./workflow.ts";

function environment(raw: Platform["raw"], overrides: Record<string, unknown> = {}) {
  const platform = {
    vars: { A: "vars", B: "vars", C: "vars" },
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    durableObjects: [],
    raw,
  } as unknown as Platform;
  return environmentOf(platform, overrides).env;
}

function environmentOf(
  platform: Platform,
  overrides: Record<string, unknown> = {},
  parts: Partial<Parameters<typeof createEnvironment>[0]> = {},
) {
  return createEnvironment({
    platform,
    secrets: { B: "secret", C: "secret" },
    images: new Map(),
    overrides,
    now: () => 0,
    guard: () => {},
    objectClass: () => Promise.resolve(undefined),
    run: (work) => work(),
    waitUntil: () => {},
    failed: () => {},
    ...parts,
  });
}

Deno.test("createEnvironment() lets secrets win over variables, and the test over both", () => {
  assert.deepEqual(environment({}, { C: "test" }), { A: "vars", B: "secret", C: "test" });
});

Deno.test("createEnvironment() refuses every other binding by its name and kind", () => {
  const env = environment({
    durable_objects: { bindings: [{ name: "COUNTER", class_name: "Counter" }] },
    services: [{ binding: "API", service: "api" }],
    ai: { binding: "AI" },
    browser: { binding: "BROWSER" },
    triggers: { crons: ["* * * * *"] },
    name: "worker",
  });
  const kinds: Record<string, string> = {
    COUNTER: "durable_objects",
    API: "services",
    AI: "ai",
    BROWSER: "browser",
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

Deno.test("a durable object whose class is missing says so, and one of another worker is refused", async () => {
  const platform = {
    file: "/project/wrangler.jsonc",
    name: "own",
    vars: {},
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    durableObjects: [
      { name: "ROOM", className: "Room", scriptName: undefined },
      { name: "OTHER", className: "Other", scriptName: "another" },
    ],
    raw: {
      durable_objects: {
        bindings: [{ name: "ROOM", class_name: "Room" }, {
          name: "OTHER",
          class_name: "Other",
          script_name: "another",
        }],
      },
    },
  } as unknown as Platform;
  const { env } = environmentOf(platform);
  const room = (env["ROOM"] as ObjectNamespace).getByName("a");
  await assert.rejects(room.fetch("http://x/"), {
    code: "NO_CLASS",
    message: /wrangler\.jsonc binds the durable object Room.*export class Room/,
  });
  assert.throws(() => (env["OTHER"] as ObjectNamespace).getByName("a"), { code: "NOT_EMULATED" });
});

Deno.test("a service binding reaches the worker itself, and classes that the test gives", async () => {
  class Own extends WorkerEntrypoint {
    hello(): string {
      return "own";
    }
  }
  class Other extends WorkerEntrypoint {
    hello(): string {
      return "other";
    }
  }
  const platform = {
    file: "/project/wrangler.jsonc",
    name: "own",
    vars: {},
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    durableObjects: [],
    raw: {
      services: [
        { binding: "OWN", service: "own", entrypoint: "Own" },
        { binding: "LOST", service: "own", entrypoint: "Lost" },
        { binding: "OTHER", service: "other" },
        { binding: "MISSING", service: "other" },
      ],
    },
  } as unknown as Platform;
  const { env } = environmentOf(platform, { OTHER: Other }, {
    entrypoint: (name) => Promise.resolve(name === "Own" ? Own : undefined),
  }) as { env: Record<string, { hello(): Promise<string> }> };
  assert.deepEqual([await env["OWN"]!.hello(), await env["OTHER"]!.hello()], ["own", "other"]);
  await assert.rejects(env["LOST"]!.hello(), { code: "NO_CLASS", message: /LOST.*Lost/ });
  assert.throws(() => env["MISSING"]!.hello(), { code: "NOT_EMULATED", kind: "services" });
});

Deno.test("createEnvironment() serves static files where the context asks for it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "environment-"));
  writeFileSync(join(folder, "a.txt"), "a");
  const platform = {
    file: join(folder, "wrangler.jsonc"),
    vars: {},
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    durableObjects: [],
    compatibilityDate: "2026-07-30",
    compatibilityFlags: [],
    assets: { directory: ".", binding: "ASSETS" },
    raw: { assets: { directory: ".", binding: "ASSETS", "run_worker_first": ["/api/*"] } },
  } as unknown as Platform;
  try {
    const { env, assets } = environmentOf(platform, {}, { servesAssets: true });
    const files = env["ASSETS"] as { fetch: typeof fetch };
    assert.equal(await (await files.fetch("http://localhost/a.txt")).text(), "a");
    assert.equal((await assets?.answer(new Request("http://localhost/a.txt")))?.status, 200);
    assert.equal(await assets?.answer(new Request("http://localhost/api/a.txt")), null);
    const refused = environmentOf(platform);
    assert.equal(refused.assets, undefined);
    assert.throws(() => (refused.env["ASSETS"] as { fetch: unknown }).fetch, {
      code: "NOT_EMULATED",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

Deno.test("a workflow is found by its class, and one that is missing says so", async () => {
  class Greet extends WorkflowEntrypoint<{ WORD: string }> {
    run({ payload }: { payload: string }): string {
      return `${this.env.WORD} ${payload}`;
    }
  }
  const platform = {
    file: "/project/wrangler.jsonc",
    name: "own",
    vars: { WORD: "Hello" },
    kvNamespaces: [],
    r2Buckets: [],
    queues: { producers: [] },
    durableObjects: [],
    raw: {
      workflows: [
        { binding: "GREET", name: "greet", "class_name": "Greet" },
        { binding: "LOST", name: "lost", "class_name": "Lost" },
      ],
    },
  } as unknown as Platform;
  const late: Promise<unknown>[] = [];
  const { env, wake } = environmentOf(platform, {}, {
    objectClass: (name) => Promise.resolve(name === "Greet" ? Greet as ObjectClass : undefined),
    waitUntil: (work) => void late.push(work.catch(() => {})),
  });
  const { GREET, LOST } = env as { GREET: Workflow; LOST: Workflow };
  const instance = await GREET.create({ params: "Ada" });
  await wake();
  await LOST.create();
  await assert.rejects(wake(), {
    code: "NO_CLASS",
    message: /wrangler\.jsonc.*Lost.*nothing exports/,
  });
  assert.equal((await instance.status()).output, "Hello Ada");
});
