// docs/threat_model.md: every table with a user's id is on the page, and every cell of its matrix is so.
import assert from "node:assert/strict";
import { accountPage } from "../../auth/account/page.ts";
import type { EmailChangeParams } from "../../auth/account/email_change.ts";
import { jwtSessions } from "../../auth/app/jwt_sessions.ts";
import { apiKeys } from "../../auth/api_key/provider.ts";
import { createApiKey } from "../../auth/api_key/operations.ts";
import { authMiddleware } from "../../auth/session/auth_middleware.ts";
import { getUser } from "../../auth/session/operations.ts";
import { createUser, disableUser, enableUser } from "../../auth/session/users.ts";
import { email } from "../../auth/sign_in/email/provider.ts";
import { issueOneTimeToken, redeemOneTimeToken } from "../../auth/sign_in/one_time_token.ts";
import { resetSecondFactor } from "../../auth/sign_in/second_factor/require.ts";
import { passkey } from "../../auth/sign_in/passkey/provider.ts";
import { passwordGroup } from "../../auth/storage/passwords.ts";
import { createSqlRevocationStore } from "../../auth/storage/revocations.ts";
import { authSchema } from "../../auth/storage/schema.ts";
import { teamGroup } from "../../auth/storage/teams.ts";
import { secondFactorGroup } from "../../auth/storage/second_factors.ts";
import { secretGroup } from "../../auth/storage/secrets.ts";
import { groupOf } from "../../auth/storage/storage.ts";
import { createSqlTenantMembers } from "../../auth/tenant/sql.ts";
import { ORIGIN } from "../../auth/tests/application.ts";
import { createD1Double, type D1Double } from "../../auth/tests/d1_double.ts";
import { during, userAt } from "../../auth/tests/during.ts";
import { identityProvider } from "../../auth/tests/identity_provider.ts";
import { createPasskeyBrowser } from "../../auth/tests/passkey_browser.ts";
import {
  cheapHasher,
  everyCookie,
  PASSWORD,
  type PasswordApplication,
  tokenOf,
  withPasswords,
} from "../../auth/tests/password_application.ts";
import type { EmailParams } from "../../auth/types/application.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/threat_model.md", import.meta.url));

/** Rows of the table below a heading of the page, by the names of the columns. */
function tableBelow(heading: string): Record<string, string>[] {
  const [, section] = PAGE.split(`\n## ${heading}\n`);
  const [head, , ...rows] = section!.split("\n## ")[0]!.split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  return rows.map((row) => Object.fromEntries(head!.map((name, index) => [name, row[index]!])));
}

const CREDENTIALS = tableBelow("What there is");
const MATRIX = tableBelow("What becomes of it");

// Tracks: R162
Deno.test("the threat model has every table with a user's id, and a cell for each credential and event", () => {
  const tables = [...authSchema.up.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\);/g)]
    .filter(([, , columns]) => /\buser_id\b|REFERENCES users\b/.test(columns!))
    .map(([, name]) => name!);
  assert.ok(tables.length >= 8, String(tables));
  const listed = CREDENTIALS.map(({ table }) => table!.replaceAll("`", ""));
  assert.deepEqual(tables.filter((table) => !listed.includes(table)), []);
  const names = [...authSchema.up.matchAll(/CREATE TABLE (\w+) /g)].map(([, name]) => name!);
  const made = CREDENTIALS.filter(({ table }) => table !== "not yet");
  for (const { credential, table, ...cells } of made) {
    assert.ok(names.includes(table!.replaceAll("`", "")), `${credential}: ${table}`);
    for (const cell of Object.values(cells)) assert.notEqual(cell, "", credential);
  }
  for (const { table, credential, ...cells } of CREDENTIALS) {
    if (table === "not yet") assert.equal(Object.values(cells).join(""), "", credential);
  }
  assert.deepEqual(
    MATRIX.map(({ credential }) => credential),
    made.map(({ credential }) => credential),
  );
  assert.deepEqual(MATRIX.map(({ credential }) => credential), Object.keys(PROBES));
  for (const { credential: _, ...cells } of MATRIX) {
    assert.deepEqual(Object.keys(cells), Object.keys(EVENTS));
  }
});

