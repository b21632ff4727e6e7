// Follows the guides for those who come from other libraries, with databases that those have filled.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  apiKeys,
  type Auth,
  codeHostProvider,
  createAuth,
  defineRBAC,
  getUser,
  issueSession,
  listInvitations,
  passwords,
  resendInvitation,
  secondFactor,
  settled,
  type SqlDatabase,
  teamPage,
  waitUntil,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import { defineTenancy } from "@framework/auth/tenant";
import { stepAt, totpCode } from "../../auth/sign_in/second_factor/totp.ts";
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
    if (name !== undefined && block.language === "ts") {
      await Deno.writeTextFile(join(folder, name), block.text);
    }
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

/** Checks a hash of another library. */
type VerifyLegacy = (password: string, hash: string) => boolean | Promise<boolean>;

/** Tries a password; gives whom it belongs to, or null. */
async function byPassword(
  file: DatabaseSync | SqlDatabase,
  verifyLegacy: VerifyLegacy,
  fields: { email: string; password: string },
): Promise<string | null> {
  const auth = createAuth({
    database: file instanceof DatabaseSync ? sqlite(file) : file,
    baseUrl: "http://localhost:8787",
    providers: [passwords({ sendMail: () => {}, verifyLegacy })],
  });
  const response = await auth.handle(
    new Request("http://localhost:8787/auth/signin/passwords", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(fields),
    }),
    {},
    { waitUntil },
  );
  const { user } = await response!.json();
  await settled();
  return user?.id ?? null;
}

async function verifyLegacyOf(folder: string): Promise<VerifyLegacy> {
  const { verifyLegacy } = await importFrom(folder, "verify_legacy.ts");
  return verifyLegacy as VerifyLegacy;
}

/** Runs a file of a guide in a folder with a database. */
async function runThere(cwd: string, script: string): Promise<{ code: number; stderr: string }> {
  return await capture(Deno.execPath(), ["run", "-A", "--no-lock", script], { cwd });
}

