import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { accountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import { createMemoryStorage, type MemoryStorage } from "../storage/memory.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import {
  cookieOf,
  createTestApplication,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { identityProvider } from "../tests/identity_provider.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { verifiedEmail } from "../types/user.ts";

const VICTIM = { email: "victim@example.com", verified: "true" };

function createApplication(options: Partial<AuthOptions> = {}): TestApplication {
  return createTestApplication({
    providers: [
      passwordProvider(),
      identityProvider("code"),
      identityProvider("chat"),
      identityProvider("weak", { trustEmail: false }),
      identityProvider("email", { type: "email" }),
    ],
    rateLimit: false,
    ...options,
  });
}

function rowsOf({ database }: TestApplication, table: string): Record<string, unknown>[] {
  return database.sqlite.prepare(`SELECT * FROM ${table}`).all();
}

async function userOf(application: TestApplication, cookie: string): Promise<string | null> {
  const session = await (await application.send("/session", { cookie })).json();
  return session?.user.id ?? null;
}

/** The code of a refusal. */
async function codeOf(response: Response): Promise<unknown> {
  return (await response.json()).code;
}

const JSON_PLEASE = { accept: "application/json" };

// Tracks: R100
Deno.test("signInWithIdentity() gives the same id at two providers two users", async () => {
  const application = createApplication();
  const first = cookieOf(await application.send("/signin/code", { fields: { sub: "7" } }));
  const second = cookieOf(await application.send("/signin/chat", { fields: { sub: "7" } }));
  const again = cookieOf(await application.send("/signin/code", { fields: { sub: "7" } }));
  assert.equal(await userOf(application, first), await userOf(application, again));
  assert.notEqual(await userOf(application, first), await userOf(application, second));
  assert.equal(rowsOf(application, "accounts").length, 2);
  application.close();
});

// Tracks: R029, GHSA-g38m-r43w-p2q7, GHSA-qq9h-g4jm-xgf3
Deno.test("signInWithIdentity() lets nothing in that was left before the first proof of an address", async () => {
  for (const way of ["code", "email"]) {
    const application = createApplication();
    const { database, send } = application;
    // Somebody who knows the address has signed up with it, and added ways in.
    const attacker = await application.signIn("mallory");
    database.sqlite.exec(
      "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com'",
    );
    assert.equal(
      (await send("/link/chat", { cookie: attacker, fields: { sub: "evil" } })).status,
      200,
    );
    const victim = cookieOf(await send(`/signin/${way}`, { fields: { sub: "good", ...VICTIM } }));
    assert.equal(await userOf(application, victim), "mallory");
    // The session, the account and the password of before are dead.
    assert.equal(await userOf(application, attacker), null);
    assert.deepEqual(
      rowsOf(application, "accounts").map(({ provider }) => provider),
      way === "code" ? ["code"] : [],
    );
    const evil = cookieOf(await send("/signin/chat", { fields: { sub: "evil" } }));
    assert.notEqual(await userOf(application, evil), "mallory");
    assert.equal(await application.signIn("mallory"), "");
    application.clock.now += 1000;
    assert.equal(await application.signIn("mallory"), "");
    assert.equal(await userOf(application, victim), "mallory");
    assert.equal(
      application.log.filter(({ event }) => event === "email-verified").length,
      1,
    );
    application.close();
  }
});

// Tracks: R029, R163, A-06
Deno.test("signInWithIdentity() ends what is there whatever session is in the browser, and whoever brought it", async () => {
  for (const name of ["framework.session-token", "__Host-framework.session-token"]) {
    const application = createApplication({ cookies: { sessionToken: { name } } });
    const { database, send } = application;
    const phone = await application.signIn("ada");
    const laptop = await application.signIn("ada");
    database.sqlite.exec(
      "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com'",
    );
    const fields = { sub: "m", ...VICTIM };
    const response = await send("/signin/email", { cookie: laptop, fields });
    assert.equal(await userOf(application, cookieOf(response)), "ada");
    assert.equal(await userOf(application, phone), null);
    assert.equal(await userOf(application, laptop), null);
    assert.equal(await application.signIn("ada"), "");
    // The second time nothing ends.
    const again = await send("/signin/email", { cookie: cookieOf(response), fields });
    assert.equal(await userOf(application, cookieOf(again)), "ada");
    application.close();
  }
});

/** An application whose sessions are tokens, over a storage to which something happens during a proof. */
function createTokenApplication(duringProof: (application: TestApplication) => Promise<void>) {
  const storage = createMemoryStorage();
  const clock = { now: OWN.at };
  const application = createApplication({
    secret: "0123456789abcdef0123456789abcdef",
    session: {
      strategy: jwtSessions,
      revocation: createMemoryRevocationStore(() => clock.now),
    },
    now: () => clock.now,
    database: {
      ...storage,
      async proveEmail(...all) {
        await duringProof(application);
        return await storage.proveEmail(...all);
      },
    } as MemoryStorage,
  });
  return { application, storage, clock };
}

// Tracks: R029, R162, PF-o38
Deno.test("signInWithIdentity() has ended tokens of before when the proof is stored", async () => {
  let during: string | null | undefined;
  const { application, storage, clock } = createTokenApplication(async (application) => {
    during = await userOf(application, attacker);
  });
  await addUnprovedUser(storage);
  const attacker = await application.signIn("mallory");
  assert.equal(await userOf(application, attacker), "mallory");
  clock.now += 5000;
  await application.send("/signin/code", { fields: { sub: "good", ...VICTIM } });
  assert.equal(during, null, "whoever finds the proof finds them ended");
  application.close();
});

// Tracks: R029, R162, PF-o39
Deno.test("signInWithIdentity() ends tokens that were made while the proof was being stored", async () => {
  let late = "";
  const { application, storage, clock } = createTokenApplication(async (application) => {
    late = await application.signIn("mallory");
    assert.equal(await userOf(application, late), "mallory");
    clock.now += 5000;
  });
  await addUnprovedUser(storage);
  const victim = cookieOf(
    await application.send("/signin/code", { fields: { sub: "good", ...VICTIM } }),
  );
  assert.notEqual(late, "");
  assert.equal(await userOf(application, late), null);
  assert.equal(await userOf(application, victim), "mallory", "the owner's own session stands");
  application.close();
});

// Tracks: R029, PF-w13
Deno.test("signInWithIdentity() ends tokens of before the first proof, or joins nobody who may have one", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  for (const revocable of [true, false]) {
    const clock = { now: Date.UTC(2026, 0, 1) };
    const revocation = createMemoryRevocationStore(() => clock.now);
    const application = createApplication({
      secret,
      session: { strategy: jwtSessions, ...(revocable && { revocation }) },
      now: () => clock.now,
    });
    const attacker = await application.signIn("mallory");
    application.database.sqlite.exec(
      "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com'",
    );
    clock.now += 5000;
    const response = await application.send("/signin/code", {
      fields: { sub: "good", ...VICTIM },
      headers: JSON_PLEASE,
    });
    if (revocable) {
      assert.equal(await userOf(application, cookieOf(response)), "mallory");
      assert.equal(await userOf(application, attacker), null);
    } else {
      assert.equal(response.status, 403);
      assert.equal(await codeOf(response), "ACCOUNT_NOT_LINKED");
      assert.deepEqual(response.headers.getSetCookie(), []);
    }
    assert.equal(await userOf(application, attacker), revocable ? null : "mallory");
    application.close();
  }
});

