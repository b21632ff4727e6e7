import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createAuth } from "../app/create_auth.ts";
import { unlinkAccount } from "../account/linked_accounts.ts";
import { createApiKey, revokeApiKey, rotateApiKey } from "../api_key/operations.ts";
import { apiKeys } from "../api_key/provider.ts";
import {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  passwordChanged,
  setUserRoles,
  transaction,
} from "../session/users.ts";
import { credentials } from "../sign_in/credentials.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { outboxGroup, type OutboxStorage } from "../storage/outbox.ts";
import { createSqlStorage } from "../storage/sql.ts";
import type { Storage } from "../storage/storage.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { sqlite } from "../storage/sqlite.ts";
import type { StorageGroup } from "../storage/group.ts";
import { EVENT_TYPES } from "../types/events.ts";
import { addMember, removeMember, setMemberRoles } from "../tenant/operations.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createSqlTenantStorage } from "../tenant/sql.ts";
import { outbox } from "./outbox.ts";
import { destination, NOW, open } from "../tests/outbox_application.ts";

const MEMBER_EVENTS = ["member-added", "member-removed", "member-roles-changed"] as const;

/** A storage over SQLite that cannot store an event by itself: only with its change. */
function withoutFallback(file: DatabaseSync): Storage {
  const storage = createSqlStorage(sqlite(file));
  return {
    ...storage,
    group<Operations>(wanted: StorageGroup<Operations>) {
      const operations = storage.group!(wanted);
      if (wanted.name !== outboxGroup.name) return operations;
      const own: OutboxStorage = {
        ...operations as OutboxStorage,
        putMessages: () => Promise.reject(new Error("the process has ended")),
      };
      return own as Operations;
    },
  };
}

