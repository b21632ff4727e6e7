import assert from "node:assert/strict";
import { createAuth } from "../http/create_auth.ts";
import { credentials } from "../providers/credentials.ts";
import { passwordChanged } from "../request/session_operations.ts";
import { createMemoryRevocationStore } from "../storage/memory_revocations.ts";
import { createMemoryStorage } from "../storage/memory_storage.ts";
import { createSqlRevocationStore } from "../storage/sql_revocations.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  type TestApplication,
} from "../tests/application.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { during, userAt } from "../tests/during.ts";
import { SECRET } from "../tests/token_application.ts";

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
      return { database, secret: SECRET, session: { strategy: "jwt", revocation } };
    },
  },
  {
    name: "jwt with a revocation store alone",
    options: () => ({
      database: null as never,
      secret: SECRET,
      session: { strategy: "jwt", revocation: createMemoryRevocationStore(() => 0) },
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
    assert.equal(refused.status, 403, "the old password was right when its check began");
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
      session: { strategy: "jwt", revocation },
      now: () => present.now + ahead,
    });
  }
  const [behind, ahead] = [server(0), server(30_000)];
  const early = (await ahead.issueSession("ada", {})).cookies[0]!.split(";")[0]!;
  present.now += 10;
  await behind.run(new Request(ORIGIN), {}, undefined, async () => {
    await passwordChanged("ada");
    return new Response();
  });
  present.now += 10;
  const late = [behind, ahead].map(async (auth) =>
    (await auth.issueSession("ada", {})).cookies[0]!.split(";")[0]!
  );
  for (const auth of [behind, ahead]) {
    const names = await Promise.all([early, ...await Promise.all(late)].map(async (cookie) => {
      const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
      return (await (await auth.handle(request, {}))!.json())?.user.id ?? null;
    }));
    assert.deepEqual(names, [null, "ada", "ada"]);
  }
});