const OWNER = "ada@example.com";
const NEW_PASSWORD = "another sentence that only tests use";

/** An application with every way in, in which somebody and a thief share an account. */
interface House extends PasswordApplication {
  db: D1Double;
  mails: EmailParams[];
  changes: EmailChangeParams[];
  /** Cookie header of the owner. */
  owner: string;
  /** API key of the thief. */
  apiKey: string;
  thief: Thief;
}

/** Possessions of the thief, one of each credential. */
interface Thief {
  cookie: string;
  knownBrowser: string;
  browser: ReturnType<typeof createPasskeyBrowser>;
  authenticator: ReturnType<typeof createSoftwareAuthenticator>;
  mail: EmailParams;
  reset: string;
  change: EmailChangeParams;
  token: string;
  signUp: { cookie: string; token: string };
}

const isRight = (response: Response) => response.status === 200 || response.status === 303;

/** Tells by what a thief does if a credential still opens what it opened. */
const PROBES: Record<string, (house: House) => Promise<boolean>> = {
  session: async (house) => await userAt(house, house.thief.cookie) === "u1",
  "known browser": ({ rows, thief }) =>
    Promise.resolve(rows("known_browsers").some(({ id_hash }) => id_hash === thief.knownBrowser)),
  async password(house) {
    const address = String(house.rows("users").find(({ id }) => id === "u1")!.email);
    return await userAt(house, everyCookie(await house.byPassword(address, PASSWORD))) === "u1";
  },
  async passkey({ thief: { browser, authenticator } }) {
    browser.cookies.clear();
    return (await browser.prove(authenticator)).status === 200 && await browser.user() === "u1";
  },
  async "passkey offer"(house) {
    const there = house.rows("verifications").some(({ purpose }) => purpose === "passkey-offer");
    return there && await PROBES.session!(house);
  },
  "removal link": ({ rows }) =>
    Promise.resolve(rows("verifications").some(({ purpose }) => purpose === "passkey-removal")),
  async "provider account"(house) {
    const response = await house.send("/signin/code", { fields: { sub: "thief" } });
    return await userAt(house, everyCookie(response)) === "u1";
  },
  "provider tokens": ({ rows }) =>
    Promise.resolve(
      rows("accounts").some((row) => row.user_id === "u1" && row.access_token !== null),
    ),
  async "sign-in link"(house) {
    const { token, identifier } = house.thief.mail;
    const response = await house.send("/callback/email", { fields: { token, email: identifier } });
    return await userAt(house, everyCookie(response)) === "u1";
  },
  async "reset link"({ send, thief: { reset } }) {
    const headers = { accept: "text/html" };
    const response = await send(`/reset?${new URLSearchParams({ token: reset })}`, { headers });
    return (await response.text()).includes('name="password"');
  },
  async "change of address"({ send, thief: { cookie, change } }) {
    const fields = Object.fromEntries(new URL(change.url).searchParams);
    return isRight(await send("/account/email/confirm", { cookie, fields }));
  },
  async "one-time token"(house) {
    const { token } = house.thief;
    const { result } = await during(house, undefined, () => redeemOneTimeToken("invite", token));
    return result !== null;
  },
  async "pending sign-up"(house) {
    const { cookie, token } = house.thief.signUp;
    const made = await house.send("/signup/confirm", { cookie, fields: { token } });
    return await userAt(house, everyCookie(made)) === "u1";
  },
  async membership({ db }) {
    return (await createSqlTenantMembers(db).listOfUser("u1")).members.length > 0;
  },
  // One that the thief has made in the name of the user: it holds as long as the user may invite.
  async invitation(house) {
    return house.rows("tenant_invitations").length > 0 && await PROBES.membership!(house);
  },
  // There is nothing to come with.
  activity: () => Promise.resolve(false),
  "role in the directory": () => Promise.resolve(false),
  "entry of the trail": () => Promise.resolve(false),
  "person of the trail": () => Promise.resolve(false),
  "second factor": ({ rows }) => Promise.resolve(rows("second_factors").length > 0),
  "recovery code": ({ rows }) => Promise.resolve(rows("recovery_codes").length > 0),
  async "trusted browser"({ auth, clock }) {
    const factors = groupOf(auth.storage({}), secondFactorGroup);
    return (await factors.listTrustedBrowsers("u1", clock.now)).length > 0;
  },
  "pending step": ({ rows }) =>
    Promise.resolve(rows("verifications").some(({ purpose }) => purpose === "second-step")),
  async "proof of a session"(house) {
    const there = house.rows("session_factors").length > 0;
    return there && await PROBES.session!(house);
  },
  "recovery request": ({ rows }) =>
    Promise.resolve(rows("verifications").some(({ purpose }) => purpose === "factor-recovery")),
  impersonation: ({ rows }) =>
    Promise.resolve(rows("verifications").some(({ purpose }) => purpose === "impersonation")),
  "short cookie": isBoundStill,
  "device key": isBoundStill,
  async "API key"({ auth, apiKey }) {
    const request = new Request(`${ORIGIN}/`, { headers: { authorization: `Bearer ${apiKey}` } });
    const response = await auth.run(
      request,
      {},
      undefined,
      (context) =>
        authMiddleware({ apiKey: true })(
          request,
          () => Promise.resolve(new Response(getUser()?.id)),
          context,
        ),
    );
    return await response.text() === "u1";
  },
};

