// The cases of the test kit's doubles and of the platform itself, over the bindings of a server.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SqlDatabase } from "@framework/auth/storage";
import { CASES as KV_CASES, outcome } from "../../testing/platform/fixtures/kv_cases.ts";
import { CASES as R2_CASES } from "../../testing/platform/fixtures/r2_cases.ts";
import type { KvNamespaceDouble } from "../../testing/platform/kv.ts";
import type { R2BucketDouble } from "../../testing/platform/r2.ts";
import { openServerDatabase } from "./database.ts";
import { createBucket, sweepFiles } from "./files.ts";
import { createKv, sweepKv } from "./kv.ts";

async function withDatabase(
  work: (database: SqlDatabase, folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "server-"));
  const database = await openServerDatabase({
    file: join(folder, "database.sqlite"),
    migrations: join(folder, "migrations"),
    table: "d1_migrations",
  });
  try {
    await work(database.binding, join(folder, "files"));
  } finally {
    database.close();
    await rm(folder, { recursive: true });
  }
}

Deno.test("keys of a server answer every conformance case", async (t) => {
  await withDatabase(async (database) => {
    for (const [index, [name, work, expected]] of KV_CASES.entries()) {
      await t.step(name, async () => {
        const kv = createKv(database, `kv${index}`) as unknown as KvNamespaceDouble;
        assert.deepEqual(await outcome(() => work(kv)), expected);
      });
    }
  });
});

Deno.test("keys of a server expire, and are deleted then", async () => {
  await withDatabase(async (database) => {
    const kv = createKv(database, "kv");
    await kv.put("soon", "1", { expirationTtl: 60 });
    await kv.put("never", "1");
    await database.prepare("UPDATE framework_kv SET expires_at = ?1 WHERE key = 'soon'")
      .bind(Math.floor(Date.now() / 1000)).run();
    assert.equal(await kv.get("soon"), null);
    assert.deepEqual((await kv.list()).keys, [{ name: "never" }]);
    await sweepKv(database);
    const { results } = await database.prepare("SELECT key FROM framework_kv").all();
    assert.deepEqual(results.length, 1);
  });
});

Deno.test("objects of a server answer every conformance case", async (t) => {
  await withDatabase(async (database, folder) => {
    for (const [index, [name, work, expected]] of R2_CASES.entries()) {
      await t.step(name, async () => {
        const bucket = createBucket({ database, folder, bucket: `bucket${index}` });
        assert.deepEqual(await outcome(() => work(bucket as unknown as R2BucketDouble)), expected);
      });
    }
  });
});

Deno.test("no key of an object is a part of a path", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "../outside" });
    const keys = ["../../escaped", "/etc/escaped", "a\\..\\escaped", "a\0b", ".", "..", ""];
    for (const key of keys) await bucket.put(key, key);
    for (const key of keys) {
      const object = await bucket.get(key);
      assert.equal(await new Response((object as unknown as { body: BodyInit }).body).text(), key);
    }
    const entries = await readdir(join(folder, ".."), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const objects = files.filter((name) => !name.startsWith("database.sqlite"));
    assert.equal(objects.length, keys.length);
    for (const name of objects) assert.match(name, /^[0-9a-f]{32}$/);
  });
});

Deno.test("of objects written at once one is whole, and files without an object are deleted", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "b" });
    const contents = Array.from({ length: 10 }, (_, index) => String(index).repeat(50_000));
    const first = await Promise.all(
      contents.map((text) => bucket.put("one", text, { onlyIf: { etagDoesNotMatch: "*" } })),
    );
    assert.equal(first.filter((object) => object !== null).length, 1);
    await Promise.all(contents.map((text) => bucket.put("one", text)));
    const object = await bucket.get("one") as unknown as { text(): Promise<string> };
    assert.ok(contents.includes(await object.text()));

    const failing = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1000));
        controller.error(new Error("The client has gone"));
      },
    });
    await assert.rejects(bucket.put("one", failing), /has gone/);
    assert.ok(contents.includes(
      await new Response(
        (await bucket.get("one") as unknown as {
          body: BodyInit;
        }).body,
      ).text(),
    ));

    await database.prepare("UPDATE framework_garbage SET delete_at = 0").run();
    await sweepFiles({ database, folder });
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    assert.equal(files.length, 1);
    assert.equal((await stat(join(files[0]!.parentPath, files[0]!.name))).size, 50_000);
  });
});
