// Follows the guides for those who come from other libraries, with databases that those have filled.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  apiKeys,
  codeHostProvider,
  createAuth,
  defineRBAC,
  getUser,
  issueSession,
  listInvitations,
  type Provider,
  resendInvitation,
  type SqlDatabase,
  teamPage,
  verifyPassword,
  type VerifyPasswordOptions,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { defineTenancy } from "@framework/auth/tenant";
import { findPostgres } from "../../scripts/postgres.ts";
import { capture, run } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { startPostgres } from "../support/postgres.ts";
import { codeBlocks, readDocument } from "../docs/markdown.ts";
import { createOAuthApplication } from "../oauth/application.ts";
import { answerOf } from "../oauth/fake_provider.ts";

const bin = await findPostgres();
const project = fileURLToPath(new URL("./project", import.meta.url));
/** Inside of the repository, where the guides' imports lead to the packages. */
const output = fileURLToPath(new URL("../output/migrating", import.meta.url));
let libraries: string;

Deno.test.beforeAll(async () => {
  libraries = await Deno.makeTempDir({ prefix: "framework-migrating-" });
  await cp(project, libraries, { recursive: true });
  await run(Deno.execPath(), ["install", "--no-lock", "--quiet"], { cwd: libraries });
  await Deno.remove(output, { recursive: true }).catch(() => {});
});
Deno.test.afterAll(async () => {
  await Deno.remove(libraries, { recursive: true });
});

/** Names of the databases that are filled: a library and its arguments. */
const filled = new Set<string>();
/** Folders in which a guide was followed, by the library. */
const followed = new Map<string, string>();

/** Has a library fill a new `app.db`, once, and copies it into a folder with the guide's files. */
async function prepare(library: string, ...args: string[]): Promise<string> {
  const key = [library, ...args].join("_");
  const kept = join(libraries, `${key}.db`);
  if (!filled.has(key)) {
    await run(Deno.execPath(), ["run", "-A", `${library}.mjs`, ...args], { cwd: libraries });
    await Deno.rename(join(libraries, "app.db"), kept);
    filled.add(key);
  }
  const folder = await writeFiles(library, args);
  await Deno.copyFile(kept, join(folder, "app.db"));
  return folder;
}

/** Makes a folder with the files that a guide shows. */
async function writeFiles(library: string, args: string[]): Promise<string> {
  const folder = join(output, [library, ...args].join("_"));
  await Deno.mkdir(folder, { recursive: true });
  const document = `docs/migrating_from_${library}.md`;
  const text = await readDocument(document);
  for (const block of codeBlocks(document, text)) {
    const before = text.split("\n").slice(0, block.line - 1).join("\n");
    const name = [...before.matchAll(/`(\w+\.ts)`/g)].at(-1)?.[1];
    if (name !== undefined) await Deno.writeTextFile(join(folder, name), block.text);
  }
  return folder;
}

/** Does what the guide says, once, and opens a copy of the database that came of it. */
async function follow(library: string): Promise<{ folder: string; file: DatabaseSync }> {
  let folder = followed.get(library);
  if (folder === undefined) {
    folder = await prepare(library);
    await run(Deno.execPath(), ["run", "-A", "run.ts"], { cwd: folder });
    followed.set(library, folder);
  }
  const copy = join(libraries, `${crypto.randomUUID()}.db`);
  await Deno.copyFile(join(folder, "app.db"), copy);
  const file = new DatabaseSync(copy);
  assert.deepEqual(file.prepare("PRAGMA foreign_key_check").all(), []);
  return { folder, file };
}

function rowOf(file: DatabaseSync, sql: string): Record<string, unknown> {
  return { ...file.prepare(sql).get() };
}

