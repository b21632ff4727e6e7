import assert from "node:assert/strict";
import { deleteUser, disableUser } from "./users.ts";
import { createMemoryRevocationStore, createSqlRevocationStore } from "../storage/revocations.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { createD1Double } from "../tests/d1_double.ts";
import { inVisit, type TestApplication, visit } from "../tests/application.ts";
import {
  browserAfter,
  claimsOf,
  COOKIE,
  createTokenApplication,
  userBehind,
} from "../tests/token_application.ts";
import { readSettings } from "../app/settings.ts";
import type { RevocationStore, ValidSession } from "../types/session.ts";
import type { SessionStrategy } from "../core/session_strategy.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 0, 1);

interface StoreUnderTest {
  name: string;
  make(now: () => number): { revocation: RevocationStore; close(): void };
}

const STORES: StoreUnderTest[] = [
  {
    name: "in memory",
    make: (now) => ({ revocation: createMemoryRevocationStore(now), close() {} }),
  },
  {
    name: "in SQL",
    make() {
      const database = createD1Double();
      return {
        revocation: createSqlRevocationStore(database),
        close: () => database.close(),
      };
    },
  },
];

/** An application without users, so that only the store can end a session. */
function withStore(store: StoreUnderTest, session: object = {}) {
  const clock = { now: NOW };
  const { revocation, close } = store.make(() => clock.now);
  const application = createTokenApplication({
    users: false,
    session: { revocation, ...session },
    now: () => clock.now,
  });
  return { application, clock, revocation, close: () => (application.close(), close()) };
}

for (const store of STORES) {
  // Tracks: R056, R034, F29, CVE-2026-46401, CVE-2025-4643
  Deno.test(`a jwt session ended ${store.name} is over for every copy, also a renewed one`, async () => {
    const { application, clock, close } = withStore(store);
    const cookie = await application.signIn();
    const other = await application.signIn();
    clock.now += DAY;
    const renewed = browserAfter(
      cookie,
      await visit(application, () => new Response(), { cookie }),
    );
    assert.notEqual(renewed, cookie);
    await application.send("/signout", { fields: {}, cookie });
    for (const copy of [cookie, renewed]) {
      const page = await visit(application, () => new Response(), { cookie: copy });
      assert.equal(browserAfter(copy, page), "");
      assert.equal(await userBehind(application, { cookie: copy }), null);
      const update = await application.send("/session", { method: "POST", cookie: copy });
      assert.equal(await update.json(), null);
    }
    assert.equal(await userBehind(application, { cookie: other }), "ada");
    clock.now += 28 * DAY;
    assert.equal(await userBehind(application, { cookie: renewed }), null);
    close();
  });

  // Tracks: R033, R056
  Deno.test(`a sign-in in place of a jwt session ends that one, ${store.name}`, async () => {
    const { application, close } = withStore(store);
    const first = await application.signIn();
    const response = await application.send("/signin/credentials", {
      fields: { name: "ada", password: "right" },
      cookie: first,
    });
    assert.equal(await userBehind(application, { cookie: first }), null);
    assert.equal(await userBehind(application, { cookie: browserAfter(first, response) }), "ada");
    close();
  });

  // Tracks: R054, R056
  Deno.test(`an ended jwt session stays ended however its token is spelled, ${store.name}`, async () => {
    const { application, close } = withStore(store, { bearer: true });
    const cookie = await application.signIn();
    const token = cookie.split("=")[1]!;
    await application.send("/signout", { fields: {}, cookie });
    const spellings = [token, `${token}=`, `${token}==`, token.slice(0, -1), `${token}A`];
    for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
      spellings.push(token.slice(0, -1) + last);
    }
    for (const spelling of spellings) {
      assert.equal(await userBehind(application, { cookie: `${COOKIE}=${spelling}` }), null);
      assert.equal(await userBehind(application, { authorization: `Bearer ${spelling}` }), null);
    }
    close();
  });

  // Tracks: GHSA-wmjr-v86c-m9jj
  Deno.test(`a sign-out with a forged token ends nobody's session, ${store.name}`, async () => {
    const { application, close } = withStore(store);
    const cookie = await application.signIn();
    const forger = createTokenApplication({ users: false, secret: "f".repeat(32) });
    const { jti } = claimsOf(cookie);
    const [head, , signature] = (await forger.signIn()).split(".") as [string, string, string];
    const payload = btoa(JSON.stringify({ ...claimsOf(cookie), jti })).replaceAll("=", "");
    await application.send("/signout", { fields: {}, cookie: `${head}.${payload}.${signature}` });
    assert.equal(await userBehind(application, { cookie }), "ada");
    forger.close();
    close();
  });
}