/** Tables that a guide says to drop in PostgreSQL. */
async function droppedTables(library: string): Promise<string> {
  const text = await readDocument(`docs/migrating_from_${library}.md`);
  return /`(DROP TABLE (?!IF)[^`]+)`/.exec(text)![1]!;
}

const NEW_USER = `INSERT INTO users (id, email, email_identity, created_at, updated_at)
  VALUES ('new', 'n@example.com', 'n@example.com', 1, 1)`;

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
  assert.deepEqual(rowOf(file, "SELECT image FROM users WHERE name = 'Grace'"), { image: null });
  assert.equal((await atGitHub(file))?.id, ada.id);
  file.close();
});

for (const library of inMatrix ? ["auth_js", "better_auth"] : ["auth_js"]) {
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
        const args = (script: string) => ["run", "-A", script];
        await run(Deno.execPath(), args("run_postgres.ts"), { cwd: folder, env });

        const database = postgres(server.pool);
        const bcrypt = join(libraries, "node_modules", "bcryptjs", "index.js");
        const { default: { compare } } = await import(pathToFileURL(bcrypt).href);
        const verifyLegacy = library === "auth_js" ? compare : await verifyLegacyOf(folder);
        const { admin } = server;
        const { rows } = await admin.query("SELECT * FROM users ORDER BY name");
        const ada = rows.find((row: { name: string }) => row.name === "Ada");
        const grace = rows.find((row: { name: string }) => row.name === "Grace");
        assert.deepEqual(
          [ada.email_identity, ada.email_verified !== null, grace.email_verified],
          ["ada@example.com", true, null],
        );
        const owner = library === "auth_js" ? grace : ada;
        const right = { email: owner.email.toUpperCase(), password: "correct horse battery" };
        const wrong = { ...right, password: "wrong horse" };
        assert.equal(await byPassword(database, verifyLegacy, wrong), null);
        assert.equal(await byPassword(database, verifyLegacy, right), owner.id);
        assert.equal(await byPassword(database, verifyLegacy, right), owner.id, "by the new hash");
        const { rows: [{ hash }] } = await admin.query(
          "SELECT hash FROM password_hashes WHERE user_id = $1",
          [owner.id],
        );
        assert.match(hash, /^\$scrypt\$/);
        const { rows: accounts } = await admin.query(
          "SELECT user_id FROM accounts WHERE provider = 'github' AND provider_account_id = '4711'",
        );
        assert.deepEqual(accounts, [{ user_id: ada.id }]);

        const again = await capture(Deno.execPath(), args("run_postgres.ts"), { cwd: folder, env });
        if (library === "auth_js") assert.match(again.stderr, /moved already/);
        else {
          assert.equal(again.code, 0, again.stderr);
          await assert.rejects(admin.query(await droppedTables(library)), /other objects depend/);
          await run(Deno.execPath(), args("own_tables_postgres.ts"), { cwd: folder, env });
        }
        await admin.query(NEW_USER);
        await admin.query("INSERT INTO posts (id, author) VALUES (3, 'new')");
        await admin.query(await droppedTables(library));
        const posts = "SELECT author FROM posts ORDER BY id";
        const authors = async () =>
          (await admin.query(posts)).rows.map(({ author }: { author: string }) => author);
        assert.deepEqual(await authors(), [ada.id, grace.id, "new"]);
        await admin.query("DELETE FROM users WHERE id = 'new'");
        assert.deepEqual(await authors(), [ada.id, grace.id]);
      } finally {
        await server.stop();
      }
    },
  });
}

if (inMatrix) {
  Deno.test({
    name: "the guide from Lucia moves people, accounts and own rows in PostgreSQL, to its end",
    ignore: bin === null,
    async fn() {
      const server = await startPostgres(bin!);
      try {
        const { admin } = server;
        const env = {
          DATABASE_URL: `postgres://${admin.user}@${admin.host}:${admin.port}/${admin.database}`,
        };
        // As its documentation has them for PostgreSQL, with ids that count.
        await admin.query(`
          CREATE TABLE "user" (id SERIAL PRIMARY KEY, username TEXT UNIQUE, email TEXT UNIQUE,
            email_verified BOOLEAN, github_id INTEGER UNIQUE, password_hash TEXT);
          CREATE TABLE session (id TEXT PRIMARY KEY, expires_at TIMESTAMPTZ NOT NULL,
            user_id INTEGER NOT NULL REFERENCES "user" (id));
          CREATE TABLE oauth_account (provider_id TEXT NOT NULL, provider_user_id TEXT NOT NULL,
            user_id INTEGER NOT NULL REFERENCES "user" (id),
            PRIMARY KEY (provider_id, provider_user_id));
          CREATE TABLE posts (id INTEGER PRIMARY KEY,
            author INTEGER NOT NULL REFERENCES "user" (id) ON DELETE CASCADE);
          INSERT INTO "user" (username, email, email_verified, github_id)
            VALUES ('ada', 'ada@example.com', true, 4711), ('grace', NULL, NULL, NULL);
          INSERT INTO session VALUES ('old token', now(), 1);
          INSERT INTO oauth_account VALUES ('google', '0815', 2);
          INSERT INTO posts VALUES (1, 1), (2, 2);
        `);
        const folder = await writeFiles("lucia", ["postgres"]);
        const other = await writeFiles("better_auth", []);
        await Deno.copyFile(
          join(other, "own_tables_postgres.ts"),
          join(folder, "own_tables_postgres.ts"),
        );
        for (const script of ["run", "run", "own_tables"]) {
          await run(Deno.execPath(), ["run", "-A", `${script}_postgres.ts`], { cwd: folder, env });
        }
        const { rows: accounts } = await admin.query(
          "SELECT provider, user_id, type FROM accounts ORDER BY provider",
        );
        assert.deepEqual(accounts, [
          { provider: "github", user_id: "1", type: "oauth" },
          { provider: "google", user_id: "2", type: "oidc" },
        ]);
        await admin.query(NEW_USER);
        await admin.query("INSERT INTO posts VALUES (3, 'new')");
        await admin.query('DROP TABLE session, oauth_account, "user"');
        await admin.query("DELETE FROM users WHERE id = '1'");
        const { rows: posts } = await admin.query("SELECT author FROM posts ORDER BY id");
        assert.deepEqual(posts, [{ author: "2" }, { author: "new" }]);
      } finally {
        await server.stop();
      }
    },
  });
}

