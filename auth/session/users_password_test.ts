import assert from "node:assert/strict";
import { issueSession } from "./read_session.ts";
import { UnauthenticatedError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { credentials } from "../sign_in/credentials.ts";
import { passwordChanged } from "./users.ts";
import { createMemoryRevocationStore, createSqlRevocationStore } from "../storage/revocations.ts";
import { createMemoryStorage, type MemoryStorage } from "../storage/memory.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  type TestApplication,
} from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { during, userAt } from "../tests/during.ts";
import { SECRET } from "../tests/token_application.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

/** A check of a password that lasts until the test lets it go on. */
function slowCheck(password: { value: string }) {
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow = { enabled: false, entered: entered.promise, finish: gate.resolve };
  const provider = credentials({
    credentials: {
      name: { label: "Name", type: "text" },
      password: { label: "Password", type: "password" },
    },
    async authorize({ name, password: given }) {
      const expected = password.value;
      if (slow.enabled) {
        entered.resolve();
        await gate.promise;
      }
      return given === expected ? { id: name! } : null;
    },
  });
  return { slow, provider };
}

const KINDS: { name: string; options(): Parameters<typeof createTestApplication>[0] }[] = [
  { name: "database", options: () => ({}) },
  { name: "database in memory", options: () => ({ database: createMemoryStorage() }) },
  {
    name: "jwt with a database",
    options() {
      const database = createD1Double();
      const revocation = createSqlRevocationStore(database);
      return { database, secret: SECRET, session: { strategy: jwtSessions, revocation } };
    },
  },
  {
    name: "jwt with a revocation store alone",
    options: () => ({
      database: null as never,
      secret: SECRET,
      session: { strategy: jwtSessions, revocation: createMemoryRevocationStore(() => 0) },
    }),
  },
];

function signInWith(application: TestApplication, password: string): Promise<Response> {
  return application.send("/signin/credentials", {
    fields: { name: "ada", password },
    headers: { accept: "application/json" },
  });
}

for (const { name, options } of KINDS) {
  // Tracks: R034
  Deno.test(`passwordChanged() ends all sessions but this one, and old passwords, with ${name}`, async () => {
    const password = { value: "old" };
    const { slow, provider } = slowCheck(password);
    const heard: string[] = [];
    const application = createTestApplication({
      providers: [provider],
      events: { "*": ({ type }) => heard.push(type) },
      ...options(),
    });
    const here = cookieOf(await signInWith(application, "old"));
    const there = cookieOf(await signInWith(application, "old"));
    application.clock.now += 60_001;
    slow.enabled = true;
    const late = signInWith(application, "old");
    await slow.entered;
    application.clock.now += 5;
    heard.length = 0;
    await during(application, here, async () => {
      password.value = "new";
      await passwordChanged("ada", { except: "current" });
    });
    assert.deepEqual(heard, ["password-changed"]);
    slow.finish();
    slow.enabled = false;
    const refused = await late;
    assert.equal(refused.status, 401, "the old password was right when its check began");
    assert.deepEqual(refused.headers.getSetCookie(), []);
    assert.equal(await userAt(application, here), "ada");
    assert.equal(await userAt(application, there), null);
    application.clock.now += 1;
    assert.equal((await signInWith(application, "old")).status, 401);
    const fresh = await signInWith(application, "new");
    assert.equal(fresh.status, 200);
    assert.equal(await userAt(application, cookieOf(fresh)), "ada");
    application.close();
  });
}

Deno.test("passwordChanged() without except ends the present session too", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  const { cookies } = await during(application, cookie, () => passwordChanged("ada"));
  assert.match(cookies.join(), /Max-Age=0/);
  assert.equal(await userAt(application, cookie), null);
  application.close();
});

