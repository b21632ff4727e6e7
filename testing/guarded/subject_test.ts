// What a handler changes before its guard refuses, in each kind of binding and outside.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestContext } from "../context/test_context.ts";
import { assertGuarded } from "./assert_guarded.ts";

const PLATFORM = `{
  "name": "fixture",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "d1_databases": [{ "binding": "DB", "database_name": "db", "database_id": "db" }],
  "kv_namespaces": [{ "binding": "CACHE", "id": "cache" }],
  "r2_buckets": [{ "binding": "FILES", "bucket_name": "files" }],
  "queues": { "producers": [{ "binding": "JOBS", "queue": "jobs" }] },
  "send_email": [{ "name": "MAIL" }]
}`;

interface Env {
  DB: { prepare(sql: string): { run(): Promise<unknown> } };
  CACHE: {
    put(key: string, value: string): Promise<unknown>;
    delete(key: string): Promise<unknown>;
  };
  FILES: { put(key: string, value: string): Promise<unknown> };
  JOBS: { send(body: unknown): Promise<unknown> };
  MAIL: { send(mail: Record<string, string>): Promise<unknown> };
}

const run = (sql: string) => ({ DB }: Env) => DB.prepare(sql).run();

/** Work before the guard, and what the message must say of it. */
const CHANGES: Record<string, [change: (env: Env) => Promise<unknown>, said: RegExp]> = {
  "a row that is added": [
    run("INSERT INTO notes VALUES (2, 'bread')"),
    /changed DB\.notes: 1 row added, \{"id":2,"text":"bread"\}/,
  ],
  "a row that is removed": [run("DELETE FROM notes"), /changed DB\.notes: 1 row removed/],
  "a row that is changed": [
    run("UPDATE notes SET text = 'eggs'"),
    /changed DB\.notes: 1 row changed, from \{"id":1,"text":"milk"\} to \{"id":1,"text":"eggs"\}/,
  ],
  "a table": [run("CREATE TABLE more (id INTEGER)"), /changed DB schema: 1 row added/],
  "an entry": [({ CACHE }) => CACHE.put("seen", "yes"), /changed CACHE\.seen: 1 row added/],
  "an entry that is removed": [
    ({ CACHE }) => CACHE.delete("known"),
    /changed CACHE\.known: 1 row removed/,
  ],
  "a file": [
    ({ FILES }) => FILES.put("note.txt", "milk"),
    /changed FILES\.note\.txt: 1 row added, .*"value":"milk"/,
  ],
  "a message": [
    ({ JOBS }) => JOBS.send({ id: 1 }),
    /changed jobs: 1 row added, \{"body":\{"id":1\}/,
  ],
  "a mail": [
    ({ MAIL }) =>
      MAIL.send({ from: "a@example.com", to: "b@example.com", subject: "Hi", text: "Milk" }),
    /changed MAIL: 1 row added, .*"subject":"Hi"/,
  ],
  "a call of another server": [
    () => fetch("https://hooks.example/notes", { method: "POST" }),
    /changed fetch POST https:\/\/hooks\.example\/notes: sent/,
  ],
  "work after the answer": [
    ({ CACHE }) => new Promise((resolve) => setTimeout(resolve, 5)).then(() => CACHE.put("a", "b")),
    /changed CACHE\.a: 1 row added/,
  ],
};

const folder = await mkdtemp(join(tmpdir(), "guarded-"));
await writeFile(join(folder, "wrangler.json"), PLATFORM);
Deno.test.afterAll(() => rm(folder, { recursive: true }));

for (const [name, [change, said]] of Object.entries(CHANGES)) {
  Deno.test(`assertGuarded() finds a refusal after ${name}`, async () => {
    await using ctx = await createTestContext<Env & Record<string, unknown>>({
      cwd: folder,
      async handler(request: Request, env: Env, worker: { waitUntil(work: unknown): void }) {
        if (name === "work after the answer") worker.waitUntil(change(env));
        else await change(env);
        const isOwner = request.headers.get("authorization") === "Bearer ada";
        return new Response(null, { status: isOwner ? 204 : 403 });
      },
    });
    ctx.onFetch("https://hooks.example/*", () => ({}));
    await run("CREATE TABLE notes (id INTEGER, text TEXT)")(ctx.env);
    await run("INSERT INTO notes VALUES (1, 'milk')")(ctx.env);
    await ctx.env.CACHE.put("known", "yes");
    const asked = assertGuarded(ctx, {
      routes: ["POST /notes"],
      owner: { authorization: "Bearer ada" },
      user: { authorization: "Bearer eve" },
    });
    const message = await asked.then(() => "Nothing was found.", ({ message }: Error) => message);
    assert.match(message, /POST \/notes\n {2}- a visitor got 403, but changed/);
    assert.match(message, said);
  });
}