/** Signs in at GitHub as number 4711; gives whom the application takes that for. */
async function atGitHub(file: DatabaseSync): Promise<{ id: string; email?: string } | null> {
  const answers: Record<string, unknown> = {
    "https://github.com/login/oauth/access_token": { access_token: "a", token_type: "bearer" },
    "https://api.github.com/user": { id: 4711, login: "ada", name: "Ada" },
    "https://api.github.com/user/emails": [],
  };
  const application = createOAuthApplication({
    providers: [codeHostProvider({ clientId: "app", clientSecret: "secret" })],
    fetch: (input) => Promise.resolve(Response.json(answers[new Request(input).url])),
  }, { sqlite: file, clock: { shift: 0 } });
  const visitor = application.visitor();
  const callback = answerOf(await visitor.start("github"), "code", {
    iss: "https://github.com/login/oauth",
  });
  assert.equal((await visitor.send(callback)).status, 303);
  return await visitor.user();
}

/** Tries a password; gives whom it belongs to, or null. */
async function byPassword(
  file: DatabaseSync | SqlDatabase,
  provider: Provider,
  fields: { email: string; password: string },
): Promise<string | null> {
  const auth = createAuth({
    database: file instanceof DatabaseSync ? sqlite(file) : file,
    baseUrl: "http://localhost:8787",
    providers: [provider],
  });
  const response = await auth.handle(
    new Request("http://localhost:8787/auth/signin/credentials", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(fields),
    }),
    {},
  );
  const { user } = await response!.json();
  return user?.id ?? null;
}

async function importFrom(folder: string, name: string): Promise<Record<string, unknown>> {
  return await import(pathToFileURL(join(folder, name)).href);
}

Deno.test("the guide from Auth.js moves people and their accounts, and they sign in as before", async () => {
  const { file } = await follow("auth_js");
  const ada = rowOf(file, "SELECT * FROM users WHERE name = 'Ada'");
  assert.equal(ada.email, "Ada@Example.com");
  assert.equal(ada.email_identity, "ada@example.com");
  assert.equal(ada.email_verified, Date.parse("2026-01-02T03:04:05.000Z"));
  assert.equal(ada.image, "https://images.example/ada.png");
  assert.equal(rowOf(file, "SELECT * FROM users WHERE name = 'Grace'").email_verified, null);
  const account = rowOf(file, "SELECT * FROM accounts");
  assert.deepEqual([account.type, account.access_token], ["oauth", null]);
  assert.deepEqual(rowOf(file, "SELECT count(*) AS count FROM sessions"), { count: 0 });
  assert.deepEqual(rowOf(file, "SELECT count(*) AS count FROM old_sessions"), { count: 1 });
  assert.equal((await atGitHub(file))?.id, ada.id);
  file.close();
});

for (const library of inMatrix ? ["auth_js", "better_auth"] : ["better_auth"]) {
  // Tracks: AU-02
  Deno.test({
    name: `the guide from ${library} moves people, accounts and passwords in PostgreSQL`,
    ignore: bin === null,
    async fn() {
      const server = await startPostgres(bin!);
      try {
        const { host, port, user, database: name } = server.admin;
        const env = { DATABASE_URL: `postgres://${user}@${host}:${port}/${name}` };
        const fills = library === "auth_js" ? "auth_js_postgres.mjs" : "better_auth.mjs";
        await run(Deno.execPath(), ["run", "-A", fills], { cwd: libraries, env });
        const folder = await writeFiles(library, ["postgres"]);
        await run(Deno.execPath(), ["run", "-A", "run_postgres.ts"], { cwd: folder, env });

        const database = postgres(server.pool);
        const { passwords, movePasswords } = await importFrom(folder, "passwords.ts") as {
          passwords(database: SqlDatabase, options?: VerifyPasswordOptions): Provider;
          movePasswords?(database: SqlDatabase): Promise<void>;
        };
        await movePasswords?.(database);
        const bcrypt = join(libraries, "node_modules", "bcryptjs", "index.js");
        const { default: { compare } } = await import(pathToFileURL(bcrypt).href);
        const provider = passwords(database, { verifyLegacy: compare });
        const { rows } = await server.admin.query("SELECT * FROM users ORDER BY name");
        const [ada, grace] = rows;
        assert.deepEqual(
          [ada.email_identity, ada.email_verified !== null, grace.email_verified],
          ["ada@example.com", true, null],
        );
        const owner = library === "auth_js" ? grace : ada;
        const right = { email: owner.email.toUpperCase(), password: "correct horse battery" };
        const wrong = { ...right, password: "wrong horse" };
        assert.equal(await byPassword(database, provider, wrong), null);
        assert.equal(await byPassword(database, provider, right), owner.id);
        assert.equal(await byPassword(database, provider, right), owner.id, "by the new hash");
        const { rows: [{ hash }] } = await server.admin.query(
          "SELECT hash FROM passwords WHERE user_id = $1",
          [owner.id],
        );
        assert.match(hash, /^\$scrypt\$/);
        const { rows: accounts } = await server.admin.query(
          "SELECT user_id FROM accounts WHERE provider = 'github' AND provider_account_id = '4711'",
        );
        assert.deepEqual(accounts, [{ user_id: ada.id }]);
      } finally {
        await server.stop();
      }
    },
  });
}

