import assert from "node:assert/strict";
import { type RedirectError, StorageUnavailableError } from "../errors.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getSession, ownUrl } from "./operations.ts";
import { disableUser } from "./users.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import type { Session } from "../types/session.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import {
  createTestApplication,
  inVisit,
  ORIGIN,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import {
  browserAfter,
  COOKIE,
  createTokenApplication,
  SECRET,
} from "../tests/token_application.ts";
import { createAuth } from "../app/create_auth.ts";
import { readAuth, readSession } from "./read_session.ts";

const DAY = 24 * 60 * 60 * 1000;
const KINDS = { database: createTestApplication, jwt: createTokenApplication };

function requestWith(headers: Record<string, string>): Request {
  return new Request(`${ORIGIN}/live`, { headers });
}

/** Result of reading the session in a request of the application. */
async function inside(application: TestApplication, cookie: string): Promise<unknown> {
  const response = await visit(application, () => Response.json(getSession()), { cookie });
  return await response.json();
}

for (const [kind, create] of Object.entries(KINDS)) {
  Deno.test(`readSession() tells what the application's own requests are told (${kind})`, async () => {
    const application = create({
      callbacks: { session: ({ session }) => ({ ...session, plan: "pro" }) },
    });
    const { auth, clock } = application;
    const cookie = await application.signIn();
    const session = await readSession(auth, requestWith({ cookie }), {});
    assert.equal(session?.user.id, "ada");
    assert.deepEqual(JSON.parse(JSON.stringify(session)), await inside(application, cookie));
    const none: Record<string, string>[] = [
      {},
      { cookie: `${COOKIE}=nonsense` },
      { cookie: `${COOKIE}=a; ${cookie}` },
      { authorization: `Bearer ${cookie.split("=")[1]}` },
    ];
    for (const headers of none) {
      assert.equal(await readSession(auth, requestWith(headers), {}), null);
    }
    clock.now += 31 * DAY;
    assert.equal(await readSession(auth, requestWith({ cookie }), {}), null);
    application.close();
  });

  Deno.test(`readSession() moves no end, which a request with an answer then does (${kind})`, async () => {
    const application = create();
    const cookie = await application.signIn();
    const before = await readSession(application.auth, requestWith({ cookie }), {});
    application.clock.now += 2 * DAY;
    const after = await readSession(application.auth, requestWith({ cookie }), {});
    assert.deepEqual(after, before);
    const response = await visit(application, () => new Response(), { cookie });
    const renewed = browserAfter(cookie, response);
    const moved = await readSession(application.auth, requestWith({ cookie: renewed }), {});
    assert.ok(moved!.expires > before!.expires);
    application.close();
  });
}

// Tracks: R039
Deno.test("readSession() lets nobody in who is disabled, at once", async () => {
  const application = createTestApplication();
  const cookie = await application.signIn();
  await inVisit(application, async () => {
    await disableUser("ada");
    return new Response();
  });
  assert.equal(await readSession(application.auth, requestWith({ cookie }), {}), null);
  application.close();
});

Deno.test("readSession() reads the Authorization header where that counts", async () => {
  const application = createTokenApplication({ session: { bearer: true } });
  const [, token] = (await application.signIn()).split("=");
  const request = requestWith({ authorization: `Bearer ${token}` });
  assert.equal((await readSession(application.auth, request, {}))?.user.id, "ada");
  application.close();
});

// Tracks: R045
Deno.test("readSession() lets the callback ask about this request, also within another one", async () => {
  const application = createTestApplication({
    baseUrl: undefined as never,
    allowedHosts: ["app.example", "other.example"],
    callbacks: { session: ({ session }) => ({ ...session, home: ownUrl("/") }) },
  });
  const { auth } = application;
  const cookie = await application.signIn();
  const homes: unknown[] = [];
  async function look(): Promise<void> {
    for (const host of ["app.example", "other.example"]) {
      const request = new Request(`https://${host}/live`, { headers: { cookie } });
      homes.push((await readSession<Session & { home: string }>(auth, request, {}))?.home);
    }
  }
  await look();
  await inVisit(application, async () => {
    await look();
    homes.push(ownUrl("/"));
    return new Response();
  });
  const [app, other] = ["https://app.example/", "https://other.example/"];
  assert.deepEqual(homes, [app, other, app, other, app]);
  application.close();
});

// Tracks: R043
Deno.test("readSession() throws when the storage does not answer, which is never a session", async () => {
  const storage = createMemoryStorage();
  storage.readSession = () => Promise.reject(new StorageUnavailableError("The storage is away"));
  const auth = createAuth({ database: storage });
  const request = requestWith({ cookie: `${COOKIE}=${"A".repeat(43)}` });
  await assert.rejects(readSession(auth, request, {}), StorageUnavailableError);
});

Deno.test("readSession() works in each environment by its own options", async () => {
  const auth = createAuth((env: { secret: string }) => ({
    secret: env.secret,
    database: createMemoryStorage(),
    session: { strategy: jwtSessions },
  }));
  const application = createTokenApplication();
  const cookie = await application.signIn();
  application.close();
  // The token's times are those of the application's clock, which is past.
  assert.equal(await readSession(auth, requestWith({ cookie }), { secret: SECRET }), null);
  const own = createAuth((env: { secret: string }) => ({
    secret: env.secret,
    database: createMemoryStorage(),
    session: { strategy: jwtSessions },
    now: () => application.clock.now,
  }));
  assert.equal(
    (await readSession(own, requestWith({ cookie }), { secret: SECRET }))?.user.id,
    "ada",
  );
  const other = { secret: SECRET.toUpperCase() };
  assert.equal(await readSession(own, requestWith({ cookie }), other), null);
});

for (const [kind, create] of Object.entries(KINDS)) {
  // Tracks: AU-06
  Deno.test(`readAuth() answers where there is no auth.run(), and changes nothing (${kind})`, async () => {
    const seen: (string | null)[] = [];
    const application = create({
      rbac: defineRBAC({ roles: [{ id: "editor", name: "Editor", permissions: ["posts:edit"] }] }),
      callbacks: {
        session: ({ session }) => {
          seen.push(ownUrl("/"));
          return session;
        },
      },
    });
    const { auth } = application;
    const cookie = await application.signIn();
    const ada = readAuth(auth, requestWith({ cookie }), {});
    assert.equal((await ada.getUser())?.id, "ada");
    assert.equal((await ada.getSession())?.user.id, "ada");
    assert.equal(await ada.isAuthenticated(), true);
    assert.equal((await ada.requireAuth()).id, "ada");
    assert.equal(await ada.hasRole("admin"), false);
    assert.equal(await ada.hasPermission("posts:edit"), false);
    await assert.rejects(ada.requirePermission("posts:edit"), { code: "FORBIDDEN" });
    assert.deepEqual(seen.slice(-1), [`${ORIGIN}/`]);
    assert.deepEqual(Object.keys(ada).filter((name) => /start|end/.test(name)), []);

    const nobody = readAuth(auth, requestWith({}), {});
    assert.equal(await nobody.getUser(), null);
    assert.equal(await nobody.hasPermission("posts:edit"), false);
    await assert.rejects(nobody.requireRole("admin"), { code: "UNAUTHENTICATED" });
    await assert.rejects(nobody.requireAuth(), (error: RedirectError) => {
      return error.location === `${ORIGIN}/auth/signin?callbackUrl=%2Flive`;
    });
    application.close();
  });
}