for (const library of ["auth_js", "better_auth", "lucia"]) {
  Deno.test(`rows of one's own survive the guide from ${library}, to the dropped tables`, async () => {
    const { folder, file: moved } = await follow(library);
    const authorsIn = (file: DatabaseSync) =>
      file.prepare("SELECT author FROM posts ORDER BY id").all().map(({ author }) => author);
    const before = authorsIn(moved);
    moved.close();
    assert.equal(before.length, 2);
    const there = join(libraries, crypto.randomUUID());
    await cp(folder, there, { recursive: true });
    if (library === "lucia") {
      const other = await writeFiles("better_auth", []);
      for (const name of ["own_tables.ts", "back.ts", "drop.ts"]) {
        const text = await Deno.readTextFile(join(other, name));
        const list = 'const old = ["session", "oauth_account", "user"];\n';
        await Deno.writeTextFile(
          join(there, name),
          text.replace(/const old = [^]*?;\n(?:old\.push.*\n)?/, list),
        );
      }
    }
    // Beside the repository the guide's imports lead nowhere, but for those of Node.
    await Deno.copyFile(join(folder, "app.db"), join(there, "app.db"));
    if (library !== "auth_js") {
      const refused = await runThere(there, "drop.ts");
      assert.match(refused.stderr, /Nothing is dropped\. .* posts to user/);
      for (let times = 0; times < 2; times++) {
        const { code, stderr } = await runThere(there, "own_tables.ts");
        assert.equal(code, 0, stderr);
      }
    }
    const kept = join(there, "kept.db");
    await Deno.copyFile(join(there, "app.db"), kept);
    let file = new DatabaseSync(join(there, "app.db"));
    file.exec(NEW_USER);
    file.exec("INSERT INTO posts VALUES (3, 'new')");
    file.close();
    const dropped = await runThere(there, "drop.ts");
    assert.equal(dropped.code, 0, dropped.stderr);
    file = new DatabaseSync(join(there, "app.db"));
    assert.deepEqual(authorsIn(file), [...before, "new"]);
    file.exec("DELETE FROM users WHERE id = 'new'");
    assert.deepEqual(authorsIn(file), before);
    assert.deepEqual(file.prepare("PRAGMA foreign_key_check").all(), []);
    file.close();

    // The way back, which needs the library.
    await Deno.rename(kept, join(folder, "app.db.back"));
    const back = join(output, `${library}_back`);
    await cp(folder, back, { recursive: true });
    await Deno.rename(join(folder, "app.db.back"), join(back, "app.db"));
    if (library === "lucia") await Deno.copyFile(join(there, "back.ts"), join(back, "back.ts"));
    await run(Deno.execPath(), ["run", "-A", "back.ts"], { cwd: back });
    file = new DatabaseSync(join(back, "app.db"));
    assert.deepEqual(authorsIn(file), before);
    assert.deepEqual(file.prepare("PRAGMA foreign_key_check").all(), []);
    const users = library === "auth_js" ? "users" : "user";
    assert.deepEqual(
      { ...file.prepare('SELECT "table" AS parent FROM pragma_foreign_key_list(?)').get("posts") },
      { parent: users },
    );
    assert.equal(
      file.prepare(`SELECT count(*) AS n FROM "${users}"`).get()?.n! as number > 1,
      true,
    );
    file.close();
  });
}

for (const library of ["auth_js", "better_auth", "lucia"]) {
  Deno.test(`the move from ${library} is run once more: it takes who came meanwhile, or says that it is done`, async () => {
    const { folder, file } = await follow(library);
    const count = (name: string) => file.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n;
    const before = count("users");
    file.close();
    const there = join(output, `${library}_again`);
    await cp(folder, there, { recursive: true });
    const again = await runThere(there, "run.ts");
    if (library === "auth_js") return assert.match(again.stderr, /has been moved already/);
    assert.equal(again.code, 0, again.stderr);
    const database = new DatabaseSync(join(there, "app.db"));
    database.exec("DELETE FROM accounts");
    const columns = library === "lucia"
      ? "id, email"
      : 'id, email, name, "emailVerified", "createdAt", "updatedAt"';
    const values = library === "lucia" ? "" : ", 'Late', 0, 1, 1";
    database.exec(`INSERT INTO "user" (${columns}) VALUES ('late', 'late@example.com'${values})`);
    database.close();
    assert.equal((await runThere(there, "run.ts")).code, 0);
    const after = new DatabaseSync(join(there, "app.db"));
    assert.equal(after.prepare("SELECT count(*) AS n FROM users").get()?.n, Number(before) + 1);
    // What was unlinked here stays so.
    assert.equal(after.prepare("SELECT count(*) AS n FROM accounts").get()?.n, 0);
    after.close();
  });
}