function strategyWith(store: StoreUnderTest, clock: { now: number }) {
  const { revocation, close } = store.make(() => clock.now);
  const { strategy } = readSettings({
    secret: "s".repeat(32),
    session: { strategy: jwtSessions, revocation },
    now: () => clock.now,
  }, undefined);
  return { strategy, close };
}

/** A strategy whose store can be made to forget what has ended. */
function sweptStrategy({ name }: StoreUnderTest, clock: { now: number }) {
  const database = createD1Double();
  const revocation = name === "in SQL"
    ? createSqlRevocationStore(database)
    : createMemoryRevocationStore(() => clock.now);
  const { strategy } = readSettings({
    secret: "s".repeat(32),
    session: { strategy: jwtSessions, revocation },
    now: () => clock.now,
  }, undefined);
  const storage = createSqlStorage(database);
  const forget = () => storage.sweep(clock.now, 500);
  return { strategy, revocation, forget, close: () => database.close() };
}

async function begin(strategy: SessionStrategy, userId: string): Promise<ValidSession> {
  return await strategy.begin(
    { userId, userAgent: null, waitUntil: (work) => void work } as Parameters<
      typeof strategy.begin
    >[0],
  );
}

async function holds(strategy: SessionStrategy, { token }: ValidSession): Promise<boolean> {
  const options = { source: "cookie", waitUntil: () => {} } as const;
  return (await strategy.read(token, options)).status === "valid";
}

for (const store of STORES) {
  // Tracks: R040, R056, F26
  Deno.test(`endAll() ${store.name} ends the sessions of one user, and those that begin then stand`, async () => {
    const clock = { now: NOW };
    const { strategy, close } = strategyWith(store, clock);
    const [ada, more, eve] = [
      await begin(strategy, "ada"),
      await begin(strategy, "ada"),
      await begin(strategy, "eve"),
    ];
    await strategy.endAll("ada");
    // The clock has not moved, and now it goes back.
    for (const step of [0, -60_000, 1]) {
      clock.now += step;
      const fresh = await begin(strategy, "ada");
      assert.equal(await holds(strategy, fresh), true, `${step}`);
      assert.equal(await holds(strategy, ada), false);
      assert.equal(await holds(strategy, more), false);
      assert.equal(await holds(strategy, eve), true);
    }
    await strategy.endAll("ada");
    assert.equal(await holds(strategy, ada), false);
    close();
  });

  // Tracks: R040
  Deno.test(`endAll() ${store.name} spares one session, until it is called again`, async () => {
    const clock = { now: NOW };
    const { strategy, close } = strategyWith(store, clock);
    const kept = await begin(strategy, "ada");
    const ended = await begin(strategy, "ada");
    clock.now += 1000;
    await strategy.endAll("ada", { except: kept });
    assert.deepEqual([await holds(strategy, kept), await holds(strategy, ended)], [true, false]);
    clock.now += 1000;
    await strategy.endAll("ada", { except: kept });
    assert.equal(await holds(strategy, kept), true);
    await strategy.endAll("ada", { except: ended });
    assert.deepEqual([await holds(strategy, kept), await holds(strategy, ended)], [false, false]);
    close();
  });

  // Tracks: R037, F05
  Deno.test(`a jwt session ${store.name} that is ended while it is renewed stays ended`, async () => {
    const clock = { now: NOW };
    const { strategy, close } = strategyWith(store, clock);
    for (let round = 0; round < 20; round++) {
      clock.now += 1000;
      const session = await begin(strategy, "ada");
      clock.now += DAY;
      const options = { mayRenew: () => true, source: "cookie", waitUntil: () => {} } as const;
      const work = [
        () => strategy.read(session.token, options),
        () => round % 4 < 2 ? strategy.end(session.token) : strategy.endAll("ada"),
      ];
      if (round % 2 === 1) work.reverse();
      const results = await Promise.all(work.map((one) => one()));
      const renewed = results.find((result) => typeof result === "object");
      assert.equal(await holds(strategy, session), false);
      if (renewed?.status === "valid") assert.equal(await holds(strategy, renewed), false);
    }
    close();
  });
}

