import assert from "node:assert/strict";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import { LastWayInError } from "../errors.ts";
import type { Provider } from "../core/provider.ts";
import {
  cookieOf,
  createTestApplication,
  inVisit,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { passwords } from "../sign_in/password/provider.ts";
import { listAccounts, unlinkAccount } from "./linked_accounts.ts";

const JSON_PLEASE = { accept: "application/json" };

function createApplication(...further: Provider[]): TestApplication {
  return createNamed(undefined, ...further);
}

/** With a name for the session cookie. */
function createNamed(name: string | undefined, ...further: Provider[]): TestApplication {
  const providers = [identityProvider("code"), identityProvider("chat"), ...further];
  const cookies = name === undefined ? {} : { cookies: { sessionToken: { name } } };
  return createTestApplication({ providers, rateLimit: false, ...cookies });
}

async function signIn({ send }: TestApplication, fields: Record<string, string>): Promise<string> {
  return cookieOf(await send("/signin/code", { fields }));
}

async function remove(
  { send }: TestApplication,
  path: string,
  cookie?: string,
): Promise<{ status: number; code: unknown }> {
  const response = await send(`/accounts/${path}`, {
    method: "DELETE",
    headers: JSON_PLEASE,
    ...(cookie !== undefined && { cookie }),
  });
  return { status: response.status, code: response.body && (await response.json()).code };
}

Deno.test("GET /accounts lists the visitor's own, and no token", async () => {
  const application = createApplication();
  const ada = await signIn(application, { sub: "ada" });
  await signIn(application, { sub: "eve" });
  const chat = { sub: "ada@chat", email: "ada@chat.example" };
  await application.send("/link/chat", { cookie: ada, fields: chat });
  const response = await application.send("/accounts", { cookie: ada });
  const text = await response.text();
  const createdAt = new Date(application.clock.now).toISOString();
  const described = { type: "oauth", scope: "read", createdAt };
  assert.deepEqual(JSON.parse(text), [
    { provider: "chat", providerAccountId: "ada@chat", email: chat.email, ...described },
    { provider: "code", providerAccountId: "ada", email: null, ...described },
  ]);
  assert.doesNotMatch(text, /sealed/);
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal((await application.send("/accounts", { headers: JSON_PLEASE })).status, 401);
  application.close();
});

// Tracks: GHSA-4vcf-q4xf-f48m
Deno.test("DELETE /accounts/<provider>/<id> unlinks the visitor's own and nobody else's", async () => {
  const application = createApplication();
  const ada = await signIn(application, { sub: "a/d%a é" });
  await application.send("/link/chat", { cookie: ada, fields: { sub: "2" } });
  const eve = await signIn(application, { sub: "eve" });
  const path = `code/${encodeURIComponent("a/d%a é")}`;
  assert.deepEqual(await remove(application, path, eve), { status: 404, code: "NOT_FOUND" });
  assert.equal((await remove(application, path)).status, 401);
  assert.equal((await remove(application, "chat/none", ada)).status, 404);
  assert.equal((await remove(application, "code/%ff", ada)).status, 404);
  assert.equal((await remove(application, path, ada)).status, 204);
  assert.equal((await remove(application, path, ada)).status, 404);
  const events = application.log.filter(({ event }) => event.startsWith("account-"));
  assert.deepEqual(
    events.map(({ event, fields }) => [event, fields.provider]),
    [["account-linked", "chat"], ["account-unlinked", "code"]],
  );
  application.close();
});

Deno.test("accounts at providers of OpenID Connect are listed and unlinked as others are", async () => {
  const application = createTestApplication({
    providers: [identityProvider("issuer", { type: "oidc" }), passwordProvider()],
    rateLimit: false,
  });
  const cookie = cookieOf(await application.send("/signin/issuer", { fields: { sub: "1" } }));
  await application.send("/link/issuer", { cookie, fields: { sub: "2" } });
  const list = async () =>
    (await (await application.send("/accounts", { cookie })).json())
      .map(({ providerAccountId }: { providerAccountId: string }) => providerAccountId).sort();
  assert.deepEqual(await list(), ["1", "2"]);
  const removed = await application.send("/accounts/issuer/2", { method: "DELETE", cookie });
  assert.equal(removed.status, 204);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    assert.equal(removed.headers.get(name), value, name);
  }
  assert.deepEqual(await list(), ["1"]);
  application.close();
});