Deno.test("the guide from Auth.js moves nobody when two people share a mailbox, and names them", async () => {
  const folder = await prepare("auth_js", "twin");
  const { code, stderr } = await capture(Deno.execPath(), ["run", "-A", "run.ts"], { cwd: folder });
  assert.equal(code, 1);
  assert.match(stderr, /[\w-]{36} and [\w-]{36} share grace@example\.com/);
  // Nothing has changed: the old application goes on, and the move is run again when the cause is gone.
  const file = new DatabaseSync(join(folder, "app.db"));
  const old = 'SELECT count("emailVerified") AS count FROM users';
  assert.deepEqual(rowOf(file, old), { count: 1 });
  file.exec("UPDATE users SET email = 'twin@example.com' WHERE name = 'Twin'");
  file.close();
  await run(Deno.execPath(), ["run", "-A", "run.ts"], { cwd: folder });
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

  const verifyLegacy = await verifyLegacyOf(folder);
  const right = { email: "ADA@example.com", password: "correct horse battery" };
  const hashOfAda = `SELECT hash FROM password_hashes WHERE user_id = '${ada.id}'`;
  const wrong = { ...right, password: "wrong horse" };
  assert.equal(await byPassword(file, verifyLegacy, wrong), null);
  assert.match(String(rowOf(file, hashOfAda).hash), /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.equal(await byPassword(file, verifyLegacy, right), ada.id);
  assert.match(String(rowOf(file, hashOfAda).hash), /^\$scrypt\$/);
  assert.equal(await byPassword(file, verifyLegacy, right), ada.id, "by the new hash");
  const ofGrace = { email: "grace@example.com", password: "another long password" };
  assert.equal(await byPassword(file, verifyLegacy, ofGrace), null, "who is banned stays so");
  file.close();
});

Deno.test("the guide from Better Auth moves no ban that is over, and names those that end and second factors", async () => {
  const { folder, file } = await follow("better_auth");
  const of = (name: string) => rowOf(file, `SELECT * FROM users WHERE name = '${name}'`);
  assert.deepEqual([of("Past").disabled_at, of("Past").image], [null, null]);
  assert.equal(typeof of("Later").disabled_at, "number");
  const { move } = await importFrom(folder, "move.ts") as {
    move(database: SqlDatabase): Promise<string[]>;
  };
  const ids = { later: of("Later").id, eve: of("Eve").id, ada: of("Ada").id };
  file.exec("DELETE FROM users");
  const notes = await move(sqlite(file));
  assert.deepEqual(
    notes.toSorted(),
    [
      `${ids.later} was banned until 2099-01-01T00:00:00.000Z: call enableUser() then.`,
      `${ids.eve} has a second factor, which only moveSecondFactors() takes along.`,
      `${ids.ada} has a second factor, which only moveSecondFactors() takes along.`,
    ].toSorted(),
  );
  file.close();
});

Deno.test("the guide from Better Auth moves authenticator apps, whose codes are asked for as before", async () => {
  const { folder, file } = await follow("better_auth");
  // Its package is not the repository's.
  const path = join(folder, "move_second_factors.ts");
  const crypto = join(libraries, "node_modules", "better-auth", "dist", "crypto", "index.mjs");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace("better-auth/crypto", pathToFileURL(crypto).href),
  );
  const { moveSecondFactors } = await importFrom(folder, "move_second_factors.ts") as {
    moveSecondFactors(
      database: SqlDatabase,
      options: { auth: Auth<unknown>; env: unknown; oldSecret: string },
    ): Promise<string[]>;
  };
  const database = sqlite(file);
  const auth = createAuth({
    database,
    baseUrl: "https://app.example",
    secret: "a new secret of at least thirty-two bytes",
    providers: [
      passwords({ sendMail: () => {}, verifyLegacy: await verifyLegacyOf(folder) }),
      secondFactor({ sendMail: () => {}, required: () => true }),
    ],
  });
  const oldSecret = "qX7vB2mN9pLk4RtY8wZc1HsD5fGj3aUe";
  const { id: ada } = rowOf(file, "SELECT id FROM users WHERE name = 'Ada'");
  const { id: eve } = rowOf(file, "SELECT id FROM users WHERE email = 'eve@example.com'");
  // The factor of an address that nobody has proved may be a stranger's.
  const unproved = await moveSecondFactors(database, { auth, env: {}, oldSecret });
  assert.deepEqual(unproved.sort(), [ada, eve].sort());
  file.exec("UPDATE users SET email_verified = 1 WHERE email = 'eve@example.com'");
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await moveSecondFactors(database, { auth, env: {}, oldSecret }), [ada]);
  }
  const send = (path: string, cookie: string, fields: Record<string, string>) =>
    auth.handle(
      new Request(`https://app.example/auth${path}`, {
        method: "POST",
        headers: {
          ...{ accept: "application/json", "content-type": "application/json", cookie },
          origin: "https://app.example",
        },
        body: JSON.stringify(fields),
      }),
      {},
      { waitUntil },
    );
  const ofEve = { email: "eve@example.com", password: "another long password" };
  const waits = (await send("/signin/passwords", "", ofEve))!;
  const cookie = waits.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const { secret } = rowOf(file, "SELECT secret FROM apps");
  // The present code may have been used there; of the next half minute's app nobody has.
  const code = await totpCode(String(secret), stepAt(Date.now()) + 1);
  const answer = (await send("/second-factor", cookie, { code }))!;
  assert.equal(answer.status, 200);
  assert.equal((await answer.json()).user?.email, "eve@example.com");
  await settled();
  file.close();
});