Deno.test("the guide from Auth.js moves nobody when two people share a mailbox, and names them", async () => {
  const folder = await prepare("auth_js", "twin");
  const { code, stderr } = await capture(Deno.execPath(), ["run", "-A", "run.ts"], { cwd: folder });
  assert.equal(code, 1);
  assert.match(stderr, /[\w-]{36} and [\w-]{36} share grace@example\.com/);
  const file = new DatabaseSync(join(folder, "app.db"));
  assert.deepEqual(rowOf(file, "SELECT count(*) AS count FROM users"), { count: 0 });
  file.close();
});

Deno.test("the guide from Better Auth moves people, accounts, roles, bans and passwords", async () => {
  const { folder, file } = await follow("better_auth");
  const ada = rowOf(file, "SELECT * FROM users WHERE name = 'Ada'");
  assert.equal(ada.email_identity, "ada@example.com");
  assert.equal(ada.email_verified, ada.updated_at);
  assert.ok(Number(ada.created_at) > Date.parse("2020-01-01"));
  assert.deepEqual([ada.role, ada.roles, ada.disabled_at], ["admin", '["editor"]', null]);
  const grace = rowOf(file, "SELECT * FROM users WHERE name = 'Grace'");
  assert.equal(grace.email_verified, null);
  assert.equal(typeof grace.disabled_at, "number");
  const github = rowOf(file, "SELECT * FROM accounts WHERE provider = 'github'");
  assert.deepEqual([github.type, github.scope], ["oauth", "read:user user:email"]);
  const google = rowOf(file, "SELECT * FROM accounts WHERE provider = 'google'");
  assert.deepEqual([google.type, google.user_id], ["oidc", grace.id]);
  assert.equal((await atGitHub(file))?.id, ada.id);

  const { passwords } = await importFrom(folder, "passwords.ts") as {
    passwords(database: SqlDatabase): Provider;
  };
  const provider = passwords(sqlite(file));
  const right = { email: "ADA@example.com", password: "correct horse battery" };
  const hashOfAda = `SELECT hash FROM passwords WHERE user_id = '${ada.id}'`;
  assert.equal(await byPassword(file, provider, { ...right, password: "wrong horse" }), null);
  assert.match(String(rowOf(file, hashOfAda).hash), /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.equal(await byPassword(file, provider, right), ada.id);
  assert.match(String(rowOf(file, hashOfAda).hash), /^\$scrypt\$/);
  assert.equal(await byPassword(file, provider, right), ada.id, "by the new hash");
  const ofGrace = { email: "grace@example.com", password: "another long password" };
  assert.equal(await byPassword(file, provider, ofGrace), null, "who is banned stays so");
  file.close();
});

Deno.test("the guide from Better Auth moves organizations, their members and open invitations", async () => {
  const { folder, file } = await follow("better_auth");
  const { moveOrganizations } = await importFrom(folder, "move_organizations.ts") as {
    moveOrganizations(database: SqlDatabase): Promise<void>;
  };
  await moveOrganizations(sqlite(file));
  const tenant = rowOf(file, "SELECT * FROM tenants");
  assert.deepEqual([tenant.slug, tenant.name], ["acme", "Acme"]);
  assert.deepEqual(JSON.parse(String(tenant.settings)), { plan: "pro" });
  const member = rowOf(
    file,
    "SELECT users.name, tenant_id, tenant_members.roles FROM tenant_members JOIN users ON users.id = user_id",
  );
  assert.deepEqual(member, { name: "Ada", tenant_id: tenant.id, roles: '["owner"]' });

  // The one that is open is sent again, with a link of ours; that of before is of no use here.
  const tenantId = String(tenant.id);
  const mails: { to: string; url: string }[] = [];
  const auth = createAuth({
    database: sqlite(file),
    baseUrl: "https://app.example",
    cookies: { sessionToken: { hostOnly: true } },
    tenancy: defineTenancy({ strategy: "path" }),
    rbac: defineRBAC({
      roles: [],
      teamRoles: [
        { id: "owner", name: "Owner", permissions: ["team:*"] },
        { id: "admin", name: "Administrator", permissions: ["team:invite", "team:manage"] },
        { id: "member", name: "Member", permissions: [] },
      ],
    }),
    providers: [teamPage({ sendMail: (mail) => void mails.push(mail) })],
  });
  const { id: ada } = rowOf(file, "SELECT id FROM users WHERE name = 'Ada'");
  const { cookies } = await issueSession(auth, String(ada), {});
  const headers = { cookie: cookies[0]!.split(";")[0]! };
  const request = new Request("https://app.example/", { headers });
  const open = await auth.run(request, {}, undefined, async () => {
    const { invitations } = await listInvitations({ tenantId });
    for (const { id } of invitations) await resendInvitation(id, { tenantId });
    return Response.json(invitations);
  });
  const [invitation, ...others] = await open.json() as Record<string, unknown>[];
  assert.deepEqual([invitation?.email, invitation?.roles, invitation?.invitedBy, others], [
    ...["cy@example.com", ["admin", "member"], ada, []],
  ]);
  assert.deepEqual(mails.map(({ to }) => to), ["cy@example.com"]);
  const join = (url: string | URL) => auth.handle(new Request(url), {});
  assert.equal((await join(mails[0]!.url))?.status, 200);
  const old = new URL(mails[0]!.url);
  old.searchParams.set("token", String(invitation?.id));
  assert.equal((await join(old))?.status, 400);
  file.close();
});

Deno.test("the guide from Better Auth moves what is known of API keys, which their owners replace", async () => {
  const { folder, file } = await follow("better_auth");
  const { moveApiKeys } = await importFrom(folder, "move_api_keys.ts") as {
    moveApiKeys(database: SqlDatabase): Promise<void>;
  };
  const { id: ada } = rowOf(file, "SELECT id FROM users WHERE name = 'Ada'");
  // The columns of @better-auth/api-key 1.7, which cannot be installed beside this better-auth.
  file.exec(`CREATE TABLE apikey (id TEXT PRIMARY KEY, configId TEXT, name TEXT, start TEXT,
    referenceId TEXT NOT NULL, prefix TEXT, key TEXT NOT NULL, refillInterval INTEGER,
    refillAmount INTEGER, lastRefillAt DATE, enabled INTEGER, rateLimitEnabled INTEGER,
    rateLimitTimeWindow INTEGER, rateLimitMax INTEGER, requestCount INTEGER, remaining INTEGER,
    lastRequest DATE, expiresAt DATE, createdAt DATE NOT NULL, updatedAt DATE NOT NULL,
    permissions TEXT, metadata TEXT)`);
  const insert = file.prepare(`INSERT INTO apikey (id, name, referenceId, key, enabled, permissions,
    rateLimitEnabled, rateLimitMax, rateLimitTimeWindow, expiresAt, createdAt, updatedAt)
    VALUES (?, ?, ?, 'hash', ?, ?, 1, 5, 60000, ?, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`);
  insert.run("k1", "Export", ada as string, 1, '{"posts":["read","update"]}', null);
  insert.run("k2", null, ada as string, 1, null, "2036-01-01T00:00:00.000Z");
  insert.run("k3", "Ended", ada as string, 0, null, null);
  await moveApiKeys(sqlite(file));
  const auth = createAuth({
    database: sqlite(file),
    providers: [apiKeys({ prefix: "acme" })],
    baseUrl: "https://app.example",
  });
  const { cookies } = await issueSession(auth, ada as string, {});
  const headers = { cookie: cookies[0]!.split(";")[0]!, accept: "application/json" };
  const listed = await auth.handle(
    new Request("https://app.example/auth/api-keys", { headers }),
    {},
  );
  const { keys } = await listed!.json() as { keys: Record<string, unknown>[] };
  assert.deepEqual(
    keys.map(({ name, permissions, limit, expires }) => [name, permissions, limit, expires])
      .sort((a, b) => String(a[0]) < String(b[0]) ? -1 : 1),
    [
      ["Export", ["posts:read", "posts:update"], { limit: 5, window: 60 }, null],
      ["Moved key", ["*"], { limit: 5, window: 60 }, "2036-01-01T00:00:00.000Z"],
    ],
  );
  const rotated = await auth.handle(
    new Request("https://app.example/auth/api-keys/rotate", {
      method: "POST",
      headers: { ...headers, origin: "https://app.example", "content-type": "application/json" },
      body: JSON.stringify({ id: keys[0]!.id }),
    }),
    {},
  );
  const { key } = await rotated!.json() as { key: string };
  const request = new Request("https://app.example/", {
    headers: { authorization: `Bearer ${key}` },
  });
  const answer = await auth.run(
    request,
    {},
    undefined,
    (context) =>
      authMiddleware({ apiKey: true })(
        request,
        () => Promise.resolve(new Response(getUser()?.name)),
        context,
      ),
  );
  assert.equal(await answer.text(), "Ada");
  file.close();
});

Deno.test("the guide from Lucia moves people, accounts and passwords", async () => {
  const { file } = await follow("lucia");
  const ada = rowOf(file, "SELECT * FROM users WHERE username = 'ada'");
  assert.equal(ada.email, "ada@example.com");
  assert.equal(typeof ada.email_verified, "number");
  const google = rowOf(file, "SELECT * FROM accounts WHERE provider = 'google'");
  assert.deepEqual([google.provider_account_id, google.user_id], ["0815", "grace"]);
  assert.equal((await atGitHub(file))?.id, ada.id);

  const folder = await prepare("better_auth"); // where the guide from Lucia leads to
  const { passwords, verifyLegacy } = await importFrom(folder, "passwords.ts") as {
    passwords(database: SqlDatabase): Provider;
    verifyLegacy(password: string, hash: string): boolean;
  };
  const right = { email: "ada@example.com", password: "correct horse battery" };
  const provider = passwords(sqlite(file));
  assert.equal(await byPassword(file, provider, { ...right, password: "wrong" }), null);
  assert.equal(await byPassword(file, provider, right), ada.id);
  const { hash: argon } = rowOf(file, "SELECT hash FROM passwords WHERE user_id = 'grace'");
  const asked: string[][] = [];
  const checked = await verifyPassword("another long password", String(argon), {
    verifyLegacy: (...values) => asked.push(values) === 1,
  });
  assert.equal(checked, true);
  assert.match(String(argon), /^\$argon2id\$/);
  assert.deepEqual(asked, [["another long password", argon]]);
  const { hash } = rowOf(file, "SELECT hash FROM passwords WHERE user_id = 'old'");
  assert.match(String(hash), /^s2:/);
  assert.equal(verifyLegacy("of version two", String(hash).replace("s2:", "")), true);
  assert.equal(verifyLegacy("another", String(hash).replace("s2:", "")), false);
  file.close();
});