Deno.test("DELETE /accounts/<provider>/<id> asks for a recent proof", async () => {
  const application = createApplication();
  const cookie = await signIn(application, { sub: "ada" });
  await application.send("/link/chat", { cookie, fields: { sub: "2" } });
  application.clock.now += 3600_000;
  assert.equal((await remove(application, "chat/2", cookie)).code, "REAUTHENTICATION_REQUIRED");
  assert.equal((await (await application.send("/accounts", { cookie })).json()).length, 2);
  application.close();
});

Deno.test("the last way in stays, unless a proved address is another one", async () => {
  const mailbox = { email: "ada@example.com", verified: "true" };
  const cases: [further: Provider[], fields: Record<string, string>, status: number][] = [
    [[], mailbox, 409],
    [[identityProvider("email", { type: "email" })], mailbox, 204],
    [[passwordProvider()], mailbox, 204],
    // Nobody knows whether they have a password; without a proved address none can be sent to them.
    [[passwordProvider()], {}, 409],
    [[identityProvider("email", { type: "email" })], { ...mailbox, verified: "false" }, 409],
  ];
  for (const [further, fields, status] of cases) {
    const application = createApplication(...further);
    const cookie = await signIn(application, { sub: "ada", ...fields });
    const outcome = await remove(application, "code/ada", cookie);
    assert.equal(outcome.status, status);
    if (status === 409) assert.equal(outcome.code, "LAST_WAY_IN");
    application.close();
  }
});

// Tracks: R127
Deno.test("what the configuration opens no longer is no way in: accounts, passkeys, passwords, mailboxes", async () => {
  const own = { rpName: "x", rpId: "app.example", origin: "https://app.example" };
  const insert = {
    account:
      `INSERT INTO accounts (provider, provider_account_id, user_id, type, created_at, updated_at)
SELECT 'gone', '1', id, 'oauth', 1, 1 FROM users`,
    passkey: `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, transports,
  device_type, backed_up, created_at) SELECT 'k', id, 'h', 'a2V5', 0, '[]', 'singleDevice', 0, 1 FROM users`,
    password:
      `INSERT INTO password_hashes (user_id, hash, changed_at) SELECT id, 'h', 1 FROM users`,
  };
  const mailbox = { email: "ada@example.com", verified: "true" };
  const typed = { ...mailbox, verified: "false" };
  const sendMail = () => Promise.resolve();
  const cases: [
    further: Provider[],
    has: keyof typeof insert | null,
    user: object,
    status: number,
  ][] = [
    [[identityProvider("gone")], "account", {}, 204],
    [[], "account", {}, 409],
    [[passkey(own)], "passkey", {}, 204],
    [[], "passkey", {}, 409],
    [[passkey({ ...own, residentKey: "discouraged" })], "passkey", {}, 409],
    [[passkey({ ...own, residentKey: "preferred" })], "passkey", {}, 409],
    [
      [passkey({ ...own, residentKey: "discouraged" }), passwords({ sendMail })],
      "passkey",
      mailbox,
      204,
    ],
    [[passwords({ sendMail })], "password", mailbox, 204],
    [[], "password", mailbox, 409],
    [[passwords({ sendMail })], null, typed, 409],
  ];
  for (const [index, [further, has, user, status]] of cases.entries()) {
    const application = createApplication(...further);
    const cookie = await signIn(application, { sub: "ada", ...user });
    if (has !== null) application.database.sqlite.exec(insert[has]);
    const outcome = await remove(application, "code/ada", cookie);
    assert.equal(outcome.status, status, `case ${index}`);
    const left = await (await application.send("/accounts", { cookie })).json();
    assert.equal(left.some((one: { provider: string }) => one.provider === "code"), status === 409);
    application.close();
  }
});