/** Tells if the row of the thief's session is there, whose column has both; sessions without rows are bound to none. */
async function isBoundStill(house: House): Promise<boolean> {
  const sessions = house.rows("sessions");
  if (sessions.length === 0) return await PROBES.session!(house);
  return sessions.some(({ device }) => device === "thief");
}

/** Changes the address, which both mailboxes agree to in the owner's browser. */
async function changeAddress(house: House): Promise<void> {
  const { send, owner: cookie, changes } = house;
  const before = changes.length;
  await send("/account/email", { cookie, fields: { email: "ada@new.example" } });
  assert.equal(changes.length, before + 2);
  for (const { url } of changes.slice(before)) {
    const fields = Object.fromEntries(new URL(url).searchParams);
    const agreed = await send("/account/email/confirm", { cookie, fields });
    assert.equal(agreed.status, 200, await agreed.text());
  }
  const { email } = house.rows("users").find(({ id }) => id === "u1")!;
  assert.equal(email, "ada@new.example");
}

/** What happens to the account, by the column of the page. */
const EVENTS: Record<string, (house: House) => Promise<void>> = {
  async "password change"({ send, owner }) {
    const changed = await send("/account/password", {
      cookie: owner,
      fields: { password: NEW_PASSWORD },
    });
    assert.equal(changed.status, 303, await changed.text());
  },
  async reset(house) {
    const token = await house.askReset(OWNER);
    const changed = await house.send("/reset", { fields: { token, password: NEW_PASSWORD } });
    assert.equal(changed.status, 303, await changed.text());
  },
  async disabling(house) {
    await during(house, undefined, () => disableUser("u1"));
    house.clock.now += 60_000;
    for (const name of ["session", "password", "passkey", "provider account", "reset link"]) {
      assert.equal(await PROBES[name]!(house), false, `disabled: ${name}`);
    }
    await during(house, undefined, () => enableUser("u1"));
  },
  async "sign-out everywhere"({ send, owner }) {
    const ended = await send("/account/sessions/end-others", { cookie: owner, fields: {} });
    assert.equal(ended.status, 303);
  },
  "address change": changeAddress,
  "address change with `hostOnly`": changeAddress,
  async "first proof"({ send, mails }) {
    await send("/signin/email", { fields: { email: OWNER } });
    const { token, identifier } = mails.at(-1)!;
    const proved = await send("/callback/email", { fields: { token, email: identifier } });
    assert.equal(proved.status, 303, await proved.text());
  },
  async "`resetSecondFactor()`"(house) {
    const reset = () => resetSecondFactor("u1", { reason: "Ticket 4711" });
    assert.equal((await during(house, undefined, reset)).result, true);
  },
};

