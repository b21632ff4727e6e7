import assert from "node:assert/strict";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";
import type { EmailChangeParams } from "../account/email_change.ts";
import { accountPage } from "../account/page.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions } from "../app/options.ts";
import { startSession } from "../session/operations.ts";
import { createUser, passwordChanged } from "../session/users.ts";
import { credentials } from "../sign_in/credentials.ts";
import { email } from "../sign_in/email/provider.ts";
import { issueOneTimeToken, redeemOneTimeToken } from "../sign_in/one_time_token.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { createSqlRevocationStore } from "../storage/revocations.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import { createSqlTenantMembers } from "../tenant/sql.ts";
import type { EmailParams } from "../types/application.ts";
import { cookieOf, createTestApplication, ORIGIN, type TestApplication } from "./application.ts";
import { createD1Double } from "./d1_double.ts";
import { during, userAt } from "./during.ts";
import { identityProvider } from "./identity_provider.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "./passkey_browser.ts";

export const VICTIM = "victim@example.com";

/** An application with every way in, whose passwords are its own. */
export interface House extends TestApplication {
  passwords: Map<string, string>;
  mails: EmailParams[];
  changes: EmailChangeParams[];
  /** Signs in by address and password; gives the Cookie header, "" for a refusal. */
  byPassword(password: string): Promise<string>;
}

/** Makes one; `wrap` puts something between it and its database. */
export function createHouse(
  strategy: "database" | "jwt",
  options: Partial<AuthOptions> = {},
  wrap: (database: SqlDatabase) => SqlDatabase = (database) => database,
): House {
  const passwords = new Map<string, string>();
  const mails: EmailParams[] = [];
  const changes: EmailChangeParams[] = [];
  const database = createD1Double();
  const wrapped = wrap(database);
  const application = createTestApplication({
    database: wrapped,
    rateLimit: false,
    cookies: { sessionToken: { hostOnly: true } },
    secret: "0123456789abcdef0123456789abcdef",
    session: strategy === "jwt"
      ? { strategy: jwtSessions, revocation: createSqlRevocationStore(wrapped) }
      : { strategy: "database" },
    providers: [
      credentials({
        credentials: {
          email: { label: "Email", type: "email" },
          password: { label: "Password", type: "password" },
        },
        authorize: ({ password }) =>
          Promise.resolve(passwords.get(VICTIM) === password ? { id: "u1" } : null),
      }),
      email({
        from: "App <hello@app.example>",
        code: true,
        sendVerificationRequest: (mail) => Promise.resolve(void mails.push(mail)),
      }),
      identityProvider("code"),
      identityProvider("chat"),
      passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
      accountPage({ sendEmailChange: (mail) => void changes.push(mail) }),
    ],
    ...options,
  });
  return {
    ...application,
    database,
    close() {
      application.close();
      database.close();
    },
    passwords,
    mails,
    changes,
    async byPassword(password) {
      const fields = { email: VICTIM, password };
      return cookieOf(await application.send("/signin/credentials", { fields }));
    },
  };
}

/** Possessions of the stranger who made the account with somebody else's address. */
export interface Stranger {
  cookie: string;
  browser: PasskeyBrowser;
  authenticator: ReturnType<typeof createSoftwareAuthenticator>;
  /** A one-time token that proves nothing, in the stranger's hands. */
  token: string;
  /** A link by which the account's address would become the stranger's. */
  change: EmailChangeParams;
  /** The confirmation of the address of now, which went to the owner of the mailbox. */
  confirmation: EmailChangeParams;
  /** The same of the application, asked for in the stranger's session. */
  verification: string;
}

export const rowsOf = ({ database }: House, table: string): string[] =>
  database.sqlite.prepare(
    `SELECT * FROM ${table} WHERE ${
      table === "tenant_invitations" ? "invited_by" : "user_id"
    } = 'u1'`,
  ).all()
    .map((row) => JSON.stringify(row));