// Tracks: R101
Deno.test("signInWithIdentity() refuses an untrusted provider's account with a proved user's address", async () => {
  const application = createApplication();
  await application.send("/signin/code", { fields: { sub: "1", ...VICTIM } });
  const before = rowsOf(application, "users").length;
  const refused = await application.send("/signin/weak", {
    fields: { sub: "2", ...VICTIM },
    headers: JSON_PLEASE,
  });
  assert.equal(refused.status, 403);
  assert.equal(await codeOf(refused), "ACCOUNT_NOT_LINKED");
  assert.equal(rowsOf(application, "users").length, before);
  const unproved = await application.send("/signin/code", {
    fields: { sub: "3", email: VICTIM.email, verified: "false" },
  });
  const [first] = rowsOf(application, "users");
  assert.notEqual(await userOf(application, cookieOf(unproved)), first!.id);
  const identities = rowsOf(application, "users").map((row) => row.email_identity);
  assert.deepEqual(identities.filter((identity) => identity !== null), [VICTIM.email]);
  application.close();
});

// Tracks: SP-A2, AU-08
Deno.test("a first sign-in whose address is kept unproved is one line that names trustEmail", async () => {
  const asked: unknown[] = [];
  const application = createApplication({
    callbacks: {
      signIn({ user: { email, emailVerified } }) {
        asked.push([email, emailVerified]);
        return true;
      },
    },
  });
  const lines = () => application.log.filter(({ event }) => event === "email-kept-unproved");
  const said = { email: "new@example.com", verified: "true" };
  const ada = cookieOf(await application.send("/signin/weak", { fields: { sub: "1", ...said } }));
  const { level, fields: { requestId, ...fields } } = lines()[0]!;
  assert.equal(level, "warn");
  assert.equal(typeof requestId, "string");
  assert.deepEqual(fields, { provider: "weak", trustEmail: false, emailVerified: true });
  const { user } = await (await application.send("/session", { cookie: ada })).json();
  assert.deepEqual([user.email, user.emailVerified], [said.email, null]);
  // Not again, nor where the address is proved, nor where there is none.
  await application.send("/signin/weak", { fields: { sub: "1", ...said } });
  await application.send("/signin/weak", { fields: { sub: "2" } });
  await application.send("/signin/code", { fields: { sub: "3", ...said } });
  assert.equal(lines().length, 1);
  const unproved = { sub: "4", email: said.email, verified: "false" };
  await application.send("/signin/chat", { fields: unproved });
  assert.deepEqual([lines().length, lines()[1]?.fields.emailVerified], [2, false]);
  assert.equal(JSON.stringify(lines()).includes(said.email), false);
  assert.deepEqual(asked[0], [said.email, null]);
  application.close();
});

