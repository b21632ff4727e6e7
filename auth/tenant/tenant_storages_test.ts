import assert from "node:assert/strict";
import { createD1Double } from "../tests/d1_double.ts";
import { createKeyValueDouble } from "../tests/key_value_double.ts";
import { createKeyValueTenantStorage } from "./kv.ts";
import { createSqlTenantMembers, createSqlTenantStorage } from "./sql.ts";

const ACME = { id: "t1", slug: "acme", name: "Acme" };

// Tracks: R140
Deno.test("createSqlTenantStorage() takes a table by a plain name and binds every value", async () => {
  const database = createD1Double();
  const wrong = [
    "x; drop",
    'x"',
    "a b",
    "a.b",
    "",
    "1a",
    "x".repeat(64),
    "tenants--",
    "ä",
    5,
    null,
  ];
  for (const tableName of wrong) {
    const make = () => createSqlTenantStorage(database, { tableName: tableName as string });
    assert.throws(make, { code: "CONFIGURATION" }, String(tableName));
  }
  database.sqlite.exec(`CREATE TABLE "Order" AS SELECT * FROM tenants`);
  const storage = createSqlTenantStorage(database, { tableName: "Order" });
  const name = "'); DROP TABLE tenants; --";
  await storage.create({ ...ACME, name, settings: { "'": "?1" } });
  assert.equal((await storage.getBySlug("acme"))?.name, name);
  assert.equal(await createSqlTenantStorage(database).get("t1"), null);
  database.close();
});

// Tracks: F18, F19
Deno.test("createSqlTenantStorage() counts a row that cannot be read as absent, and no table as a mistake", async () => {
  const database = createD1Double();
  const storage = createSqlTenantStorage(database);
  const members = createSqlTenantMembers(database);
  const corrupt: [string, string | number][] = [
    ["settings", "{"],
    ["settings", "[]"],
    ["settings", "null"],
    ["slug", "A B"],
    ["id", "a:b"],
    ["created_at", "yesterday"],
    ["created_at", 1e300],
    ["updated_at", 1.5],
    ["suspended_at", "no"],
  ];
  for (const [column, value] of corrupt) {
    await storage.create(ACME);
    database.sqlite.prepare(`UPDATE tenants SET ${column} = ?`).run(value);
    assert.equal(await storage.getBySlug("acme"), null, column);
    assert.deepEqual((await storage.list()).tenants, [], column);
    database.sqlite.exec("DELETE FROM tenants");
  }
  database.sqlite.exec("INSERT INTO users (id) VALUES ('ada')");
  for (const roles of ["x", "{}", "[1]", '"owner"', "null"]) {
    database.sqlite.prepare("INSERT INTO tenant_members VALUES ('t1', 'ada', ?, 0)").run(roles);
    assert.equal(await members.get("t1", "ada"), null, roles);
    assert.deepEqual((await members.listOfTenant("t1")).members, []);
    database.sqlite.exec("DELETE FROM tenant_members");
  }
  database.sqlite.exec("DROP TABLE tenants; DROP TABLE tenant_members");
  await assert.rejects(storage.get("t1"), { code: "CONFIGURATION" });
  await assert.rejects(members.get("t1", "ada"), { code: "CONFIGURATION" });
  database.fail = "D1_ERROR: out of order";
  await assert.rejects(storage.get("t1"), { code: "STORAGE_UNAVAILABLE", status: 503 });
  await assert.rejects(members.get("t1", "ada"), { code: "STORAGE_UNAVAILABLE" });
  database.close();
});

Deno.test("createSqlTenantMembers() knows users: none who is not there, none who is gone", async () => {
  const database = createD1Double();
  const members = createSqlTenantMembers(database);
  const membership = { tenantId: "t1", userId: "ada", roles: [], createdAt: new Date(0) };
  await assert.rejects(members.add(membership), { code: "USER_UNAVAILABLE" });
  database.sqlite.exec("INSERT INTO users (id) VALUES ('ada')");
  await members.add(membership);
  database.sqlite.exec("DELETE FROM users");
  assert.equal(await members.get("t1", "ada"), null);
  database.close();
});

Deno.test("createSqlTenantStorage() gives a slug to one of many who want it at once", async () => {
  const database = createD1Double();
  const storage = createSqlTenantStorage(database);
  const tries = Array.from(
    { length: 20 },
    (_, index) => storage.create({ ...ACME, id: `t${index}` }).then(() => 1, () => 0),
  );
  assert.equal((await Promise.all(tries)).reduce((sum: number, one) => sum + one, 0), 1);
  database.close();
});