export async function moveIn(house: House): Promise<Stranger> {
  house.passwords.set(VICTIM, "the stranger's");
  const { cookies, result: verification } = await during(house, undefined, async () => {
    await createUser({ id: "u1", email: VICTIM, name: "Victim" });
    await startSession("u1");
    return await issueOneTimeToken("verify", "u1", { sentTo: VICTIM, keepFor: "current" });
  });
  const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
  const browser = createPasskeyBrowser(house);
  for (const pair of cookie.split("; ")) {
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }
  const authenticator = createSoftwareAuthenticator();
  assert.equal((await browser.register(authenticator)).status, 200);
  const linked = await house.send("/link/chat", { cookie, fields: { sub: "stranger" } });
  assert.equal(linked.status, 200);
  const { result: token } = await during(
    house,
    undefined,
    () => issueOneTimeToken("mine", "u1", { payload: "prepared" }),
  );
  for (const address of ["stranger@example.com", VICTIM]) {
    const asked = await house.send("/account/email", { cookie, fields: { email: address } });
    assert.equal(asked.status, 303);
  }
  const at = new Date(house.clock.now);
  await createSqlTenantMembers(house.database)
    .add({ tenantId: "t1", userId: "u1", roles: ["owner"], createdAt: at });
  house.database.sqlite.exec(
    `INSERT INTO known_browsers VALUES ('stranger', 'u1', ${house.clock.now}, 8640000000000000);
     INSERT INTO password_hashes VALUES ('u1', 'the stranger''s', ${house.clock.now});
     INSERT INTO second_factors VALUES ('u1', 'the stranger''s', 1, 0, 0, ${house.clock.now});
     INSERT INTO recovery_codes VALUES ('stranger', 'u1', ${house.clock.now});
     INSERT INTO trusted_browsers VALUES ('stranger', 'u1', NULL, ${house.clock.now}, 8640000000000000);
     INSERT INTO audit_entries (id, at, type, user_id, text) VALUES ('a', 1, 'sign-in', 'u1', '{}');
     INSERT INTO audit_people (entry_id, part, user_id, salt, text) VALUES ('a', 'user', 'u1', 's', '{}');
     INSERT INTO tenant_invitations (id, tenant_id, email_identity, email, hash, invited_by, created_at, expires_at)
       VALUES ('i', 't1', 'bob@example.com', 'bob@example.com', 'h', 'u1', 1, 8640000000000000);
     INSERT INTO user_roles (role, user_id) VALUES ('reader', 'u1');
     INSERT INTO api_keys (id, user_id, name, hash, created_by, created_at)
       VALUES ('stranger', 'u1', 'Key', 'hash', 'u1', ${house.clock.now});
     INSERT INTO session_factors VALUES ('stranger', 'u1', 'totp', ${house.clock.now}, 8640000000000000)`,
  );
  return {
    cookie,
    browser,
    authenticator,
    token,
    change: house.changes.find(({ to }) => to === "stranger@example.com")!,
    confirmation: house.changes.findLast(({ to }) => to === VICTIM)!,
    verification,
  };
}

/** Redeems an application's token and gives what it stood for. */
export async function redeem(house: House, purpose: string, token: string, cookie?: string) {
  return (await during(house, cookie, () => redeemOneTimeToken(purpose, token))).result;
}

export async function issue(house: House, purpose: string): Promise<string> {
  const options = { sentTo: VICTIM };
  return (await during(house, undefined, () => issueOneTimeToken(purpose, "u1", options))).result;
}

/** The fields behind the link of a mail of the account page. */
export function fieldsOf({ url }: { url: string }): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

/** Every way in which the owner of the mailbox comes; gives the Cookie header of a session, "" for none. */
export const WAYS: Record<string, (house: House, stranger: Stranger) => Promise<string>> = {
  async "a link"(house) {
    await house.send("/signin/email", { fields: { email: VICTIM } });
    const { url, identifier, token, ends: first } = house.mails.at(-1)!;
    const { pathname, search } = new URL(url);
    const page = await (await house.send(pathname.slice("/auth".length) + search)).text();
    for (const said of ["The password", "Passkeys: 1", "All sessions and memberships"]) {
      assert.equal(page.includes(said), first, said);
    }
    const confirmed = await house.send("/callback/email", {
      fields: { token, email: identifier },
    });
    assert.equal(confirmed.status, 303);
    return cookieOf(confirmed);
  },
  async "a code"(house) {
    const asked = await house.send("/signin/email", { fields: { email: VICTIM } });
    const { code, ends: first } = house.mails.at(-1)!;
    const fields: Record<string, string> = { code: code! };
    const path = "/callback/email/code";
    if (first) {
      const page = await house.send(path, { cookie: cookieOf(asked), fields });
      assert.equal(page.status, 200);
      assert.match(await page.text(), /The password[^]*Passkeys: 1/);
      fields.ends = "agreed";
    }
    const typed = await house.send(path, { cookie: cookieOf(asked), fields });
    assert.equal(typed.status, 303);
    return cookieOf(typed).split("; ").filter((pair) => pair.includes("session-token")).join("; ");
  },
  async "a reset token"(house) {
    assert.notEqual(await redeem(house, "reset", await issue(house, "reset")), null);
    return "";
  },
  async "a verification token that the stranger's session asked for"(house, { verification }) {
    const again = house.database.sqlite.prepare("SELECT email_verified AS at FROM users").get()!.at;
    const token = again === null ? verification : await issue(house, "verify");
    assert.notEqual(await redeem(house, "verify", token), null);
    return "";
  },
  async "an invitation"(house) {
    assert.notEqual(await redeem(house, "invite", await issue(house, "invite")), null);
    return "";
  },
  async "a trusted provider"(house) {
    const fields = { sub: "owner", email: VICTIM, verified: "true" };
    return cookieOf(await house.send("/signin/code", { fields }));
  },
  async "the account page's confirmation"(house, { confirmation }) {
    const fields = fieldsOf(confirmation);
    const path = "/account/email/confirm";
    const again = house.database.sqlite.prepare("SELECT email_verified AS at FROM users").get()!.at;
    const shown = await house.send(`${path}?${new URLSearchParams(fields)}`);
    if (again !== null) return "";
    const page = await shown.text();
    for (const said of ["The password", "Passkeys: 1"]) assert.ok(page.includes(said), page);
    const confirmed = await house.send(path, { fields });
    assert.match(await confirmed.text(), /no longer works, the old password too/);
    return "";
  },
};