// Tracks: SP-A2
Deno.test("the line about an address that is kept unproved is written before the signIn callback refuses for it", async () => {
  const told: unknown[] = [];
  const lines: string[] = [];
  const application = createApplication({
    logger: undefined!,
    callbacks: {
      signIn({ user }) {
        told.push(lines.length);
        return verifiedEmail(user)?.endsWith("@example.com") ?? false;
      },
    },
  });
  const host: { warn: (line: string) => void } = globalThis.console;
  const { warn } = host;
  host.warn = (line) => void lines.push(line);
  try {
    const fields = { sub: "1", email: "new@example.com", verified: "true" };
    const refused = await application.send("/signin/weak", { fields, headers: JSON_PLEASE });
    assert.equal(await codeOf(refused), "ACCESS_DENIED");
  } finally {
    host.warn = warn;
  }
  assert.deepEqual(told, [1]);
  const { requestId, ...line } = JSON.parse(lines[0]!);
  assert.equal(typeof requestId, "string");
  assert.deepEqual(line, {
    level: "warn",
    event: "email-kept-unproved",
    provider: "weak",
    trustEmail: false,
    emailVerified: true,
  });
  assert.equal(lines.length, 1);
  assert.equal(lines[0]!.includes("new@example.com"), false);
  application.close();
});

// Tracks: A-07, SP-A2
Deno.test("an address that is kept unproved keeps nobody from it, and the mailbox's owner gets another user", async () => {
  const application = createApplication();
  const { send } = application;
  const email = "victim@example.com";
  const kept = cookieOf(
    await send("/signin/weak", { fields: { sub: "1", email, verified: "true" } }),
  );
  const id = await userOf(application, kept);
  for (const way of ["email", "code"]) {
    const owner = cookieOf(await send(`/signin/${way}`, { fields: { sub: "2", ...VICTIM } }));
    assert.notEqual(await userOf(application, owner), id, way);
  }
  const owners = rowsOf(application, "users").filter((row) => row.email_identity === email);
  assert.equal(owners.length, 1);
  assert.equal(await userOf(application, kept), id);
  application.close();
});

// Tracks: SP-A2
Deno.test("the signIn callback sees an address as proved that this very sign-in proves", async () => {
  const asked: unknown[] = [];
  const application = createApplication({
    callbacks: {
      signIn({ user, account }) {
        if (account?.type === "email") asked.push(verifiedEmail(user));
        return true;
      },
    },
  });
  await application.signIn("ada");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com'",
  );
  await application.send("/signin/email", { fields: { sub: "m", ...VICTIM } });
  assert.deepEqual(asked, [VICTIM.email]);
  application.close();
});

