import assert from "node:assert/strict";
import type { TenantStorage } from "../types/tenant.ts";

/** Checks one behaviour of an empty storage, whose clock goes on by a second with every look. */
export type TenantCase = (storage: TenantStorage) => Promise<void>;

const TAKEN = { code: "TENANT_EXISTS", status: 409 };
const INVALID = { code: "INVALID_TENANT", status: 400 };

/** Texts that are not slugs. */
export const NO_SLUGS: readonly string[] = [
  "",
  "-a",
  "a-",
  "A",
  "a.b",
  "a:b",
  "a/b",
  "../x",
  "..",
  ".",
  "a b",
  "a%2fb",
  "a\u0000",
  "a\n",
  "ä",
  "xn--4ca",
  "a".repeat(64),
  "x".repeat(600),
  "a@b",
  "*",
  "__proto__",
];

/** Cases that every storage must pass, whatever it is made of. */
export const TENANT_CASES: Record<string, TenantCase> = {
  "create() stores a tenant that is found by its id and its slug": async (storage) => {
    const settings = { plan: "pro", limits: { seats: 5 }, tags: ["a"] };
    const tenant = await storage.create({ slug: "acme", name: "Acme Ltd", settings });
    assert.match(tenant.id, /^[0-9a-f-]{36}$/);
    assert.ok(tenant.createdAt instanceof Date && tenant.updatedAt instanceof Date);
    const { createdAt, updatedAt, id } = tenant;
    const expected = { id, slug: "acme", name: "Acme Ltd", settings, createdAt, updatedAt };
    assert.deepEqual(tenant, expected);
    assert.deepEqual(await storage.get(id), expected);
    assert.deepEqual(await storage.getBySlug("acme"), expected);
    assert.equal(await storage.get("other"), null);
    assert.equal(await storage.getBySlug("other"), null);
    assert.equal(await storage.getBySlug(id), null);
  },
  "create() keeps the id and the times that it is given, and no settings": async (storage) => {
    const createdAt = new Date("2020-01-02T03:04:05.678Z");
    const given = { id: "t_1", slug: "a", name: "A", createdAt, updatedAt: createdAt };
    assert.deepEqual(await storage.create(given), given);
    assert.deepEqual(await storage.get("t_1"), given);
  },
  "create() refuses an id or a slug that is taken": async (storage) => {
    await storage.create({ id: "t1", slug: "acme", name: "Acme" });
    await assert.rejects(storage.create({ id: "t1", slug: "other", name: "Other" }), TAKEN);
    await assert.rejects(storage.create({ id: "t2", slug: "acme", name: "Other" }), TAKEN);
    assert.equal(await storage.get("t2"), null);
    assert.equal((await storage.get("t1"))?.name, "Acme");
    assert.equal(await storage.getBySlug("other"), null);
  },
  "no tenant's slug is another's id": async (storage) => {
    await storage.create({ id: "t1", slug: "acme", name: "Acme" });
    await assert.rejects(storage.create({ id: "evil", slug: "t1", name: "Evil" }), TAKEN);
    await assert.rejects(storage.create({ id: "acme", slug: "evil", name: "Evil" }), TAKEN);
    await storage.create({ id: "t2", slug: "good", name: "Good" });
    await assert.rejects(storage.update("t2", { slug: "t1" }), TAKEN);
    assert.equal((await storage.get("t2"))?.slug, "good");
    await storage.create({ id: "same", slug: "same", name: "Its own" });
    assert.equal((await storage.update("same", { name: "Still" }))?.name, "Still");
  },
  // Tracks: R139, R140
  "what can be no slug or no id is never stored and never found": async (storage) => {
    for (const slug of NO_SLUGS) {
      await assert.rejects(storage.create({ slug, name: "X" }), INVALID, JSON.stringify(slug));
      assert.equal(await storage.getBySlug(slug), null);
    }
    for (const id of ["", "a:b", "../x", ".", "a b", "x".repeat(65), "ä", "a/b", "a'b"]) {
      await assert.rejects(storage.create({ id, slug: "a", name: "X" }), INVALID, id);
      assert.equal(await storage.get(id), null);
      assert.equal(await storage.update(id, { name: "X" }), null);
      assert.equal(await storage.delete(id), false);
    }
    await storage.create({ slug: "a".repeat(63), name: "The longest" });
    await storage.create({ slug: "0", name: "The shortest" });
  },
  "create() refuses what a tenant cannot have": async (storage) => {
    // Tracks: A-04, R166
    for (const name of ["", "   ", "x".repeat(201), "a\0", "a\nb", "a\ud800", 5, null]) {
      await assert.rejects(storage.create({ slug: "a", name: name as string }), INVALID);
    }
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const settings of [[], "x", null, cyclic, { n: 1n }, { long: "x".repeat(100_000) }]) {
      const wrong = settings as Record<string, unknown>;
      await assert.rejects(storage.create({ slug: "a", name: "A", settings: wrong }), INVALID);
    }
    const createdAt = new Date(NaN);
    await assert.rejects(storage.create({ slug: "a", name: "A", createdAt }), INVALID);
    assert.equal(await storage.getBySlug("a"), null);
  },
  // Tracks: CASL `rulesToFields` #1093, hono ef902257, GHSA-737v-mqg7-c878
  "settings named like parts of every object are settings and nothing else": async (storage) => {
    const settings = JSON.parse('{"__proto__":{"admin":true},"constructor":"x","toString":1}');
    const { id } = await storage.create({ slug: "a", name: "A", settings });
    const stored = (await storage.get(id))!;
    assert.equal(JSON.stringify(stored.settings), JSON.stringify(settings));
    assert.equal((stored.settings as { admin?: unknown }).admin, undefined);
    assert.equal(({} as { admin?: unknown }).admin, undefined);
    const withMore = JSON.parse('{"slug":"b","name":"B","__proto__":{"id":"z"},"suspendedAt":1}');
    const made = await storage.create(withMore);
    assert.deepEqual(Object.keys((await storage.get(made.id))!).sort(), [
      "createdAt",
      "id",
      "name",
      "slug",
      "updatedAt",
    ]);
  },
  "update() changes what is given": async (storage) => {
    const settings = { a: 1 };
    const made = await storage.create({ id: "t1", slug: "acme", name: "Acme", settings });
    const renamed = await storage.update("t1", { name: "Acme Inc", slug: "acme-inc" });
    assert.equal(renamed?.name, "Acme Inc");
    assert.deepEqual(renamed?.settings, settings);
    assert.deepEqual(renamed?.createdAt, made.createdAt);
    assert.ok(renamed!.updatedAt > made.updatedAt);
    assert.deepEqual(await storage.get("t1"), renamed);
    assert.equal(await storage.getBySlug("acme"), null);
    assert.equal((await storage.getBySlug("acme-inc"))?.id, "t1");
    assert.deepEqual((await storage.update("t1", { settings: {} }))?.settings ?? {}, {});
    assert.equal(await storage.update("t2", { name: "X" }), null);
    await assert.rejects(storage.update("t1", { slug: "A" }), INVALID);
  },
  "update() gives a slug that was left to whoever wants it": async (storage) => {
    await storage.create({ id: "t1", slug: "acme", name: "Acme" });
    await storage.create({ id: "t2", slug: "other", name: "Other" });
    await assert.rejects(storage.update("t2", { slug: "acme" }), TAKEN);
    await storage.update("t1", { slug: "moved" });
    assert.equal((await storage.update("t2", { slug: "acme" }))?.slug, "acme");
    assert.equal((await storage.getBySlug("acme"))?.id, "t2");
    assert.equal((await storage.getBySlug("moved"))?.id, "t1");
  },
  "update() suspends a tenant and ends that": async (storage) => {
    await storage.create({ id: "t1", slug: "acme", name: "Acme" });
    const suspended = await storage.update("t1", { suspended: true });
    assert.ok(suspended?.suspendedAt instanceof Date);
    assert.deepEqual((await storage.getBySlug("acme"))?.suspendedAt, suspended.suspendedAt);
    const renamed = await storage.update("t1", { name: "New", suspended: true });
    assert.deepEqual(renamed?.suspendedAt, suspended.suspendedAt);
    assert.equal((await storage.update("t1", { suspended: false }))?.suspendedAt, undefined);
    assert.equal("suspendedAt" in (await storage.get("t1"))!, false);
  },
  "delete() removes a tenant": async (storage) => {
    await storage.create({ id: "t1", slug: "acme", name: "Acme" });
    assert.equal(await storage.delete("t1"), true);
    assert.equal(await storage.delete("t1"), false);
    assert.equal(await storage.get("t1"), null);
    assert.equal(await storage.getBySlug("acme"), null);
    await storage.create({ id: "t2", slug: "acme", name: "Another" });
    assert.equal((await storage.getBySlug("acme"))?.id, "t2");
  },
  "list() goes through all tenants in parts": async (storage) => {
    assert.deepEqual(await storage.list(), { tenants: [], cursor: null });
    const ids = ["a1", "b2", "c3", "d4", "e5"];
    for (const id of [...ids].reverse()) {
      await storage.create({ id, slug: `s-${id}`, name: id });
    }
    await storage.update("c3", { suspended: true });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const part: Awaited<ReturnType<TenantStorage["list"]>> = await storage.list({
        limit: 2,
        ...(cursor !== null && { cursor }),
      });
      assert.ok(part.tenants.length <= 2);
      seen.push(...part.tenants.map(({ id }) => id));
      cursor = part.cursor;
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
    assert.deepEqual((await storage.list()).tenants.map(({ id }) => id), ids);
    for (const limit of [0, 101, 1.5, NaN, "5" as unknown as number]) {
      await assert.rejects(storage.list({ limit }), { code: "CONFIGURATION" });
    }
  },
};
