import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { inMatrix } from "../support/matrix.ts";
import { sendRaw } from "../support/raw_http.ts";
import { buildServer, serve, type ServerRuntime, startServer } from "./built_server.ts";
import { until } from "./framework.ts";

const files = {
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "app/send/[count]/route.ts": `export async function GET(_request, { env, params }) {
  const count = Number(params.count);
  await env.JOBS.sendBatch(Array.from({ length: count }, (_, index) => ({ body: index })));
  return { count };
}`,
  "app/hold/route.ts": `export async function GET(_request, { env }) {
  await env.JOBS.send("hold");
  return "sent";
}`,
  "app/queues/jobs.ts": `export async function queue(messages, _env, { db }) {
  for (const { body, attempts } of messages) {
    if (body === "hold" && attempts === 1) {
      console.log("holding");
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    }
    await db.insertInto("runs").values({ what: String(body), attempts }).execute();
  }
}`,
  "app/cron/minute.ts": `export const schedule = "* * * * *";
export async function scheduled({ scheduledTime }, _env, { db }) {
  await db.insertInto("runs").values({ what: "cron " + scheduledTime, attempts: 1 }).execute();
}`,
  "migrations/0002_runs.sql": "CREATE TABLE runs (what TEXT NOT NULL, attempts INTEGER NOT NULL);",
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB" }],
    queues: {
      producers: [{ binding: "JOBS", queue: "jobs" }],
      consumers: [{ queue: "jobs", max_batch_timeout: 0 }],
    },
    triggers: { crons: ["* * * * *"] },
  }),
};

for (const runtime of (inMatrix ? ["Node 22", "Deno"] : ["Deno"]) as ServerRuntime[]) {
  Deno.test({
    name:
      `two processes run each message and each job once, and what one was killed at again: ${runtime}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (test) => {
      await using app = await buildServer(runtime, files);
      await using first = await startServer(runtime, app);
      await using second = await serve(runtime, app);
      using database = new DatabaseSync(`${app.root}/data/database.sqlite`, { readOnly: true });
      const runs = (like: string) =>
        database.prepare("SELECT what, attempts FROM runs WHERE what GLOB ?").all(like)
          .map(({ what, attempts }) => [what, attempts] as [string, number]);
      const get = (server: { port: number }, path: string) =>
        sendRaw(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n`,
        );

      await test.step("each message once", async () => {
        for (let turn = 0; turn < 3; turn++) {
          for (const server of [first, second]) {
            assert.equal((await get(server, "/send/100")).status, 200);
          }
        }
        await until(() => runs("[0-9]*").length, (count) => count >= 600, 60_000);
        const counts = new Map<string, number>();
        for (const [what, attempts] of runs("[0-9]*")) {
          assert.equal(attempts, 1);
          counts.set(what, (counts.get(what) ?? 0) + 1);
        }
        assert.deepEqual([...counts.values()], Array(100).fill(6));
      });
      if (!inMatrix) return;

      await test.step("each job once", async () => {
        await until(() => runs("cron*").length, (count) => count >= 2, 130_000);
        const times = runs("cron*").map(([what]) => what);
        assert.equal(new Set(times).size, times.length);
      });

      await test.step("what a killed process had comes again after its lease", async () => {
        await get(first, "/hold");
        const holder = await Promise.any(
          [first, second].map(async (server) => {
            await server.child.waitFor(/holding/, 20);
            return server;
          }),
        );
        Deno.kill(holder.child.pid, "SIGKILL");
        await holder.child.ended;
        const [found] = await until(() => runs("hold"), (list) => list.length > 0, 90_000);
        assert.deepEqual(found, ["hold", 2]);
      });
    },
  });
}
