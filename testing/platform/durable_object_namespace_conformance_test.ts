// One list of cases, run against the doubles and inside workerd, so that the two cannot drift apart.
import * as esbuild from "esbuild";
import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { importModule } from "../context/module.ts";
import { createObjectAlarms } from "./durable_object_alarms.ts";
import { createObjectNamespace, type ObjectClass } from "./durable_object_namespace.ts";
import type { ObjectRecord } from "./durable_object_storage.ts";
import { closeStored, createStored, type Stored } from "./stored.ts";
import { encodeValue } from "./fixtures/encode_value.ts";

const CLASSES = {
  SUBJECT: "Subject",
  SAME: "Subject",
  PLAIN: "Plain",
  MUTE: "Mute",
  UNBORN: "Unborn",
  LOADING: "Loading",
  STUCK: "Stuck",
};
const fixture = new URL("./fixtures/objects.ts", import.meta.url).pathname;

interface Fixture extends Record<string, unknown> {
  CASES: Record<string, (env: Record<string, unknown>) => unknown>;
}

function recordsOf({ objects }: Stored, className: string): Map<string, ObjectRecord> {
  const records = new Map<string, ObjectRecord>();
  objects.set(className, records);
  return records;
}

/** Outcome of a case on doubles of its own, or its error's message. */
async function onDouble({ CASES, ...module }: Fixture, name: string): Promise<unknown> {
  const env: Record<string, unknown> = { NAME: "test" };
  const stored = createStored();
  const alarms = createObjectAlarms({
    now: Date.now,
    run: (work) => work(),
    failed: (error) => {
      throw error;
    },
  });
  const namespaces = new Map(
    [...new Set(Object.values(CLASSES))].map((className) => [
      className,
      createObjectNamespace({
        binding: className,
        className,
        env,
        alarms,
        load: () => Promise.resolve(module[className] as ObjectClass),
        waitUntil: () => {},
        run: (work) => work(),
        records: recordsOf(stored, className),
        guard: () => {},
      }),
    ]),
  );
  for (const [binding, className] of Object.entries(CLASSES)) {
    env[binding] = namespaces.get(className);
  }
  try {
    return encodeValue(await CASES[name]!(env));
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    closeStored(stored);
  }
}

function bundle(): string {
  const { outputFiles } = esbuild.buildSync({
    stdin: {
      contents: `
        import { encodeValue } from "./encode_value.ts";
        import { CASES } from "./objects.ts";
        export * from "./objects.ts";
        export default {
          async fetch(request, env) {
            const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
            try {
              return Response.json(encodeValue(await CASES[name](env)));
            } catch (error) {
              return Response.json({ error: error.message });
            }
          },
        };`,
      resolveDir: new URL("./fixtures", import.meta.url).pathname,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    external: ["cloudflare:*"],
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

// Here, since Deno takes the loading of a module for a leak of the test in which it is the first.
const module = await importModule(fixture) as Fixture;

Deno.test({
  name: "createObjectNamespace() answers every case as the namespaces of workerd do",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const miniflare = new Miniflare({
      modules: [{ type: "ESModule", path: "index.mjs", contents: bundle() }],
      compatibilityDate: "2026-07-30",
      compatibilityFlags: ["nodejs_compat"],
      bindings: { NAME: "test" },
      durableObjects: Object.fromEntries(
        Object.entries(CLASSES).map((
          [binding, className],
        ) => [binding, { className, useSQLite: true }]),
      ),
      handleStructuredLogs: () => {},
    });
    try {
      for (const name of Object.keys(module.CASES)) {
        await t.step(name, async () => {
          const url = `http://localhost/${encodeURIComponent(name)}`;
          const response = await miniflare.dispatchFetch(url);
          const text = await response.text();
          assert.match(text, /^[^]+$/, `workerd answers ${response.status} without a body`);
          assert.deepEqual(await onDouble(module, name), JSON.parse(text));
        });
      }
    } finally {
      await miniflare.dispose();
    }
  },
});
