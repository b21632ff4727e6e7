import { createUser, outbox, type OutboxMessage } from "@framework/auth";
import { sqlite } from "@framework/auth/sqlite";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createApplication, type Worker } from "./application.ts";
import type { AppManifest, ManifestModule } from "./manifest.ts";
import type { BackgroundContext, ExecutionContext, QueueMessage } from "./types.ts";

function start(more: Partial<AppManifest>): Worker {
  return createApplication({ database: "DB", dev: false, auth: null, routes: [], ...more }).worker;
}

function job(
  schedule: string | string[],
  scheduled: (...args: never[]) => unknown,
): ManifestModule {
  return { file: "app/cron/job.ts", module: { schedule, scheduled } };
}

const ctx: ExecutionContext = { waitUntil: () => {} };
const at = (cron: string) => ({ cron, scheduledTime: 0 });

Deno.test("createQueueHandler() hands a batch to the file with the queue's name", async () => {
  const calls: unknown[] = [];
  const handler = (name: string): ManifestModule => ({
    file: `app/queues/${name}.ts`,
    module: { queue: (...args: unknown[]) => calls.push([name, ...args]) },
  });
  const { queue } = start({ queues: { mails: handler("mails"), jobs: handler("jobs") } });
  const messages: QueueMessage[] = [];
  const env = {};
  await queue!({ queue: "jobs", messages }, env, ctx);
  assert.equal(calls.length, 1);
  const [name, ...args] = calls[0] as unknown[];
  assert.equal(name, "jobs");
  assert.ok(args[0] === messages && args[1] === env);
});

Deno.test("handlers have the database that the project names, and waitUntil of the platform", async () => {
  using file = new DatabaseSync(":memory:");
  file.exec("CREATE TABLE runs (what TEXT)");
  const work = Promise.resolve();
  const handle = async (what: string, context: BackgroundContext) => {
    await context.db.insertInto("runs").values({ what }).execute();
    assert.equal(context.db, context.db);
    context.waitUntil(work);
  };
  const { queue, scheduled } = start({
    database: "MAIN",
    queues: {
      mails: {
        file: "app/queues/mails.ts",
        module: { queue: (_: unknown, __: object, own: BackgroundContext) => handle("queue", own) },
      },
    },
    cron: [job("a", (_: unknown, __: object, own: BackgroundContext) => handle("cron", own))],
  });
  const kept: unknown[] = [];
  const platform = {
    kept,
    waitUntil(promise: Promise<unknown>) {
      this.kept.push(promise); // the platform's own rejects another this
    },
  };
  await queue!({ queue: "mails", messages: [] }, { MAIN: sqlite(file) }, platform);
  await scheduled!(at("a"), { MAIN: sqlite(file) }, platform);
  assert.deepEqual(file.prepare("SELECT what FROM runs").all().map(({ what }) => what), [
    "queue",
    "cron",
  ]);
  assert.deepEqual(kept, [work, work]);
  await assert.rejects(scheduled!(at("a"), {}, platform), /database binding "MAIN"/);
});

Deno.test("handlers without a database have a context all the same", async () => {
  const contexts: BackgroundContext[] = [];
  const { scheduled } = start({
    cron: [job("a", (_: unknown, __: object, own: BackgroundContext) => contexts.push(own))],
  });
  await scheduled!(at("a"), {});
  contexts[0]!.waitUntil(Promise.resolve());
  assert.throws(() => contexts[0]!.db, /database binding "DB"/);
});

Deno.test("a cron job delivers what the outbox of app/auth has stored, and is told when there is none", async () => {
  using file = new DatabaseSync(":memory:");
  const database = sqlite(file);
  await database.migrate!();
  const arrived: string[] = [];
  const destination = {
    id: "crm",
    deliver: ({ type }: OutboxMessage) => Promise.resolve(void arrived.push(type)),
  };
  const outcomes: unknown[] = [];
  const cron = [
    job("a", async (_: unknown, own: object, { getAuth }: BackgroundContext) => {
      outcomes.push(await getAuth().deliver(own, { limit: 10 }));
    }),
  ];
  const config = { secret: "a secret of at least thirty-two bytes" };
  const providers = { outbox: outbox({ destinations: [destination] }) };
  const env = { DB: database };
  const worker = start({
    cron,
    auth: { config, providers },
    routes: [{
      pattern: "/api/users",
      file: "app/api/users/route.ts",
      kind: "route",
      layouts: [],
      middleware: [],
      module: {
        async POST() {
          await createUser({ id: "ada" });
          return new Response(null, { status: 204 });
        },
      },
    }],
  });
  const origin = "http://localhost";
  const request = new Request(`${origin}/api/users`, { method: "POST", headers: { origin } });
  assert.equal((await worker.fetch(request, env, ctx)).status, 204);
  await worker.scheduled!(at("a"), env);
  assert.deepEqual(arrived, ["sign-up"]);
  assert.deepEqual(outcomes, [{ delivered: 1, failed: 0, dead: 0, more: false }]);
  await assert.rejects(
    start({ cron }).scheduled!(at("a"), env),
    /the project has no app\/auth/,
  );
});

Deno.test("createQueueHandler() lets a failure reach the platform, which delivers again", async () => {
  const fail = (): never => {
    throw new Error("no mail server");
  };
  const queues = { mails: { file: "app/queues/mails.ts", module: { queue: fail } } };
  const { queue } = start({ queues });
  await assert.rejects(queue!({ queue: "mails", messages: [] }, {}), /no mail server/);
  await assert.rejects(
    queue!({ queue: "toString", messages: [] }, {}),
    /app\/queues\/toString\.ts/,
  );
});

Deno.test("createScheduledHandler() runs every job that is due, and no other", async () => {
  const ran: string[] = [];
  const { scheduled } = start({
    cron: [
      job("0 3 * * *", () => ran.push("nightly")),
      job(["0 3 * * *", "0 4 * * *"], () => ran.push("twice")),
      job("* * * * *", () => ran.push("always")),
    ],
  });
  await scheduled!(at("0 3 * * *"), {});
  assert.deepEqual(ran, ["nightly", "twice"]);
  await assert.rejects(scheduled!(at("0 5 * * *"), {}), /No file of app\/cron has the schedule/);
});

Deno.test("createScheduledHandler() runs the others when one fails, and then fails itself", async () => {
  let ran = false;
  const fail = (): never => {
    throw new Error("broken");
  };
  const cron = [job("a", fail), job("a", () => ran = true), job(["b"], fail), job(["b"], fail)];
  const { scheduled } = start({ cron });
  await assert.rejects(scheduled!(at("a"), {}), /^Error: broken$/);
  assert.equal(ran, true);
  await assert.rejects(scheduled!(at("b"), {}), { name: "AggregateError", message: /^2 jobs/ });
});

Deno.test("createApplication() has no handler for what the application has no file for", () => {
  assert.deepEqual(Object.keys(start({})), ["fetch"]);
});