/** Makes the account, with one of each credential in the thief's hands. */
async function moveIn(
  application: PasswordApplication,
  { db, mails, changes, proved }: Pick<House, "db" | "mails" | "changes"> & { proved: boolean },
): Promise<House> {
  const { send, clock, auth } = application;
  const signedUp = await application.signUp(OWNER, { password: NEW_PASSWORD });
  await application.settle();
  const signUp = { cookie: everyCookie(signedUp), token: tokenOf(application.outbox.at(-1)!) };
  const emailVerified = proved ? new Date(clock.now) : null;
  await during(application, undefined, async () => {
    await createUser({ id: "u1", email: OWNER, name: "Ada", emailVerified });
  });
  await groupOf(auth.storage({}), passwordGroup).setPassword({
    userId: "u1",
    hash: await cheapHasher().hash(PASSWORD),
    changedAt: clock.now,
  });
  clock.now += 60_000;
  const stolen = await application.byPassword(OWNER, PASSWORD);
  const cookie = everyCookie(stolen);
  assert.equal(await userAt(application, cookie), "u1");
  db.sqlite.exec("UPDATE sessions SET device = 'thief'");
  const [{ id_hash: knownBrowser }] = application.rows("known_browsers") as [{ id_hash: string }];
  const owner = everyCookie(await application.byPassword(OWNER, PASSWORD));

  const browser = createPasskeyBrowser(application);
  for (const pair of cookie.split("; ")) {
    browser.cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }
  const authenticator = createSoftwareAuthenticator();
  assert.equal((await browser.register(authenticator)).status, 200);
  assert.equal((await send("/link/code", { cookie, fields: { sub: "thief" } })).status, 200);
  await send("/signin/email", { fields: { email: OWNER } });
  const mail = mails.at(-1)!;
  const reset = await application.askReset(OWNER);
  await send("/account/email", { cookie, fields: { email: "thief@example.com" } });
  const change = changes.find(({ to }) => to === "thief@example.com")!;
  const { result: token } = await during(
    application,
    undefined,
    () => issueOneTimeToken("invite", "u1", { payload: "tenant" }),
  );
  await createSqlTenantMembers(db)
    .add({ tenantId: "t1", userId: "u1", roles: ["owner"], createdAt: new Date(clock.now) });
  await groupOf(application.auth.storage({}), teamGroup).putInvitation({
    id: "i1",
    tenantId: "t1",
    emailIdentity: "thief@example.com",
    email: "thief@example.com",
    hash: "hash",
    roles: ["owner"],
    invitedBy: "u1",
    createdAt: clock.now,
    expiresAt: clock.now + 604_800_000,
  });
  const made = await during(application, cookie, () => createApiKey({ name: "Thief" }));
  await placeFactor(application);
  clock.now += 60_000;
  const thief = {
    cookie,
    knownBrowser,
    browser,
    authenticator,
    mail,
    reset,
    change,
    token,
    signUp,
  };
  return { ...application, db, mails, changes, owner, apiKey: made.result.key, thief };
}

/**
 * What a second factor leaves in the tables. The ways in of the thief are to go through, so none is asked for here: what it
 * keeps out has its own tests.
 */