// Tracks: R102
Deno.test("signInWithIdentity() stores and proves nothing before the application's verdict", async () => {
  const asked: unknown[] = [];
  const application = createApplication({
    callbacks: {
      signIn: ({ user, account }) => {
        if (account?.type === "credentials") return true;
        asked.push([user.id, user.email, account?.provider, account?.providerAccountId]);
        return false;
      },
    },
  });
  const cookie = await application.signIn("mallory");
  application.database.sqlite.exec(
    "UPDATE users SET email = 'victim@example.com', email_identity = 'victim@example.com'",
  );
  const tables = ["users", "accounts", "sessions", "verifications"];
  const before = tables.map((table) => rowsOf(application, table));
  const sent = { fields: { sub: "good", ...VICTIM }, headers: JSON_PLEASE };
  assert.equal((await application.send("/signin/code", sent)).status, 403);
  assert.equal((await application.send("/signin/email", sent)).status, 403);
  const link = { cookie, fields: { sub: "x" }, headers: JSON_PLEASE };
  assert.equal((await application.send("/link/chat", link)).status, 403);
  assert.deepEqual(tables.map((table) => rowsOf(application, table)), before);
  assert.deepEqual(asked, [
    ["mallory", "victim@example.com", "code", "good"],
    ["mallory", "victim@example.com", "email", "good"],
    ["mallory", "victim@example.com", "chat", "x"],
  ]);
  application.close();
});

// Tracks: F08, R100
Deno.test("signInWithIdentity() makes one user of 20 first sign-ins at once", async () => {
  for (const fields of [{ sub: "7" }, { sub: "7", ...VICTIM }]) {
    const application = createApplication();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => application.send("/signin/code", { fields })),
    );
    const users = await Promise.all(
      responses.map((response) => userOf(application, cookieOf(response))),
    );
    assert.equal(new Set(users).size, 1);
    assert.notEqual(users[0], null);
    assert.equal(rowsOf(application, "users").length, 1);
    assert.equal(rowsOf(application, "accounts").length, 1);
    application.close();
  }
});

// Tracks: R039
Deno.test("signInWithIdentity() lets no disabled user in, and makes no second one of their address", async () => {
  const application = createApplication();
  await application.send("/signin/code", { fields: { sub: "1", ...VICTIM } });
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1");
  for (const [way, sub] of [["code", "1"], ["chat", "2"], ["email", "3"]]) {
    const response = await application.send(`/signin/${way}`, {
      fields: { sub: sub!, ...VICTIM },
      headers: JSON_PLEASE,
    });
    assert.equal(await codeOf(response), "USER_UNAVAILABLE", way);
  }
  assert.equal(rowsOf(application, "users").length, 1);
  application.close();
});

/** An application over a storage to which something happens right after, or right before, an operation. */
function createInterrupted(
  interrupt: (storage: MemoryStorage) => Partial<MemoryStorage>,
): { application: TestApplication; storage: MemoryStorage } {
  const storage = createMemoryStorage();
  const application = createApplication({ database: { ...storage, ...interrupt(storage) } });
  return { application, storage };
}

const OWN = { emailIdentity: VICTIM.email, at: Date.UTC(2026, 0, 1) };

async function addUnprovedUser(storage: MemoryStorage): Promise<void> {
  const user = { id: "mallory", email: VICTIM.email };
  await storage.createUser({ user, emailIdentity: VICTIM.email, at: OWN.at });
}

// Tracks: R029, GHSA-qq9h-g4jm-xgf3
Deno.test("signInWithIdentity() lets nobody in by an account that the first proof of the mailbox takes at this moment", async () => {
  const moments:
    ((storage: MemoryStorage, prove: () => Promise<void>) => Partial<MemoryStorage>)[] = [
      (storage, prove) => ({
        async findAccount(...key) {
          const account = await storage.findAccount(...key);
          if (account !== null) await prove();
          return account;
        },
      }),
      (storage, prove) => ({
        async insertSession(...all) {
          await prove();
          return await storage.insertSession(...all);
        },
      }),
    ];
  for (const moment of moments) {
    let armed = false;
    const { application, storage } = createInterrupted((storage) =>
      moment(storage, async () => {
        if (armed) await storage.proveEmail("mallory", OWN);
      })
    );
    await addUnprovedUser(storage);
    const attacker = await application.signIn("mallory");
    await application.send("/link/chat", { cookie: attacker, fields: { sub: "evil" } });
    armed = true;
    const response = await application.send("/signin/chat", {
      fields: { sub: "evil" },
      headers: JSON_PLEASE,
    });
    assert.equal(await codeOf(response), "USER_UNAVAILABLE");
    assert.deepEqual(response.headers.getSetCookie(), []);
    assert.deepEqual(await storage.listAccounts("mallory"), []);
    const left = await storage.listSessions("mallory", { now: OWN.at, limit: 5 });
    assert.deepEqual(left, []);
    application.close();
  }
});