// Tracks: R140, F16
Deno.test("createKeyValueTenantStorage() builds keys that no name can leave and KV takes", async () => {
  const double = createKeyValueDouble();
  double.limitsWrites = false;
  for (const prefix of ["x".repeat(257), "ä", "a b", "a\n", 5]) {
    const options = { prefix: prefix as string };
    const make = () => createKeyValueTenantStorage(double.at("here"), options);
    assert.throws(make, { code: "CONFIGURATION" });
  }
  const prefixes = ["", "tenant:", "tenant:id:", "tenant:slug:", "tenant", "x".repeat(256)];
  const stores = prefixes.map((prefix) =>
    createKeyValueTenantStorage(double.at("here"), { prefix })
  );
  const longest = { id: "i".repeat(64), slug: "s".repeat(63) };
  for (const [index, storage] of stores.entries()) {
    await storage.create({ ...longest, name: `of ${index}` });
    await storage.create({ id: "id", slug: "slug", name: `of ${index}` });
  }
  for (const [index, storage] of stores.entries()) {
    assert.equal((await storage.getBySlug("slug"))?.name, `of ${index}`);
    const { tenants } = await storage.list();
    assert.deepEqual(tenants.map(({ name }) => name), [`of ${index}`, `of ${index}`]);
  }
  const keys = (await double.stored()).filter((key) => key.startsWith("tenant:slug:s"));
  assert.ok(keys.includes(`tenant:slug:${longest.slug}`));
  // Keys that somebody else wrote are no tenants.
  await double.at("here").put("tenant:slug:evil", "../id:id");
  await double.at("here").put("tenant:slug:other", "id");
  await double.at("here").put("tenant:id:bad", '{"id":"id","slug":"bad","name":"Bad"}');
  await double.at("here").put("tenant:id:worse", "null");
  for (const slug of ["evil", "other", "bad"]) {
    assert.equal(await stores[1]!.getBySlug(slug), null, slug);
  }
  assert.equal(await stores[1]!.get("bad"), null);
  assert.equal(await stores[1]!.get("worse"), null);
});

// Tracks: R142, F14, F15
Deno.test("createKeyValueTenantStorage() is right everywhere after 60 seconds, as it says", async () => {
  const double = createKeyValueDouble();
  const now = () => double.clock.now;
  const here = createKeyValueTenantStorage(double.at("here"), { now });
  const there = createKeyValueTenantStorage(double.at("there"), { now });
  assert.equal(await there.getBySlug("acme"), null);
  await here.create(ACME);
  assert.equal((await here.getBySlug("acme"))?.id, "t1", "at once where it was made");
  double.clock.now += 59_000;
  assert.equal(await there.getBySlug("acme"), null, "not found is remembered, too");
  double.clock.now += 1001;
  assert.equal((await there.getBySlug("acme"))?.id, "t1");
  await here.update("t1", { suspended: true });
  assert.equal((await there.getBySlug("acme"))?.suspendedAt, undefined);
  double.clock.now += 60_001;
  assert.ok((await there.getBySlug("acme"))?.suspendedAt instanceof Date);
  await here.delete("t1");
  double.clock.now += 60_001;
  assert.equal(await there.getBySlug("acme"), null);
});

// Tracks: F16
Deno.test("createKeyValueTenantStorage() says that the store refused, and stores no half tenant that is found", async () => {
  const double = createKeyValueDouble();
  const storage = createKeyValueTenantStorage(double.at("here"), { now: () => double.clock.now });
  await storage.create(ACME);
  const busy = { code: "STORAGE_UNAVAILABLE", status: 503 };
  await assert.rejects(storage.update("t1", { name: "Too soon" }), busy);
  assert.equal((await storage.get("t1"))?.name, "Acme");
  double.clock.now += 1000;
  assert.equal((await storage.update("t1", { name: "Later" }))?.name, "Later");
  double.fail.reads = "KV GET failed: 500";
  await assert.rejects(storage.getBySlug("acme"), busy);
  await assert.rejects(storage.list(), busy);
  double.fail.reads = undefined;
  // The slug comes last: without it nobody finds the tenant by its address.
  const view = double.at("elsewhere");
  const failing = createKeyValueTenantStorage({
    ...view,
    put: (key, value) =>
      key.includes("slug:") ? Promise.reject(new Error("429")) : view.put(key, value),
  });
  await assert.rejects(failing.create({ id: "t2", slug: "new", name: "New" }), busy);
  assert.equal(await failing.getBySlug("new"), null);
});