async function placeFactor({ auth, clock }: PasswordApplication): Promise<void> {
  const storage = auth.storage({});
  const factors = groupOf(storage, secondFactorGroup);
  const [createdAt, expiresAt] = [clock.now, clock.now + 3_600_000];
  const made = { userId: "u1", secret: "sealed", lastStep: 1, createdAt };
  assert.equal(await factors.putFactor({ ...made, codes: ["code"], replaces: null }), true);
  const browser = { idHash: "browser", userId: "u1", userAgent: null, createdAt, expiresAt };
  await factors.putTrustedBrowser(browser, { keep: 10 });
  const proved = { sessionId: "any", userId: "u1", at: createdAt, expiresAt };
  await factors.putSessionFactor({ ...proved, method: "totp" });
  const secret = {
    hash: "hash",
    identifier: "u1",
    userId: "u1",
    payload: null,
    createdAt,
    expiresAt,
  };
  // As auth/sign_in/passkey/automatic.ts stores them: a removal names no user.
  for (const purpose of ["second-step", "passkey-offer", "impersonation"]) {
    await groupOf(storage, secretGroup).putSecret({ ...secret, purpose });
  }
  const removal = { ...secret, purpose: "passkey-removal", identifier: null, userId: null };
  await groupOf(storage, secretGroup).putSecret(removal);
  const emailVerified = (await storage.getUser("u1"))?.emailVerified;
  const asked = {
    userId: "u1",
    hash: "recovery",
    payload: "{}",
    step: "hash",
    provedAt: createdAt,
    createdAt,
    expiresAt: createdAt + 86_400_000,
  };
  if (emailVerified) return void assert.equal(await factors.putRecovery(asked), true);
  // An address that is not proved makes none. One of before is there, as after a change of the address by the application.
  const { step: _step, provedAt: _provedAt, ...row } = asked;
  await groupOf(storage, secretGroup).putSecret({
    ...row,
    purpose: "factor-recovery",
    identifier: "u1",
  });
}

/** What becomes of each credential of a thief, in the words of the page. */
async function fire(
  strategy: "database" | "jwt",
  event: string | null,
): Promise<Record<string, string>> {
  const [mails, changes]: [EmailParams[], EmailChangeParams[]] = [[], []];
  const db = createD1Double();
  const found: Record<string, string> = {};
  await withPasswords(
    async (application) => {
      const house = await moveIn(application, {
        db,
        mails,
        changes,
        proved: event !== "first proof",
      });
      if (event !== null) await EVENTS[event]!(house);
      house.clock.now += 60_000;
      for (const [credential, opens] of Object.entries(PROBES)) {
        found[credential] = await opens(house) ? "stays" : "ends";
      }
    },
    {},
    {
      database: db,
      rateLimit: false,
      cookies: { sessionToken: { hostOnly: event?.includes("`hostOnly`") === true } },
      secret: "0123456789abcdef0123456789abcdef",
      session: strategy === "jwt"
        ? { strategy: jwtSessions, revocation: createSqlRevocationStore(db) }
        : { strategy: "database" },
      providers: [
        email({
          from: "App <hello@app.example>",
          sendVerificationRequest: (mail) => Promise.resolve(void mails.push(mail)),
        }),
        identityProvider("code"),
        passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }),
        accountPage({ sendEmailChange: (mail) => void changes.push(mail) }),
        apiKeys({ prefix: "acme" }),
      ],
    },
  );
  db.close();
  return found;
}

/** A cell of the page, as what a thief sees: nothing opens. */
const asSeen = (cell: string) => cell === "opens nothing" ? "ends" : cell;

for (const strategy of ["database", "jwt"] as const) {
  // Tracks: R030, R162
  Deno.test(`the matrix of leftovers: what a thief has opens what it opens while nothing happens (${strategy})`, async () => {
    const never = MATRIX.filter((row) => row.reset === "opens nothing")
      .map(({ credential }) => credential!);
    const opens = Object.keys(PROBES)
      .map((name) => [name, never.includes(name) ? "ends" : "stays"]);
    assert.deepEqual(await fire(strategy, null), Object.fromEntries(opens));
  });

  for (const event of Object.keys(EVENTS)) {
    // Tracks: R030, R162
    Deno.test(`the matrix of leftovers: ${event} (${strategy})`, async () => {
      const said = MATRIX.map((row) => [row.credential!, asSeen(row[event]!)]);
      assert.deepEqual(await fire(strategy, event), Object.fromEntries(said));
    });
  }
}