// Tracks: R029, GHSA-qq9h-g4jm-xgf3
Deno.test("linkIdentity() links nothing to a user whose mailbox is proved at this moment", async () => {
  let armed = false;
  const { application, storage } = createInterrupted((storage) => ({
    async linkAccount(...all) {
      if (armed) await storage.proveEmail("mallory", OWN);
      return await storage.linkAccount(...all);
    },
  }));
  await addUnprovedUser(storage);
  const cookie = await application.signIn("mallory");
  armed = true;
  const fields = { sub: "evil" };
  const response = await application.send("/link/chat", { cookie, fields, headers: JSON_PLEASE });
  assert.equal(await codeOf(response), "USER_UNAVAILABLE");
  assert.deepEqual(await storage.listAccounts("mallory"), []);
  application.close();
});

// Tracks: R029, R162, PF-o40
Deno.test("linkIdentity() links nothing for a session that ends while the user is read", async () => {
  let armed = false;
  const { application, storage } = createInterrupted((storage) => ({
    async getActiveUser(id) {
      // The owner proves the mailbox first: the user who is read has proved it, so that this alone says nothing.
      if (armed) await storage.proveEmail("mallory", OWN);
      return await storage.getActiveUser(id);
    },
  }));
  await addUnprovedUser(storage);
  const cookie = await application.signIn("mallory");
  armed = true;
  const fields = { sub: "evil" };
  const response = await application.send("/link/chat", { cookie, fields, headers: JSON_PLEASE });
  assert.equal(await codeOf(response), "USER_UNAVAILABLE");
  assert.deepEqual(await storage.listAccounts("mallory"), []);
  application.close();
});

// Tracks: R039, F05
Deno.test("signInWithIdentity() makes nobody anew who is deleted at this moment", async () => {
  for (const way of ["code", "email"]) {
    let armed = false;
    const { application, storage } = createInterrupted((storage) => ({
      async insertSession(...all) {
        if (armed) await storage.deleteUser("ada");
        return await storage.insertSession(...all);
      },
    }));
    const emailVerified = new Date(OWN.at);
    const user = { id: "ada", email: VICTIM.email, emailVerified };
    await storage.createUser({ user, emailIdentity: VICTIM.email, at: OWN.at });
    armed = true;
    const response = await application.send(`/signin/${way}`, {
      fields: { sub: "good", name: "Ada", ...VICTIM },
      headers: JSON_PLEASE,
    });
    assert.equal(await codeOf(response), "USER_UNAVAILABLE", way);
    assert.equal(await storage.getUser("ada"), null);
    assert.deepEqual(await storage.listAccounts("ada"), []);
    application.close();
  }
});

Deno.test("signInWithIdentity() reports the account that it links to a known user, once", async () => {
  const application = createApplication();
  const victim = { sub: "good", ...VICTIM };
  for (const way of ["email", "code", "code", "email"]) {
    await application.send(`/signin/${way}`, { fields: victim });
  }
  const linked = application.log.filter(({ event }) => event === "account-linked");
  assert.deepEqual(linked.map(({ fields }) => fields.provider), ["code"]);
  application.close();
});

// Tracks: F32, R023
Deno.test("signInWithIdentity() keeps an address with letters beyond ASCII so that its owner can prove it", async () => {
  const addresses = [["ОЛЕГ@x.example", "олег@x.example"], [
    "Ada@BÜCHER.example",
    "ada@xn--bcher-kva.example",
  ]];
  for (const [email, emailIdentity] of addresses) {
    const application = createApplication();
    await application.send("/signin/code", { fields: { sub: "7", email: email! } });
    const [user] = rowsOf(application, "users");
    assert.equal(user!.email_identity, null);
    const accounts = groupOf(application.auth.storage({}), accountGroup);
    const proof = { emailIdentity: emailIdentity!, at: Date.now() };
    assert.equal(await accounts.proveEmail(user!.id as string, proof), "proved", email);
    application.close();
  }
});