/** Tries everything that the stranger left. */
export async function strangerIsOut(house: House, stranger: Stranger, cell: string): Promise<void> {
  const { browser, authenticator, token, change, cookie } = stranger;
  assert.equal(await userAt(house, cookie), null, `${cell}: session`);
  assert.equal(await house.byPassword("the stranger's"), "", `${cell}: password`);
  browser.cookies.clear();
  assert.notEqual((await browser.prove(authenticator)).status, 200, `${cell}: passkey`);
  const chat = cookieOf(await house.send("/signin/chat", { fields: { sub: "stranger" } }));
  assert.notEqual(await userAt(house, chat), "u1", `${cell}: linked account`);
  assert.equal(await redeem(house, "mine", token), null, `${cell}: token`);
  const fields = fieldsOf(change);
  const changed = await house.send("/account/email/confirm", { cookie, fields });
  assert.equal(changed.status, 400, `${cell}: pending change`);
  const browsers = house.database.sqlite.prepare(
    "SELECT * FROM known_browsers WHERE id_hash = 'stranger'",
  ).all();
  assert.deepEqual(browsers, [], `${cell}: known browser`);
  const hashes = house.database.sqlite.prepare(
    "SELECT * FROM password_hashes WHERE hash = 'the stranger''s'",
  ).all();
  assert.deepEqual(hashes, [], `${cell}: password of passwords()`);
  const members = await createSqlTenantMembers(house.database).listOfUser("u1");
  assert.deepEqual(members.members, [], `${cell}: memberships`);
}

/** The owner sets a new password, by mail, and signs in with it. */
export async function setPassword(house: House, cell: string): Promise<string> {
  const token = await issue(house, "reset");
  await during(house, undefined, async () => {
    const redeemed = await redeemOneTimeToken("reset", token);
    assert.equal(redeemed?.userId, "u1", cell);
    house.passwords.set(VICTIM, "the owner's");
    await passwordChanged("u1");
  });
  house.clock.now += 120_000;
  const cookie = await house.byPassword("the owner's");
  assert.equal(await userAt(house, cookie), "u1", cell);
  return cookie;
}

/** The owner signs up, and confirms the address in that session; or in another browser. */
export async function signUp(house: House): Promise<{ cookie: string; token: string }> {
  house.passwords.set(VICTIM, "the owner's");
  const { cookies, result: token } = await during(house, undefined, async () => {
    await createUser({ id: "u1", email: VICTIM });
    await startSession("u1");
    return await issueOneTimeToken("verify", "u1", { sentTo: VICTIM, keepFor: "current" });
  });
  return { cookie: cookies.map((line) => line.split(";")[0]).join("; "), token };
}

export const PLAIN = { cookies: {} };

/** Asks on the account page for the mail by which the address is confirmed, and presses its button elsewhere. */
export async function confirmOnPage(
  house: House,
  { asked, opened }: { asked: string; opened: string | undefined },
): Promise<string> {
  await house.send("/account/email", { cookie: asked, fields: { email: VICTIM } });
  const mail = house.changes.findLast(({ to }) => to === VICTIM)!;
  const confirmed = await house.send("/account/email/confirm", {
    fields: fieldsOf(mail),
    ...(opened !== undefined && { cookie: opened }),
  });
  return await confirmed.text();
}