for (const store of STORES) {
  // Tracks: R039, F05
  Deno.test(`a jwt session that begins while its user is disabled is none, ${store.name}`, async () => {
    for (const step of ["validFrom", "getActiveUser"] as const) {
      for (const late of [false, true]) {
        const clock = { now: NOW };
        const { revocation, close } = store.make(() => clock.now);
        const database = createMemoryStorage();
        await database.createUser({ user: { id: "ada" }, emailIdentity: null, at: NOW });
        let pending = true;
        const disableOnce = async (): Promise<void> => {
          if (!pending) return;
          pending = false;
          clock.now += 5;
          await database.disableUser("ada", clock.now);
          await strategy.endAll("ada");
          clock.now += 5;
        };
        const racing =
          <T>(name: string, ask: (id: string) => Promise<T>) => async (id: string): Promise<T> => {
            if (name === step && !late) await disableOnce();
            const answer = await ask(id);
            if (name === step && late) await disableOnce();
            return answer;
          };
        const { strategy } = readSettings({
          secret: "s".repeat(32),
          database: {
            ...database,
            getActiveUser: racing("getActiveUser", database.getActiveUser),
          },
          session: {
            strategy: jwtSessions,
            revocation: { ...revocation, validFrom: racing("validFrom", revocation.validFrom) },
          },
          now: () => clock.now,
        }, undefined);
        const session = await begin(strategy, "ada").catch(() => null);
        assert.equal(pending, false);
        assert.equal(session !== null && await holds(strategy, session), false, `${step} ${late}`);
        close();
      }
    }
  });

  // Tracks: R056
  Deno.test(`a jwt session ended after maxAge was shortened does not come back, ${store.name}`, async () => {
    const clock = { now: NOW };
    const database = createD1Double();
    const stored = store.name === "in SQL"
      ? createSqlRevocationStore(database)
      : createMemoryRevocationStore(() => clock.now);
    function strategyFor(maxAge: number): SessionStrategy {
      return readSettings({
        secret: "s".repeat(32),
        session: { strategy: jwtSessions, revocation: stored, maxAge },
        now: () => clock.now,
      }, undefined).strategy;
    }
    const before = strategyFor(30 * 24 * 60 * 60);
    const [one, all] = [await begin(before, "ada"), await begin(before, "eve")];
    const after = strategyFor(60 * 60);
    await after.end(one.token);
    await after.endAll("eve");
    for (let day = 1; day <= 30; day++) {
      clock.now += DAY;
      await createSqlStorage(database).sweep(clock.now, 500);
      // The memory forgets when something is added.
      await stored.revoke("another", clock.now + 1);
      assert.deepEqual(
        [await holds(after, one), await holds(after, all)],
        [false, false],
        `${day}`,
      );
    }
    database.close();
  });
}