Deno.test("an event is stored with its change: nothing is left to do when the process ends after it", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all");
  await createAuth({ database: sqlite(file), secret: "x".repeat(32) }).migrate();
  // Every look at the clock tells another time, as on a slow machine.
  let time = NOW;
  const auth = createAuth({
    database: withoutFallback(file),
    secret: "a secret of at least thirty-two bytes",
    now: () => time++,
    providers: [
      outbox({ destinations: [all.one] }),
      apiKeys({ prefix: "acme" }),
      credentials({
        credentials: { name: { label: "Name", type: "text", required: true } },
        authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
      }),
      passwords({ verification: "later", sendMail: () => {} }),
    ],
    logger: { info() {}, warn() {}, error() {} },
  });
  let cookie = "";
  async function post(path: string, body: unknown): Promise<void> {
    const headers = { accept: "application/json", "content-type": "application/json", cookie };
    const request = new Request(`http://localhost/auth/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const response = await auth.handle(request, {}, { clientAddress: "203.0.113.7" });
    assert.ok(response!.status < 300, `${path}: ${await response!.clone().text()}`);
    const set = response!.headers.getSetCookie().find((line) => line.includes("session-token"));
    cookie = set?.split(";")[0] ?? cookie;
  }
  async function run(work: () => Promise<unknown>): Promise<void> {
    const request = new Request("http://localhost/", { method: "POST", headers: { cookie } });
    const response = await auth.run(request, {}, { clientAddress: "203.0.113.7" }, async () => {
      await work();
      return new Response();
    });
    assert.equal(response.status, 200, await response.text());
  }

  await post("signin/credentials", { name: "ada" });
  await post("signout", {});
  await post("signin/credentials", { name: "ada" });
  await run(async () => {
    const { id } = await createApiKey({ name: "CI" });
    await rotateApiKey(id);
    await revokeApiKey(id);
    file.exec(`INSERT INTO accounts
(provider, provider_account_id, user_id, type, created_at, updated_at) VALUES ('x', '7', 'ada', 'oauth', 1, 1)`);
    // The last way in stays, and nothing tells of it.
    await assert.rejects(unlinkAccount("x", "7"), { code: "LAST_WAY_IN" });
    file.exec(`UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com',
  email_verified = 1 WHERE id = 'ada'`);
    assert.equal(await unlinkAccount("x", "7"), true);
    await setUserRoles("ada", { role: "admin" });
    await passwordChanged("ada");
  });
  await post("signup", { email: "bob@example.com", password: "a-rarely-used-Passw0rd-of-mine" });
  await run(async () => {
    await createUser({ id: "eve" });
    await assert.rejects(createUser({ id: "eve" }), { code: "USER_EXISTS" });
    assert.equal(await deleteUser("nobody"), false);
    await disableUser("ada");
    await enableUser("ada");
    await deleteUser("ada");
  });
  await auth.deliver({});
  const arrived = new Map<string, number>();
  for (const { type } of all.arrived) arrived.set(type, (arrived.get(type) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries([...arrived].sort(([a], [b]) => a < b ? -1 : 1)), {
    "account-unlinked": 1,
    "api-key-added": 1,
    "api-key-removed": 1,
    "api-key-rotated": 1,
    "password-changed": 1,
    "roles-changed": 1,
    // With the disabling; the one of the deletion tells of no row that is left, and is stored after it.
    "session-revoked": 1,
    "sign-in": 3,
    "sign-out": 1,
    "sign-up": 3,
    "user-deleted": 1,
    "user-disabled": 1,
    "user-enabled": 1,
  });
});

Deno.test("members that the application's own code adds, changes and removes are events, stored with their change", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all", { events: MEMBER_EVENTS });
  const real = sqlite(file);
  await real.migrate!();
  const database: SqlDatabase = {
    prepare(text) {
      // What stores an event by itself, and not with its change.
      if (/^INSERT INTO auth_outbox .* VALUES/.test(text)) throw new Error("the process has ended");
      return real.prepare(text);
    },
    batch: (statements) => real.batch(statements),
  };
  // Every look at the clock tells another time, as on a slow machine.
  let time = NOW;
  const auth = createAuth({
    database,
    now: () => time++,
    tenancy: defineTenancy({ strategy: "path" }),
    providers: [outbox({ destinations: [all.one] })],
    logger: { info() {}, warn() {}, error() {} },
  });
  const tenant = await createSqlTenantStorage(real).create({ slug: "acme", name: "Acme" });
  const request = new Request("http://localhost/t/acme/", { method: "POST" });
  const response = await auth.run(request, {}, {}, async () => {
    await createUser({ id: "ada" });
    assert.equal(await addMember("ada", { roles: ["editor"] }), true);
    assert.equal(await addMember("ada"), false);
    assert.equal(await setMemberRoles("ada", ["owner"]), true);
    assert.equal(await setMemberRoles("eve", ["owner"]), false);
    assert.equal(await removeMember("ada"), true);
    assert.equal(await removeMember("ada"), false);
    return new Response();
  });
  assert.equal(response.status, 200, await response.text());
  await auth.deliver({});
  const who = { userId: "ada", tenantId: tenant.id };
  const arrived = all.arrived.map(({ type, data: { requestId: _id, ...data } }) => ({
    type,
    ...data,
  }));
  assert.deepEqual(arrived.toSorted((a, b) => a.type < b.type ? -1 : 1), [
    { type: "member-added", ...who },
    { type: "member-removed", ...who },
    { type: "member-roles-changed", ...who, roles: ["owner"], before: ["editor"] },
  ]);
});

Deno.test("with rows of the application's own the event is in the same transaction", async () => {
  const all = destination("all");
  using app = open({ destinations: [all.one] });
  await app.auth.migrate();
  app.file.exec("CREATE TABLE notes (text TEXT UNIQUE)");
  const database = sqlite(app.file);
  const note = () => transaction([database.prepare("INSERT INTO notes VALUES ('once')")]);
  await app.run(async () => {
    await createUser({ id: "ada" }, { within: note() });
    await assert.rejects(createUser({ id: "eve" }, { within: note() }), { message: /UNIQUE/ });
  });
  await app.auth.deliver({});
  assert.deepEqual(all.arrived.map(({ data }) => data.userId), ["ada"]);
});

Deno.test("no event has a password, a token, a code, a mailbox or the address of a client, whatever a destination names", async () => {
  using file = new DatabaseSync(":memory:");
  const all = destination("all", { events: EVENT_TYPES });
  const mails: string[] = [];
  const auth = createAuth({
    database: sqlite(file),
    secret: "a secret of at least thirty-two bytes",
    providers: [
      outbox({ destinations: [all.one] }),
      apiKeys({ prefix: "acme" }),
      passwords({ sendMail: ({ url }) => void mails.push(url) }),
    ],
    logger: { info() {}, warn() {}, error() {} },
  });
  await auth.migrate();
  const secrets = ["ada@example.com", "eve@example.com", "203.0.113.7"];
  let cookie = "";
  async function ask(path: string, fields: Record<string, string>): Promise<number> {
    const background: Promise<unknown>[] = [];
    const headers = { accept: "application/json", "content-type": "application/json", cookie };
    const request = new Request(`http://localhost/auth/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(fields),
    });
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    const response = await auth.handle(request, {}, { clientAddress: "203.0.113.7", waitUntil });
    await Promise.all(background);
    const set = response!.headers.getSetCookie().find((line) => line.includes("session-token"));
    cookie = set?.split(";")[0] ?? cookie;
    secrets.push(cookie.split("=")[1] ?? "", fields.password ?? "");
    return response!.status;
  }
  async function mailed(path: string, fields: Record<string, string>): Promise<string> {
    assert.equal(await ask(path, fields), 200, path);
    const token = new URL(mails.at(-1)!).searchParams.get("token")!;
    secrets.push(token);
    return token;
  }
  const [first, second] = ["a-rarely-used-Passw0rd-of-mine", "another-rarely-used-Passw0rd"];
  const email = "ada@example.com";
  const proof = await mailed("signup", { email, password: first! });
  assert.equal(await ask("signup/confirm", { token: proof, password: first! }), 200);
  assert.equal(await ask("signin/passwords", { email, password: "a-wrong-one-of-mine" }), 401);
  const reset = await mailed("forgot", { email });
  assert.equal(await ask("reset", { token: reset, password: second! }), 200);
  assert.equal(await ask("signin/passwords", { email, password: second! }), 200);
  const request = new Request("http://localhost/", { method: "POST", headers: { cookie } });
  await auth.run(request, {}, { clientAddress: "203.0.113.7" }, async () => {
    const { id, key } = await createApiKey({ name: "CI of ada@example.com" });
    secrets.push(key);
    const rotated = await rotateApiKey(id);
    secrets.push(rotated!.key);
    const eve = await createUser({ email: "eve@example.com", name: "Eve" });
    await deleteUser(eve.id);
    return new Response();
  });
  await auth.deliver({});
  const types = new Set(all.arrived.map(({ type }) => type));
  for (
    const type of ["sign-up", "sign-in", "sign-in-failed", "password-changed", "api-key-rotated"]
  ) assert.ok(types.has(type), type);
  const text = JSON.stringify(all.arrived);
  const known = secrets.filter((one) => one !== "");
  assert.ok(known.length >= 10);
  for (const one of known) assert.ok(!text.includes(one), `${one} in ${text}`);
});

Deno.test("strangers make no events unless a destination names their types", async () => {
  for (const [events, expected] of [[undefined, 0], [["origin-refused"], 1]] as const) {
    const all = destination("all", { events });
    using app = open({ destinations: [all.one] });
    await app.auth.migrate();
    const headers = { origin: "https://evil.example" };
    const request = new Request("http://localhost/auth/signout", { method: "POST", headers });
    const background: Promise<unknown>[] = [];
    const waitUntil = (work: Promise<unknown>) => void background.push(work);
    assert.equal((await app.auth.handle(request, {}, { waitUntil }))!.status, 403);
    await Promise.all(background);
    assert.equal((await app.auth.deliver({})).delivered, expected);
  }
});