// Tracks: R127, K4
Deno.test("an address whose proof ends while an account is unlinked is no way in", async () => {
  const application = createApplication(identityProvider("email", { type: "email" }));
  const cookie = await signIn(application, {
    sub: "ada",
    email: "a@example.com",
    verified: "true",
  });
  const { database } = application;
  const { prepare } = database;
  // After everything that is read before the removal.
  database.prepare = (sql) => {
    if (sql.startsWith("DELETE FROM accounts")) {
      database.sqlite.exec("UPDATE users SET email_verified = NULL");
    }
    return prepare(sql);
  };
  assert.equal((await remove(application, "code/ada", cookie)).status, 409);
  application.close();
});

// Tracks: K4
Deno.test("two accounts that are unlinked at once leave one, 20 times", async () => {
  for (let round = 0; round < 20; round++) {
    const application = createApplication();
    const cookie = await signIn(application, { sub: "ada" });
    await application.send("/link/chat", { cookie, fields: { sub: "ada" } });
    const outcomes = await Promise.all(
      ["code/ada", "chat/ada"].map((path) => remove(application, path, cookie)),
    );
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), [204, 409]);
    application.close();
  }
});

Deno.test("linkIdentity() refuses an account of another user", async () => {
  const application = createApplication();
  await signIn(application, { sub: "ada" });
  const eve = await signIn(application, { sub: "eve" });
  const response = await application.send("/link/code", {
    cookie: eve,
    fields: { sub: "ada" },
    headers: JSON_PLEASE,
  });
  assert.equal(response.status, 409);
  assert.equal((await response.json()).code, "ACCOUNT_TAKEN");
  application.close();
});

// Tracks: R163, A-06
Deno.test("linkIdentity() proves nothing for a session that a sibling host may have planted", async () => {
  const application = createApplication(passwordProvider());
  const cookie = await application.signIn("ada");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com'",
  );
  const own = { sub: "2", email: "ada@example.com", verified: "true" };
  await application.send("/link/chat", { cookie, fields: own });
  const { email_verified } = application.database.sqlite.prepare("SELECT * FROM users").get()!;
  assert.equal(email_verified, null);
  assert.equal((await (await application.send("/accounts", { cookie })).json()).length, 1);
  application.close();
});

Deno.test("linkIdentity() proves the user's own address and no other", async () => {
  const application = createNamed("__Host-framework.session-token", passwordProvider());
  const cookie = await application.signIn("ada");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com'",
  );
  const read = () =>
    application.database.sqlite.prepare("SELECT email, email_verified FROM users").get()!;
  const other = { sub: "1", email: "other@example.com", verified: "true" };
  await application.send("/link/code", { cookie, fields: other });
  assert.deepEqual({ ...read() }, { email: "ada@example.com", ["email_verified"]: null });
  const own = { sub: "2", email: "Ada@example.com", verified: "true" };
  await application.send("/link/chat", { cookie, fields: own });
  assert.equal(read().email_verified, application.clock.now);
  // Nothing of who is signed in was removed.
  assert.equal((await (await application.send("/accounts", { cookie })).json()).length, 2);
  assert.notEqual(await application.signIn("ada"), "");
  application.close();
});

Deno.test("listAccounts() and unlinkAccount() are about who is signed in", async () => {
  const application = createApplication();
  const ada = await signIn(application, { sub: "ada" });
  await signIn(application, { sub: "eve" });
  await inVisit(application, async () => {
    assert.deepEqual((await listAccounts()).map(({ provider }) => provider), ["code"]);
    assert.equal(await unlinkAccount("code", "eve"), false);
    await assert.rejects(unlinkAccount("code", "ada"), LastWayInError);
    return new Response();
  }, { cookie: ada });
  await inVisit(application, async () => {
    await assert.rejects(listAccounts(), { code: "UNAUTHENTICATED" });
    return new Response();
  });
  application.close();
});