Deno.test("the guide from Better Auth moves organizations, their members and open invitations", async () => {
  const { folder, file } = await follow("better_auth");
  const { moveOrganizations } = await importFrom(folder, "move_organizations.ts") as {
    moveOrganizations(database: SqlDatabase, slugs?: Record<string, string>): Promise<void>;
  };
  file.exec("UPDATE organization SET slug = 'Acme_Inc'");
  await assert.rejects(
    moveOrganizations(sqlite(file)),
    /1 to 63 of a-z, 0-9 and inner hyphens.*"Acme_Inc" \(/,
  );
  for (let times = 0; times < 2; times++) {
    await moveOrganizations(sqlite(file), { Acme_Inc: "acme" });
  }
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
  for (let times = 0; times < 2; times++) await moveApiKeys(sqlite(file));
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

  // Where the guide from Lucia leads to.
  const verifyLegacy = await verifyLegacyOf(await writeFiles("better_auth", []));
  const right = { email: "ada@example.com", password: "correct horse battery" };
  assert.equal(await byPassword(file, verifyLegacy, { ...right, password: "wrong" }), null);
  assert.equal(await byPassword(file, verifyLegacy, right), ada.id);
  const hashOf = (id: string) =>
    String(rowOf(file, `SELECT hash FROM password_hashes WHERE user_id = '${id}'`).hash);
  const argon = hashOf("grace");
  assert.match(argon, /^\$argon2id\$/);
  const ofGrace = { email: "grace@example.com", password: "another long password" };
  const asked: string[][] = [];
  const checks = (...values: string[]) => asked.push(values) === 1;
  assert.equal(await byPassword(file, checks, ofGrace), "grace");
  assert.deepEqual(asked, [["another long password", argon]]);
  const old = hashOf("old");
  assert.match(old, /^s2:/);
  assert.equal(await verifyLegacy("of version two", old.replace("s2:", "")), true);
  assert.equal(await verifyLegacy("another", old.replace("s2:", "")), false);
  file.close();
});
