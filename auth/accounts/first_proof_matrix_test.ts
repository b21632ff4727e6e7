import assert from "node:assert/strict";
import type { AuthOptions } from "../config/options.ts";
import type { EmailChangeParams } from "../account_page/email_change.ts";
import { accountPage } from "../account_page/account_page.ts";
import { issueOneTimeToken, redeemOneTimeToken } from "../one_time/one_time_token.ts";
import { credentials } from "../providers/credentials.ts";
import { email } from "../providers/email.ts";
import type { EmailParams } from "../providers/email_config.ts";
import { passkey } from "../providers/passkey.ts";
import { createUser } from "../sign_in/create_user.ts";
import { passwordChanged } from "../request/password_changed.ts";
import { startSession } from "../request/operations.ts";
import { jwtSessions } from "../session/jwt_sessions.ts";
import { ENDING, STAYING } from "../storage/first_proof.ts";
import { createSqlRevocationStore } from "../storage/sql_revocations.ts";
import { createSqlTenantMembers } from "../tenant/sql_members.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  type TestApplication,
} from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { during, userAt } from "../tests/during.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../tests/software_authenticator.ts";

const VICTIM = "victim@example.com";

/** An application with every way in, whose passwords are its own. */
interface House extends TestApplication {
  passwords: Map<string, string>;
  mails: EmailParams[];
  changes: EmailChangeParams[];
  /** Signs in by address and password; gives the Cookie header, "" for a refusal. */
  byPassword(password: string): Promise<string>;
}