for (const store of STORES) {
  // Tracks: R056, R037, PF-j18
  Deno.test(`a jwt session ended by an old token does not come back by one renewed meanwhile, ${store.name}`, async () => {
    const clock = { now: NOW };
    const { strategy, revocation, forget, close } = sweptStrategy(store, clock);
    const session = await begin(strategy, "ada");
    clock.now += 29 * DAY;
    const how = { mayRenew: () => true, source: "cookie", waitUntil: () => {} } as const;
    // Two requests of one browser: the one renews while the other, with the token of before, signs out.
    const renewed = await strategy.read(session.token, how);
    assert.ok(renewed.status === "valid" && renewed.renewed);
    await strategy.end(session.token);
    const last = renewed.session.expires.getTime();
    assert.ok(last > session.session.expires.getTime());
    for (; clock.now < last; clock.now += DAY) {
      await forget();
      await revocation.revoke("another", clock.now + 1);
      assert.equal(await holds(strategy, renewed), false, new Date(clock.now).toISOString());
    }
    close();
  });

  // Tracks: R056, PF-v06
  Deno.test(`a revocation is not shortened by a later one that ends sooner, ${store.name}`, async () => {
    const clock = { now: NOW };
    const { revocation, forget, close } = sweptStrategy(store, clock);
    const session = { id: "s1", userId: "ada", startedAt: NOW };
    await revocation.revoke("s1", NOW + 2 * DAY);
    await revocation.revoke("s1", NOW + DAY);
    const other = { id: "s2", userId: "eve", startedAt: NOW };
    await revocation.revokeUser("eve", { before: NOW + 1, until: NOW + 2 * DAY });
    await revocation.revokeUser("eve", { before: NOW + 1, until: NOW + DAY });
    clock.now += 1.5 * DAY;
    await forget();
    await revocation.revoke("another", clock.now + 1);
    await revocation.revokeUser("another", { before: 1, until: clock.now + 1 });
    assert.equal(await revocation.isRevoked(session), true);
    assert.equal(await revocation.isRevoked(other), true);
    clock.now += DAY;
    await forget();
    await revocation.revoke("another", clock.now + 1);
    await revocation.revokeUser("another", { before: 1, until: clock.now + 1 });
    assert.equal(await revocation.isRevoked(session), false, "what has ended is forgotten");
    assert.equal(await revocation.isRevoked(other), false);
    close();
  });
}

// Tracks: R039, R043
Deno.test("deleteUser() that got no further than the users ends the jwt sessions when it is called again", async () => {
  const revocation = createMemoryRevocationStore();
  let broken = true;
  const application = createTokenApplication({
    session: {
      revocation: {
        ...revocation,
        revokeUser: (...given) =>
          broken ? Promise.reject(new Error("down")) : revocation.revokeUser(...given),
      },
    },
  });
  const cookie = await application.signIn();
  async function remove(): Promise<Response> {
    return await visit(application, async () => Response.json(await deleteUser("ada")));
  }
  await assert.rejects(remove(), /down/);
  broken = false;
  assert.equal(await (await remove()).json(), false);
  assert.equal(await userBehind(application, { cookie }), null);
  application.close();
});

// Tracks: R043, K2
Deno.test("a revocation store that does not answer lets nobody in", async () => {
  const failing: RevocationStore = {
    revoke: () => Promise.reject(new Error("down")),
    revokeUser: () => Promise.reject(new Error("down")),
    isRevoked: () => Promise.reject(new Error("down")),
    validFrom: () => Promise.resolve(0),
  };
  const application: TestApplication = createTokenApplication({
    users: false,
    session: { revocation: failing },
  });
  const cookie = await application.signIn();
  let reached = false;
  const asking = visit(application, async ({ auth }) => {
    await auth.requireAuth();
    reached = true;
    return new Response();
  }, { cookie });
  await assert.rejects(asking, /down/);
  assert.equal(reached, false);
  await assert.rejects(application.send("/signout", { fields: {}, cookie }), /down/);
  const open = await visit(application, () => new Response("public"), { cookie });
  assert.equal(await open.text(), "public");
  application.close();
});

Deno.test("endAll() without a store is an error that names the option", async () => {
  const { strategy } = readSettings({
    secret: "s".repeat(32),
    session: { strategy: jwtSessions },
  }, undefined);
  assert.equal(strategy.revocable, false);
  await assert.rejects(strategy.endAll("ada"), /revocation: createSqlRevocationStore/);
});

// Tracks: GHSA-2vg6, CVE-2026-67334, R039, BA 9991
Deno.test("with a store, a user who is disabled, deleted or made again has no jwt session from before", async () => {
  const [store] = STORES as [StoreUnderTest];
  for (const shutOut of [disableUser, deleteUser]) {
    const clock = { now: NOW };
    const { revocation } = store.make(() => clock.now);
    const application = createTokenApplication({ session: { revocation }, now: () => clock.now });
    const cookie = await application.signIn();
    await inVisit(application, async () => {
      await shutOut("ada");
      return new Response();
    });
    assert.equal(await userBehind(application, { cookie }), null);
    if (shutOut === deleteUser) {
      assert.equal(await userBehind(application, { cookie: await application.signIn() }), "ada");
      assert.equal(await userBehind(application, { cookie }), null);
    }
    application.close();
  }
});
