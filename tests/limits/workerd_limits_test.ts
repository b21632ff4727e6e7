import assert from "node:assert/strict";
import { authSchema } from "@framework/auth/storage";
import * as esbuild from "esbuild";
import { Miniflare } from "miniflare";
import { workspaceAlias } from "../../scripts/budgets.ts";

async function bundle(): Promise<string> {
  const result = await esbuild.build({
    entryPoints: [new URL("./worker.ts", import.meta.url).pathname],
    alias: await workspaceAlias(),
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
  });
  await esbuild.stop();
  return result.outputFiles[0]!.text;
}

/** Two workers of one script: two isolates that share the database, the namespace and the objects. */
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
      { ...shared, name: "one", durableObjects: { LIMITS: object } },
      { ...shared, name: "two", durableObjects: { LIMITS: { ...object, scriptName: "one" } } },
    ],
  });
}

interface Fetcher {
  fetch(url: string, init: { headers: Record<string, string> }): Promise<Response>;
}

async function race(workers: Fetcher[], path: string, address: string): Promise<Response[]> {
  const replies = await Promise.all(Array.from({ length: 100 }, (_, index) => {
    return workers[index % workers.length]!.fetch(`http://localhost${path}`, {
      headers: { "cf-connecting-ip": address, accept: "application/json" },
    });
  }));
  await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  return replies;
}

function admitted(replies: Response[]): number {
  assert.deepEqual(replies.filter(({ status }) => status !== 200 && status !== 429), []);
  return replies.filter(({ status }) => status === 200).length;
}

Deno.test({
  name: "limits in workerd, of two isolates at once",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const script = await bundle();
    const folder = await Deno.makeTempDir();
    let miniflare = startWorkers(script, folder);
    try {
      const database = await miniflare.getD1Database("DB", "one");
      const statements = authSchema.up.split(";").map((one) => one.trim()).filter(Boolean);
      await database.batch(statements.map((sql) => database.prepare(sql)));
      const workers = await Promise.all(["one", "two"].map((name) => miniflare.getWorker(name)));
      const both = workers as unknown as Fetcher[];

      for (const storage of ["sql", "object"]) {
        // Tracks: R143, F02, F03, K4
        await test.step(`${storage}: exactly the limit of 100 at once, 20 times of 20`, async () => {
          for (let round = 0; round < 20; round++) {
            const replies = await race(both, `/${storage}?limit=5`, `192.0.2.${round}`);
            assert.equal(admitted(replies), 5);
            const refused = replies.find(({ status }) => status === 429)!;
            assert.match(refused.headers.get("retry-after")!, /^(?:900|899|89\d)$/);
            assert.equal(refused.headers.get("ratelimit-policy"), '"test";q=5;w=900');
          }
        });
      }

      // Tracks: R147, F03
      await test.step("the address is the one that the platform says, IPv6 by its network", async () => {
        const first = await race([both[0]!], "/sql?limit=5", "2001:db8::1");
        const second = await race([both[1]!], "/sql?limit=5", "2001:db8::ffff");
        assert.deepEqual([admitted(first), admitted(second)], [5, 0]);
      });

      for (const storage of ["fixed", "sliding"]) {
        // Tracks: R144, F02
        await test.step(`${storage}: at most the limit for each isolate, and no failure`, async () => {
          for (let round = 0; round < 5; round++) {
            const through = admitted(
              await race(both, `/${storage}?limit=5`, `198.51.100.${round}`),
            );
            assert.ok(through >= 5 && through <= 10, String(through));
          }
        });

        // Tracks: F16
        await test.step(`${storage}: windows below 60 seconds`, async () => {
          const replies = await race(both, `/${storage}?limit=5&window=10`, "203.0.113.1");
          assert.ok(admitted(replies) >= 5);
        });
      }

      await test.step("the platform's own limit", async () => {
        const replies = await race([both[0]!], "/platform?limit=5&window=60", "203.0.113.9");
        assert.equal(admitted(replies), 5);
      });

      // Tracks: F13
      await test.step("what was counted outlives the process", async () => {
        await miniflare.dispose();
        miniflare = startWorkers(script, folder);
        const worker = await miniflare.getWorker("two") as unknown as Fetcher;
        for (const storage of ["sql", "object"]) {
          assert.equal(admitted(await race([worker], `/${storage}?limit=5`, "192.0.2.19")), 0);
        }
      });
    } finally {
      await miniflare.dispose();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
