// The cases of the test kit's doubles and of the platform itself, over the bindings of a server.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import type { SqlDatabase } from "@framework/auth/storage";
import type { KeyValueNamespace } from "@framework/cli/runtime";
import { CASES as KV_CASES, outcome } from "../../testing/platform/fixtures/kv_cases.ts";
import { CASES as R2_CASES } from "../../testing/platform/fixtures/r2_cases.ts";
import type { R2BucketDouble } from "../../testing/platform/r2.ts";
import { FILE_CASES } from "../../tests/cli/file_cases.ts";
import { bundleEntries } from "../../tests/support/bundle.ts";
import { disposeMiniflare } from "../../tests/support/dispose_miniflare.ts";
import { openServerDatabase } from "./database.ts";
import type { FileList } from "./file_listing.ts";
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
        const kv = createKv(database, `kv${index}`);
        assert.deepEqual(await outcome(() => work(kv)), expected);
      });
    }
  });
});

Deno.test("keys of a server are read by the types of @framework/cli/runtime", async () => {
  await withDatabase(async (database) => {
    const kv: KeyValueNamespace = createKv(database, "kv");
    await kv.put("a", new TextEncoder().encode("hello"), { metadata: { by: "ada" } });
    assert.equal(await kv.get("a"), "hello");
    assert.equal((await kv.get("a", "arrayBuffer"))?.byteLength, 5);
    assert.equal(await new Response(await kv.get("a", "stream")).text(), "hello");
    const { value, metadata } = await kv.getWithMetadata<{ by: string }>("a");
    assert.deepEqual([value, metadata?.by], ["hello", "ada"]);
    assert.equal((await kv.getWithMetadata("b")).value, null);
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

Deno.test("objects of a server answer every case of options and uploads in parts", async (t) => {
  await withDatabase(async (database, folder) => {
    for (const [index, [name, work, expected]] of FILE_CASES.entries()) {
      await t.step(name, async () => {
        const bucket = createBucket({ database, folder, bucket: `bucket${index}` });
        assert.deepEqual(await work(bucket), expected);
      });
    }
  });
});

Deno.test({
  name: "R2 in workerd answers every case of options and uploads in parts",
  // Miniflare keeps a message port and a timer.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    // In the worker itself: not every object passes the bridge to this process.
    const entry = fileURLToPath(new URL("../../tests/cli/file_cases.ts", import.meta.url));
    const [file] = await bundleEntries([entry]);
    const miniflare = new Miniflare({
      modules: true,
      script: `${file!.text}
export default { async fetch(request, env) {
  const index = Number(new URL(request.url).pathname.slice(1));
  return Response.json([await FILE_CASES[index][1](env["BUCKET" + index])]);
} };`,
      compatibilityDate: "2026-07-30",
      r2Buckets: FILE_CASES.map((_, index) => `BUCKET${index}`),
    });
    try {
      for (const [index, [name, , expected]] of FILE_CASES.entries()) {
        await t.step(name, async () => {
          const response = await miniflare.dispatchFetch(`http://localhost/${index}`);
          const text = await response.text();
          assert.equal(text, JSON.stringify([expected]));
        });
      }
    } finally {
      await disposeMiniflare(miniflare);
    }
  },
});

const LETTERS = [
  "a",
  "b",
  "/",
  "é",
  "\ud7ff",
  "\ue000",
  "\uffff",
  "\u{10000}",
  "\u{10fffe}",
  "\u{10ffff}",
];

/** Up to four letters, of a generator with a seed. */
function createTexts(seed: number): () => string {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor(state / 2 ** 31 * below);
  };
  return () => Array.from({ length: next(5) }, () => LETTERS[next(LETTERS.length)]).join("");
}

Deno.test("lists have all keys with a prefix and no other, in order, whatever letters they are of", async () => {
  await withDatabase(async (database, folder) => {
    const text = createTexts(7);
    const keys = [...new Set(Array.from({ length: 120 }, text))].filter((key) => key !== "")
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const kv = createKv(database, "kv");
    const bucket = createBucket({ database, folder, bucket: "b" });
    for (const key of keys) await kv.put(key, "");
    await database.batch(keys.map((key, index) =>
      database.prepare(
        "INSERT INTO framework_objects (bucket, key, version, size, etag, checksums, uploaded, http_metadata, " +
          "custom_metadata) VALUES ('b', ?1, ?2, 0, '', '{}', 0, '{}', '{}')",
      ).bind(key, String(index))
    ));
    for (const prefix of ["", ...LETTERS, ...Array.from({ length: 60 }, text)]) {
      const expected = keys.filter((key) => key.startsWith(prefix));
      const names: string[] = [];
      let place: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof kv.list>> = await kv.list({
          ...{ prefix, limit: 7 },
          cursor: place,
        });
        names.push(...page.keys.map(({ name }) => name));
        place = page.cursor ?? null;
      } while (place !== null);
      assert.deepEqual(names, expected, prefix);
      for (const delimiter of [undefined, "/", "\u{10ffff}"]) {
        const [found, groups]: [string[], string[]] = [[], []];
        let cursor: string | undefined;
        do {
          const page: FileList = await bucket.list({
            ...{ prefix, limit: 5 },
            ...delimiter && { delimiter },
            ...cursor && { cursor },
          });
          found.push(...page.objects.map(({ key }) => key));
          groups.push(...page.delimitedPrefixes);
          cursor = page.cursor;
        } while (cursor !== undefined);
        const groupOf = (key: string): string | null => {
          const at = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
          return at === -1 ? null : key.slice(0, at + delimiter!.length);
        };
        assert.deepEqual(found, expected.filter((key) => groupOf(key) === null));
        const all = expected.map(groupOf).filter((group) => group !== null);
        assert.deepEqual(groups, [...new Set(all)]);
      }
    }
  });
});

/** Number of files below a folder, and of rows that name files to delete. */
async function left(database: SqlDatabase, folder: string): Promise<[number, number]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const { results } = await database.prepare("SELECT version FROM framework_garbage").all();
  return [entries.filter((entry) => entry.isFile()).length, results.length];
}

