import assert from "node:assert/strict";
import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import { fileURLToPath } from "node:url";
import { bundleEntries } from "../support/bundle.ts";
import { inMatrix } from "../support/matrix.ts";

/** Seconds: so long that no window ends while this runs. */
const WINDOW = 30 * 86_400;

/** Races of each storage. */
const ROUNDS = inMatrix ? 20 : 2;

/** Sends 100 requests at once from where the isolates are, to one after the other of those that are named. */
const RACER = `export default {
  async fetch(request, env) {
    const { path, address, isolates, once } = await request.json();
    if (once) return await env.one.fetch("http://localhost" + path);
    const headers = { "cf-connecting-ip": address, accept: "application/json" };
    const replies = await Promise.all(Array.from({ length: 100 }, async (_, index) => {
      const isolate = env[isolates[index % isolates.length]];
      const reply = await isolate.fetch("http://localhost" + path, { headers });
      await reply.arrayBuffer();
      return [reply.status, Object.fromEntries(reply.headers)];
    }));
    return Response.json(replies);
  },
};`;

/**
 * Two workers of one script: two isolates that share the database, the namespace and the objects; and one
 * that asks them.
 */
function startWorkers(script: string, folder: string): Miniflare {
  const shared = {
    modules: true,
    script,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: { DB: "limits" },
    kvNamespaces: { KV: "limits" },
    ratelimits: {
      PLATFORM: { "namespace_id": "1", simple: { limit: 5, period: 60 as const } },
    },
  };
  const object = { className: "RateLimitObject", useSQLite: true };
  return new Miniflare({
    d1Persist: folder,
    durableObjectsPersist: folder,
    workers: [
      {
        name: "racer",
        modules: true,
        script: RACER,
        compatibilityDate: "2026-07-01",
        serviceBindings: { one: "one", two: "two" },
      },
      { ...shared, name: "one", durableObjects: { LIMITS: object } },
      { ...shared, name: "two", durableObjects: { LIMITS: { ...object, scriptName: "one" } } },
    ],
  });
}

type Reply = [status: number, headers: Record<string, string>];

type Isolate = "one" | "two";

const BOTH: Isolate[] = ["one", "two"];

async function race(
  miniflare: Miniflare,
  path: string,
  { address, isolates = BOTH }: { address: string; isolates?: Isolate[] },
): Promise<Reply[]> {
  const body = JSON.stringify({ path, address, isolates });
  const response = await miniflare.dispatchFetch("http://localhost/", { method: "POST", body });
  return await response.json() as Reply[];
}

function admitted(replies: Reply[]): number {
  assert.deepEqual(replies.filter(([status]) => status !== 200 && status !== 429), []);
  return replies.filter(([status]) => status === 200).length;
}

Deno.test({
  name: "limits in workerd, of two isolates at once",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const entry = fileURLToPath(new URL("./worker.ts", import.meta.url));
    const [bundle] = await bundleEntries([entry], { minify: true });
    const script = bundle!.text;
    const folder = await Deno.makeTempDir();
    let miniflare = startWorkers(script, folder);
    try {
      const database = await miniflare.getD1Database("DB", "one");
      const statements = authSchema.up.split(/;\n/).map((one) => one.trim()).filter(Boolean);
      await database.batch(statements.map((sql) => database.prepare(sql)));

      for (const storage of ["sql", "object"]) {
        // Tracks: R143, F02, F03, K4
        await test.step(`${storage}: exactly the limit of 100 at once, ${ROUNDS} times of ${ROUNDS}`, async () => {
          for (let round = 0; round < ROUNDS; round++) {
            const path = `/${storage}?limit=5&window=${WINDOW}`;
            const replies = await race(miniflare, path, { address: `192.0.2.${round}` });
            assert.equal(admitted(replies), 5);
            const [, headers] = replies.find(([status]) => status === 429)!;
            const wait = Number(headers["retry-after"]);
            assert.ok(wait > WINDOW / 2 && wait <= WINDOW, headers["retry-after"]);
            assert.equal(headers["ratelimit-policy"], `"test";q=5;w=${WINDOW}`);
          }
        });
      }

      for (const storage of inMatrix ? ["sql", "object"] : ["sql"]) {
        // Tracks: R143, R188
        await test.step(`${storage}: of 100 requests at once with one API key its limit`, async () => {
          const query = `storage=${storage}&window=${WINDOW}`;
          for (let round = 0; round < Math.min(5, ROUNDS / 2); round++) {
            const body = JSON.stringify({ path: `/api-key?${query}`, once: true });
            const made = await miniflare.dispatchFetch("http://localhost/", {
              method: "POST",
              body,
            });
            const path = `/api-key?${query}&key=${await made.text()}`;
            const replies = await race(miniflare, path, { address: "192.0.2.77" });
            assert.equal(admitted(replies), 5);
            const [, headers] = replies.find(([status]) => status === 429)!;
            assert.equal(headers["ratelimit-policy"], `"api-key";q=5;w=${WINDOW}`);
          }
        });
      }

      // Tracks: R147, F03
      await test.step("the address is the one that the platform says, IPv6 by its network", async () => {
        const path = `/object?limit=5&window=${WINDOW}`;
        const first = await race(miniflare, path, { address: "2001:db8::1", isolates: ["one"] });
        const second = await race(miniflare, path, {
          address: "2001:db8::ffff",
          isolates: ["two"],
        });
        assert.deepEqual([admitted(first), admitted(second)], [5, 0]);
      });

      for (const storage of ["fixed", "sliding"]) {
        // Tracks: R144, F02
        await test.step(`${storage}: at most the limit for each isolate, and no failure`, async () => {
          for (let round = 0; round < Math.min(5, ROUNDS / 2); round++) {
            const path = `/${storage}?limit=5&window=${WINDOW}`;
            const address = `198.51.100.${round}`;
            const through = admitted(await race(miniflare, path, { address }));
            assert.ok(through >= 5 && through <= 10, String(through));
          }
        });

        // Tracks: F16
        await test.step(`${storage}: windows below 60 seconds`, async () => {
          const path = `/${storage}?limit=5&window=10`;
          assert.ok(admitted(await race(miniflare, path, { address: "203.0.113.1" })) >= 5);
        });
      }

      await test.step("the platform's own limit", async () => {
        // It counts in minutes of the clock.
        const minute = () => Math.floor(Date.now() / 60_000);
        const begun = minute();
        const replies = await race(miniflare, "/platform?limit=5&window=60", {
          address: "203.0.113.9",
          isolates: ["one"],
        });
        const through = admitted(replies);
        assert.ok(through >= 5 && through <= 5 * (1 + minute() - begun), String(through));
      });

      // Tracks: F13
      await test.step("what was counted outlives the process", async () => {
        // Of the first race of each, which has left nothing of the limit.
        const address = "192.0.2.0";
        const paths = ["sql", "object"].map((name) => `/${name}?limit=5&window=${WINDOW}`);
        await miniflare.dispose();
        miniflare = startWorkers(script, folder);
        for (const path of paths) {
          assert.equal(admitted(await race(miniflare, path, { address, isolates: ["two"] })), 0);
        }
      });
    } finally {
      await miniflare.dispose();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