// Tracks: R034
Deno.test("sessions that a server with a clock ahead has made end as well", async () => {
  const revocation = createMemoryRevocationStore(() => 0);
  const present = { now: Date.UTC(2026, 0, 1) };
  function server(ahead: number) {
    return createAuth<unknown>({
      baseUrl: ORIGIN,
      secret: SECRET,
      session: { strategy: jwtSessions, revocation },
      now: () => present.now + ahead,
    });
  }
  const [behind, ahead] = [server(0), server(30_000)];
  const early = (await issueSession(ahead, "ada", {})).cookies[0]!.split(";")[0]!;
  present.now += 10;
  await behind.run(new Request(ORIGIN), {}, undefined, async () => {
    await passwordChanged("ada");
    return new Response();
  });
  present.now += 10;
  const late = [behind, ahead].map(async (auth) =>
    (await issueSession(auth, "ada", {})).cookies[0]!.split(";")[0]!
  );
  for (const auth of [behind, ahead]) {
    const names = await Promise.all([early, ...await Promise.all(late)].map(async (cookie) => {
      const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
      return (await (await auth.handle(request, {}))!.json())?.user.id ?? null;
    }));
    assert.deepEqual(names, [null, "ada", "ada"]);
  }
});

for (const { name, options } of KINDS) {
  // Tracks: R034
  Deno.test(`passwordChanged() ends a check of the old password that began in its millisecond, with ${name}`, async () => {
    const password = { value: "old" };
    const { slow, provider } = slowCheck(password);
    const application = createTestApplication({
      providers: [provider],
      ...options(),
      now: () => Date.now(),
    });
    await signInWith(application, "old");
    const clock = Date.now;
    const present = clock();
    slow.enabled = true;
    // The clock stands while the check begins and the new password is stored.
    Date.now = () => present;
    try {
      const late = signInWith(application, "old");
      await slow.entered;
      password.value = "new";
      await during(application, "", () => {
        const changed = passwordChanged("ada");
        Date.now = clock;
        return changed;
      });
      slow.finish();
      assert.equal((await late).status, 401);
      slow.enabled = false;
      assert.equal((await signInWith(application, "new")).status, 200);
    } finally {
      Date.now = clock;
      application.close();
    }
  });
}

// Tracks: R029, GHSA-qq9h-g4jm-xgf3
Deno.test("passwordChanged() gives no password to whom the mailbox's owner shuts out while it is hashed", async () => {
  const storage = createMemoryStorage();
  const emailIdentity = "victim@example.com";
  let prove = () => Promise.resolve();
  const database: MemoryStorage = {
    ...storage,
    async endEverything(...all) {
      await prove();
      return await storage.endEverything(...all);
    },
  };
  const application = createTestApplication({ database });
  const at = application.clock.now;
  const user = { id: "mallory", email: emailIdentity };
  await storage.createUser({ user, emailIdentity, at });
  async function proveEmail(): Promise<void> {
    await storage.proveEmail("mallory", { emailIdentity, at });
  }
  const attacker = await application.signIn("mallory");
  prove = proveEmail;
  await during(application, attacker, () => passwordChanged("mallory"));
  assert.equal(await userAt(application, await application.signIn("mallory")), null);
  prove = () => Promise.resolve();

  // The session that changes it has ended meanwhile.
  await storage.updateUser({ user: { ...user, emailVerified: null }, emailIdentity, at });
  await storage.endEverything("mallory", ["links"], { at: at, credentials: true });
  const again = await application.signIn("mallory");
  await during(application, again, async () => {
    await proveEmail();
    await assert.rejects(passwordChanged("mallory"), UnauthenticatedError);
  });
  assert.equal(await userAt(application, await application.signIn("mallory")), null);
  application.close();
});

// Tracks: R034, F05
Deno.test("passwordChanged() ends the session of a thief who ends that of the owner meanwhile", async () => {
  const application = createTestApplication();
  const owner = await application.signIn();
  const thief = await application.signIn();
  await during(application, owner, async () => {
    await application.send("/sessions", { method: "DELETE", cookie: thief });
    await assert.rejects(passwordChanged("ada"), UnauthenticatedError);
  });
  assert.equal(await userAt(application, thief), null);
  application.close();
});