Deno.test("content that becomes no object's is deleted at once", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "b" });
    const { etag } = (await bucket.put("kept", "1"))!;
    const broken = (): ReadableStream<Uint8Array> => {
      let sent = false;
      return new ReadableStream({
        pull(controller) {
          if (sent) throw new Error("hung up");
          sent = true;
          controller.enqueue(new Uint8Array(70_000));
        },
      });
    };
    await assert.rejects(bucket.put("a", broken()), /hung up/);
    await assert.rejects(bucket.put("a", "2", { md5: "0".repeat(32) }), /md5|MD5|checksum/i);
    assert.equal(await bucket.put("kept", "3", { onlyIf: { etagDoesNotMatch: etag } }), null);
    const upload = await bucket.createMultipartUpload("parts");
    await assert.rejects(upload.uploadPart(1, broken()), /hung up/);
    assert.deepEqual(await left(database, folder), [1, 0]);
    const kept = await bucket.get("kept");
    assert.ok(kept !== null && "text" in kept);
    assert.equal(await kept.text(), "1");
  });
});

Deno.test("an upload is aborted by its own key alone", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "b" });
    const upload = await bucket.createMultipartUpload("own");
    const part = await upload.uploadPart(1, "content");
    await bucket.resumeMultipartUpload("other", upload.uploadId).abort();
    const elsewhere = createBucket({ database, folder, bucket: "c" });
    await elsewhere.resumeMultipartUpload("own", upload.uploadId).abort();
    await upload.complete([part]);
    const own = await bucket.get("own");
    assert.ok(own !== null && "text" in own);
    assert.equal(await own.text(), "content");
  });
});

Deno.test("the database of a server prepares no statement that would leave a transaction open", async () => {
  await withDatabase(async (database) => {
    for (
      const sql of [
        "BEGIN",
        " begin immediate",
        "-- why\n/* not */ COMMIT",
        "SAVEPOINT a",
        "Rollback;",
        "END",
        "RELEASE a",
        "START TRANSACTION",
      ]
    ) assert.throws(() => database.prepare(sql), /transaction that is left open.*batch\(\)/, sql);
    await database.prepare("CREATE TABLE beginnings (begin TEXT)").run();
    await database.prepare("INSERT INTO beginnings (begin) VALUES ('BEGIN')").run();
  });
});

Deno.test("no option of a bucket is ignored", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "b" });
    const odd = { storageClass: "InfrequentAccess", ssecKey: "0".repeat(64), later: 1 };
    for (const [name, value] of Object.entries(odd)) {
      const options = { [name]: value };
      const message = new RegExp(`A server does not support the option ${name}`);
      await assert.rejects(bucket.put("a", "x", options), message);
      await assert.rejects(bucket.get("a", options), message);
      await assert.rejects(bucket.list(options), message);
      await assert.rejects(bucket.createMultipartUpload("a", options), message);
      const upload = bucket.resumeMultipartUpload("a", "b");
      await assert.rejects(upload.uploadPart(1, "x", options), message);
      await assert.rejects(bucket.get("a", { onlyIf: options }), message);
    }
    await bucket.put("a", "x", { storageClass: "Standard" } as object);
    await assert.rejects(bucket.list({ cursor: "nonsense" }), /cursor is none that list\(\)/);
    await assert.rejects(bucket.list({ include: ["all" as "httpMetadata"] }), /include value all/);
  });
});

Deno.test("parts that nobody completes are deleted", async () => {
  await withDatabase(async (database, folder) => {
    const bucket = createBucket({ database, folder, bucket: "b" });
    const files = async () =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile()).length;
    const upload = await bucket.createMultipartUpload("a");
    await upload.uploadPart(1, "x");
    await upload.uploadPart(1, "y");
    await (await bucket.createMultipartUpload("b")).uploadPart(1, "x");
    await sweepFiles({ database, folder });
    assert.equal(await files(), 3);
    await database.prepare("UPDATE framework_uploads SET created = 0").run();
    await assert.rejects(upload.uploadPart(1, "x"), /does not exist/);
    await database.prepare("UPDATE framework_garbage SET delete_at = 0").run();
    await sweepFiles({ database, folder });
    assert.equal(await files(), 0);
    for (const table of ["uploads", "parts", "garbage"]) {
      const { results } = await database.prepare(`SELECT * FROM framework_${table}`).all();
      assert.deepEqual(results, [], table);
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