function createHouse(strategy: "database" | "jwt", options: Partial<AuthOptions> = {}): House {
  const passwords = new Map<string, string>();
  const mails: EmailParams[] = [];
  const changes: EmailChangeParams[] = [];
  const database = createD1Double();
  const application = createTestApplication({
    database,
    rateLimit: false,
    cookies: { sessionToken: { hostOnly: true } },
    secret: "0123456789abcdef0123456789abcdef",
    session: strategy === "jwt"
      ? { strategy: jwtSessions, revocation: createSqlRevocationStore(database) }
      : { strategy: "database" },
    providers: [
      credentials({
        credentials: {
          email: { label: "E-mail", type: "email" },
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

/** What the stranger has, who made the account with somebody else's address. */
interface Stranger {
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

const rowsOf = ({ database }: House, table: string): string[] =>
  database.sqlite.prepare(`SELECT * FROM ${table} WHERE user_id = 'u1'`).all()
    .map((row) => JSON.stringify(row));

async function moveIn(house: House): Promise<Stranger> {
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
    `INSERT INTO known_browsers VALUES ('stranger', 'u1', ${house.clock.now}, 8640000000000000)`,
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
async function redeem(house: House, purpose: string, token: string, cookie?: string) {
  return (await during(house, cookie, () => redeemOneTimeToken(purpose, token))).result;
}

async function issue(house: House, purpose: string): Promise<string> {
  const options = { sentTo: VICTIM };
  return (await during(house, undefined, () => issueOneTimeToken(purpose, "u1", options))).result;
}

/** The fields behind the link of a mail of the account page. */
function fieldsOf({ url }: { url: string }): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

/** Every way in which the owner of the mailbox comes; gives the Cookie header of a session, "" for none. */
const WAYS: Record<string, (house: House, stranger: Stranger) => Promise<string>> = {
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
    const fields = { code: house.mails.at(-1)!.code! };
    const typed = await house.send("/callback/email/code", { cookie: cookieOf(asked), fields });
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
    assert.match(await confirmed.text(), /has ended, the old password too/);
    return "";
  },
};

/** Tries everything that the stranger left. */
async function strangerIsOut(house: House, stranger: Stranger, cell: string): Promise<void> {
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
  const members = await createSqlTenantMembers(house.database).listOfUser("u1");
  assert.deepEqual(members.members, [], `${cell}: memberships`);
}

/** The owner sets a new password, by mail, and signs in with it. */
async function setPassword(house: House, cell: string): Promise<string> {
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

// Tracks: R162, R165, R029, A-01, AU-02
for (const strategy of ["database", "jwt"] as const) {
  for (const [way, come] of Object.entries(WAYS)) {
    const cell = `${way}, ${strategy}`;
    Deno.test(`the first proof of an address ends whatever was there, and nothing of the owner's later (${cell})`, async () => {
      const house = createHouse(strategy);
      try {
        const stranger = await moveIn(house);
        const planted = new Map(
          [...ENDING, ...Object.keys(STAYING)].map((table) => [table, rowsOf(house, table)]),
        );
        for (const [table, rows] of planted) {
          const isEmpty = strategy === "jwt" && table === "sessions";
          assert.equal(rows.length > 0, !isEmpty, `nothing was planted in ${table}`);
        }
        house.clock.now += 120_000;
        const owner = await come(house, stranger);
        if (owner !== "") assert.equal(await userAt(house, owner), "u1", cell);
        for (const table of ENDING) {
          const left = rowsOf(house, table).filter((row) => planted.get(table)!.includes(row));
          assert.deepEqual(left, [], `${cell}: ${table}`);
        }
        for (const table of Object.keys(STAYING)) {
          const left = rowsOf(house, table).filter((row) => planted.get(table)!.includes(row));
          assert.deepEqual(left, planted.get(table), `${cell}: ${table}`);
        }
        await strangerIsOut(house, stranger, cell);
        if (owner !== "") assert.equal(await userAt(house, owner), "u1", cell);
        const session = await setPassword(house, cell);
        await strangerIsOut(house, stranger, cell);
        // Once more, by the same way: now everything is the owner's.
        const authenticator = createSoftwareAuthenticator();
        const own = createPasskeyBrowser(house);
        own.cookies.set(
          session.slice(0, session.indexOf("=")),
          session.slice(session.indexOf("=") + 1),
        );
        assert.equal((await own.register(authenticator)).status, 200);
        house.clock.now += 120_000;
        await come(house, stranger);
        assert.equal(await userAt(house, session), "u1", `${cell}: the owner's session`);
        assert.notEqual(await house.byPassword("the owner's"), "", `${cell}: the owner's password`);
        assert.equal((await createPasskeyBrowser(house).prove(authenticator)).status, 200);
      } finally {
        house.close();
      }
    });
  }
}

/** The owner signs up, and confirms the address in that session; or in another browser. */
async function signUp(house: House): Promise<{ cookie: string; token: string }> {
  house.passwords.set(VICTIM, "the owner's");
  const { cookies, result: token } = await during(house, undefined, async () => {
    await createUser({ id: "u1", email: VICTIM });
    await startSession("u1");
    return await issueOneTimeToken("verify", "u1", { sentTo: VICTIM, keepFor: "current" });
  });
  return { cookie: cookies.map((line) => line.split(";")[0]).join("; "), token };
}

const PLAIN = { cookies: {} };

/** Asks on the account page for the mail by which the address is confirmed, and presses its button elsewhere. */
async function confirmOnPage(
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

// Tracks: R163, A-06
for (const strategy of ["database", "jwt"] as const) {
  Deno.test(`who confirms the address in the session that asked for it keeps what is there (${strategy})`, async () => {
    for (const by of ["token", "page"]) {
      const house = createHouse(strategy);
      const { cookie, token } = await signUp(house);
      if (by === "token") {
        const redeemed = await redeem(house, "verify", token, cookie);
        assert.equal(redeemed?.ended, false);
      } else {
        const page = await (await house.send("/account", { cookie })).text();
        assert.match(page, /Confirm this address/);
        const text = await confirmOnPage(house, { asked: cookie, opened: cookie });
        assert.match(text, /Your address is confirmed\./);
        assert.doesNotMatch(text, /has ended/);
        assert.doesNotMatch(
          await (await house.send("/account", { cookie })).text(),
          /Confirm this address/,
        );
      }
      const { email_verified } = house.database.sqlite.prepare("SELECT * FROM users").get()!;
      assert.ok(email_verified, by);
      assert.equal(await userAt(house, cookie), "u1", by);
      assert.notEqual(await house.byPassword("the owner's"), "", by);
      house.close();
    }
  });

  Deno.test(`a session that is planted keeps nothing, whenever it is planted (${strategy})`, async () => {
    // Each gives what the victim's browser holds when the mail is asked for, and when it is opened.
    const cases: [
      moment: string,
      options: Partial<AuthOptions>,
      plant: (
        house: House,
        stranger: Stranger,
      ) => Promise<void>,
    ][] = [
      ["before the victim asks at the sign-in form", {}, async (house, { cookie }) => {
        await house.send("/signin/email", { cookie, fields: { email: VICTIM } });
        const { token, identifier } = house.mails.at(-1)!;
        const fields = { token, email: identifier };
        await house.send("/callback/email", { cookie, fields });
      }],
      ["before, and a code is typed", {}, async (house, { cookie }) => {
        const asked = await house.send("/signin/email", { cookie, fields: { email: VICTIM } });
        const fields = { code: house.mails.at(-1)!.code! };
        const both = `${cookie}; ${cookieOf(asked)}`;
        assert.equal(
          (await house.send("/callback/email/code", { cookie: both, fields })).status,
          303,
        );
      }],
      ["before, and a provider vouches", {}, async (house, { cookie }) => {
        const fields = { sub: "owner", email: VICTIM, verified: "true" };
        await house.send("/signin/code", { cookie, fields });
      }],
      ["before the victim asks for a reset", {}, async (house, { cookie }) => {
        const { result: token } = await during(
          house,
          cookie,
          () => issueOneTimeToken("reset", "u1", { sentTo: VICTIM }),
        );
        assert.equal((await redeem(house, "reset", token, cookie))?.ended, true);
      }],
      ["before, without the prefix, and the victim asks on the account page", PLAIN, async (
        house,
        { cookie },
      ) => {
        const text = await confirmOnPage(house, { asked: cookie, opened: cookie });
        assert.match(text, /has ended, the old password too/);
      }],
      ["before, without the prefix, and the application's page asks", PLAIN, async (
        house,
        { cookie, verification },
      ) => {
        assert.equal((await redeem(house, "verify", verification, cookie))?.ended, true);
      }],
      ["between asking and opening", {}, async (house, { cookie }) => {
        // The victim asked in a session of their own, and opens the mail in another of the stranger's.
        const own = await house.byPassword("the stranger's");
        const text = await confirmOnPage(house, { asked: own, opened: cookie });
        assert.match(text, /has ended, the old password too/);
      }],
      ["between asking and opening a token of the application", {}, async (house, stranger) => {
        const other = await house.byPassword("the stranger's");
        assert.equal((await redeem(house, "verify", stranger.verification, other))?.ended, true);
      }],
      ["in no browser: the mail is opened elsewhere", {}, async (house, { cookie }) => {
        const text = await confirmOnPage(house, { asked: cookie, opened: undefined });
        assert.match(text, /has ended, the old password too/);
      }],
      ["after the proof", {}, async (house, { cookie }) => {
        assert.notEqual(await redeem(house, "invite", await issue(house, "invite")), null);
        assert.equal(
          await redeem(house, "invite", await issue(house, "invite"), cookie) === null,
          false,
        );
      }],
    ];
    for (const [moment, options, plant] of cases) {
      const house = createHouse(strategy, options);
      const stranger = await moveIn(house);
      house.clock.now += 120_000;
      await plant(house, stranger);
      await strangerIsOut(house, stranger, moment);
      await setPassword(house, moment);
      await strangerIsOut(house, stranger, moment);
      house.close();
    }
  });
}

// Tracks: R163, A-06
Deno.test("an address changes to a new one in the session that asked, and a planted one leaves nothing on the account", async () => {
  const house = createHouse("database");
  const { cookie } = await signUp(house);
  const other = await house.byPassword("the owner's");
  const fields = { email: "new@example.com" };
  await house.send("/account/email", { cookie, fields });
  const [old, next] = ["old", "new"].map((part) =>
    house.changes.find((mail) => mail.part === part)!
  );
  const path = "/account/email/confirm";
  const elsewhere = await house.send(path, { cookie: other, fields: fieldsOf(next!) });
  assert.equal(elsewhere.status, 400, "another session of the same user");
  assert.equal((await house.send(path, { cookie, fields: fieldsOf(next!) })).status, 200);
  const done = await (await house.send(path, { fields: fieldsOf(old!) })).text();
  assert.match(done, /Your address is changed/);
  assert.doesNotMatch(done, /has ended/);
  assert.equal(await userAt(house, cookie), "u1");
  house.close();

  const plain = createHouse("database", PLAIN);
  const stranger = await moveIn(plain);
  plain.database.sqlite.exec("UPDATE users SET email = NULL, email_identity = NULL");
  await plain.send("/account/email", { cookie: stranger.cookie, fields: { email: VICTIM } });
  const mail = fieldsOf(plain.changes.findLast(({ part }) => part === "new")!);
  const shown = await plain.send(`${path}?${new URLSearchParams(mail)}`, {
    cookie: stranger.cookie,
  });
  assert.match(await shown.text(), /Passkeys: 1/);
  const agreed = await plain.send(path, { cookie: stranger.cookie, fields: mail });
  assert.match(
    await agreed.text(),
    /Your address is changed\. What was on the account before has ended/,
  );
  await strangerIsOut(plain, stranger, "change");
  plain.close();
});
