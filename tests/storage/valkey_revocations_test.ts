// Ended sessions in Valkey: what the store holds, and what it forgets, which `mayForget` bounds.
import assert from "node:assert/strict";
import { createValkeyRevocationStore, type RevocationStore } from "@framework/auth/storage";
import { testRevocationStore } from "@framework/testing/storage";
import { Redis } from "iovalkey";
import { createClient } from "redis";
import { type TestApplication, visit } from "../../auth/tests/application.ts";
import { createTokenApplication, userBehind } from "../../auth/tests/token_application.ts";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { createFaultyNetwork } from "../support/faulty_network.ts";
import { until } from "../support/until.ts";
import { startValkey } from "../support/valkey.ts";

const program = await findValkey();
const options = { ignore: program === null, sanitizeOps: false, sanitizeResources: false };
const hint = program === null ? `: ${valkeyHint}` : "";

const HOUR = 3600;
const DAY = 86_400_000;
const UNAVAILABLE = { code: "STORAGE_UNAVAILABLE", status: 503 };

type Send = (command: string[]) => Promise<unknown>;

/** The same server at another time of its own. */
function atTime(send: Send, now: () => number): Send {
  return ([name, script, ...rest]) => {
    const clock = `{ ${Math.floor(now() / 1000)}, ${now() % 1000 * 1000} }`;
    return send([name!, script!.replace("redis.call('TIME')", clock), ...rest]);
  };
}

/** An application whose sessions are signed tokens, without a database. */
function createServer(revocation: RevocationStore, now: () => number = Date.now): TestApplication {
  return createTokenApplication({ users: false, session: { revocation }, now });
}

/** Ends the session of a cookie; true when that was acknowledged. */
async function signOut(application: TestApplication, cookie: string): Promise<boolean> {
  const answer = application.send("/signout", { method: "POST", cookie });
  return (await answer.catch(() => null))?.status === 303;
}

Deno.test({
  name: `revocations over Valkey${hint}`,
  ...options,
  async fn(test) {
    const server = await startValkey(program!);
    const client = createClient({ url: server.url });
    client.on("error", () => {});
    await client.connect();
    const other = new Redis(server.url, { lazyConnect: true });
    other.on("error", () => {});
    await other.connect();
    const send: Send = (command) => client.sendCommand(command);
    const sends: Send[] = [send, ([name, ...values]) => other.call(name!, ...values)];
    // Longer than the default, for slow machines.
    const stores = sends.map((one) =>
      createValkeyRevocationStore(one, { mayForget: HOUR, timeout: 60_000 })
    );
    const [store, second] = stores as [RevocationStore, RevocationStore];
    const isBack = () =>
      until(
        async () => await store.validFrom("nobody") === 0,
        () => "Valkey does not come back",
      );
    try {
      const cases: [name: string, work: () => Promise<void>][] = [];
      for (const [index, one] of stores.entries()) {
        await testRevocationStore(["redis", "iovalkey"][index]!, {
          async open() {
            await client.sendCommand(["FLUSHALL"]);
            return { storage: one };
          },
          test: (name, work) => cases.push([name, work]),
        });
      }
      assert.ok(cases.length >= 10, String(cases.length));
      for (const [name, work] of cases) await test.step(name, work);

      // Tracks: R056, F26
      await test.step("two servers with two clients end the sessions of each other at once, whatever their clocks", async () => {
        for (let round = 0; round < 20; round++) {
          // The clock of one of them is nearly a day ahead, that of the other a day behind.
          const shift = [DAY - 60_000, -DAY, 0][round % 3]!;
          const startedAt = Date.now() + shift;
          const session = { id: `s${round}`, userId: `u${round}`, startedAt };
          const [near, far] = round % 2 === 0 ? [store, second] : [second, store];
          // Its end does not ask the clock of who ends it.
          await near.revoke(session.id, startedAt);
          assert.equal(await far.isRevoked(session), true);
          const one = { ...session, id: "one" };
          const before = startedAt + 1;
          const marks = [before - 500, before, before - 200];
          await Promise.all(
            marks.map((before, index) =>
              stores[index % 2]!.revokeUser(session.userId, { before, until: before })
            ),
          );
          assert.equal(await far.validFrom(session.userId), before);
          assert.equal(await near.isRevoked(one), true);
          const later = { ...one, startedAt: before };
          assert.equal(await near.isRevoked(later), shift < 0);
        }
      });

      // Tracks: R056
      await test.step("a session that began longer ago than mayForget is over, to the millisecond of Valkey's clock", async () => {
        const startedAt = Date.now() - 17;
        const session = { id: "old", userId: "old", startedAt };
        const at = (now: number) =>
          createValkeyRevocationStore(atTime(send, () => now), {
            mayForget: HOUR,
            timeout: 60_000,
          }).isRevoked(session);
        const end = startedAt + HOUR * 1000;
        assert.deepEqual(
          await Promise.all([startedAt, end - 1, end, end + 1, end + 400 * DAY].map(at)),
          [false, false, true, true, true],
        );
        // From a clock that is ahead by more than a day, whose sessions would outlast what is kept of them.
        assert.deepEqual(
          await Promise.all([startedAt - DAY, startedAt - DAY - 1].map(at)),
          [false, true],
        );
      });

      // Tracks: R056
      await test.step("an end is kept for as long as a session of any such clock could go on, and then no longer", async () => {
        const startedAt = Date.now() + DAY - 1000;
        await store.revoke("kept", 0);
        await store.revokeUser("kept", { before: startedAt + 60_000, until: 0 });
        for (const kind of ["session", "user"]) {
          const left = await client.pTTL(`{revocation}:${kind}:kept`);
          const goesOn = startedAt + HOUR * 1000 - Date.now();
          assert.ok(left >= goesOn && left < goesOn + 2 * DAY, `${kind}: ${left} ${goesOn}`);
        }
        // A process that is configured anew shortens nothing that another one still counts on.
        const brief = createValkeyRevocationStore(send, { mayForget: 60, timeout: 60_000 });
        await brief.revoke("kept", 0);
        await brief.revokeUser("kept", { before: 1, until: 0 });
        for (const kind of ["session", "user"]) {
          assert.ok(await client.pTTL(`{revocation}:${kind}:kept`) > DAY + 60_000, kind);
        }
      });

      // Tracks: R056
      await test.step("sign-out at one server ends every copy of the token at another", async () => {
        const servers = stores.map((one) => createServer(one));
        for (let round = 0; round < 6; round++) {
          const [near, far] = round % 2 === 0 ? servers : servers.toReversed();
          const cookie = await near!.signIn("ada");
          const more = await near!.signIn("ada");
          assert.equal(await userBehind(far!, { cookie }), "ada");
          assert.equal(await signOut(near!, cookie), true);
          assert.equal(await userBehind(far!, { cookie }), null);
          assert.equal(await userBehind(far!, { cookie: more }), "ada");
        }
        for (const one of servers) one.close();
      });

      // Tracks: R043
      await test.step("a server that hangs or is away is a 503, and nothing is acknowledged", async () => {
        const patient = createValkeyRevocationStore(send, { mayForget: HOUR, timeout: 200 });
        const application = createServer(store);
        const stalled = createServer(patient);
        const [cookie, ended] = [await application.signIn(), await application.signIn()];
        assert.equal(await signOut(application, ended), true);
        const goOn = server.pause();
        try {
          const session = { id: "s", userId: "u", startedAt: Date.now() };
          await assert.rejects(patient.isRevoked(session), UNAVAILABLE);
          await assert.rejects(patient.revoke("s", 0), UNAVAILABLE);
          for (const one of [cookie, ended]) {
            assert.equal((await stalled.send("/session", { cookie: one })).status, 503);
            assert.equal(await signOut(stalled, one), false);
          }
        } finally {
          goOn();
        }
        await isBack();
        assert.equal(await userBehind(application, { cookie: ended }), null);
        stalled.close();
        application.close();
      });

      // Tracks: R056
      await test.step("a restart without persistence forgets ends, and no session goes on for longer than mayForget", async () => {
        const application = createServer(store);
        const cookie = await application.signIn();
        assert.equal(await signOut(application, cookie), true);
        const away = server.restart();
        assert.equal((await application.send("/session", { cookie })).status, 503);
        await away;
        await isBack();
        assert.equal(await userBehind(application, { cookie }), "ada");
        const over = Date.now() + HOUR * 1000;
        const later = createServer(
          createValkeyRevocationStore(atTime(send, () => over), {
            mayForget: HOUR,
            timeout: 60_000,
          }),
        );
        assert.equal(await userBehind(later, { cookie }), null);
        for (const one of [application, later]) one.close();
      });

      // Tracks: R043
      await test.step("a server without memory left acknowledges no end, and is asked all the same", async () => {
        const session = { id: "full", userId: "full", startedAt: Date.now() };
        await client.sendCommand(["CONFIG", "SET", "maxmemory", "1"]);
        try {
          const fullOf = (error: Error & { status: number }) =>
            error.status === 503 && /OOM/.test(String(error.cause));
          await assert.rejects(store.revoke("full", 0), fullOf);
          await assert.rejects(store.revokeUser("full", { before: 1, until: 0 }), fullOf);
          assert.equal(await store.isRevoked(session), false);
        } finally {
          await client.sendCommand(["CONFIG", "SET", "maxmemory", "0"]);
        }
        await store.revoke("full", 0);
        assert.equal(await store.isRevoked(session), true);
      });

      await test.step("an error of the server is a 503, and no session counts as going on", async () => {
        await client.sendCommand(["SET", "{revocation}:user:eve", "a text"]);
        const session = { id: "s9", userId: "eve", startedAt: Date.now() };
        await assert.rejects(
          store.isRevoked(session),
          (error: Error & { status: number }) =>
            error.status === 503 && /WRONGTYPE/.test(String(error.cause)),
        );
      });
    } finally {
      await client.close();
      other.disconnect();
      await server.stop();
    }
  },
});

// Tracks: R056, F11, F20
Deno.test({
  name:
    `a failover of Valkey loses the last ends, and the sessions go on for mayForget at most${hint}`,
  ...options,
  async fn() {
    const first = await startValkey(program!);
    const replica = await startValkey(program!);
    const address = createFaultyNetwork(first.port);
    const link = createFaultyNetwork(first.port);
    const client = createClient({ url: `redis://127.0.0.1:${address.port}` });
    client.on("error", () => {});
    await client.connect();
    const admin = createClient({ url: replica.url });
    admin.on("error", () => {});
    await admin.connect();
    const storeOf = (mayForget: number) =>
      createValkeyRevocationStore((command) => client.sendCommand(command), {
        mayForget,
        timeout: 60_000,
      });
    const store = storeOf(HOUR);
    // Its sessions began 50 seconds ago, so that those which may go on for a minute are over soon.
    const then = () => Date.now() - 50_000;
    const application = createServer(store, then);
    const brief = createServer(storeOf(60), then);
    try {
      await admin.sendCommand(["REPLICAOF", "127.0.0.1", String(link.port)]);
      const [held, lost]: [Set<string>, Set<string>] = [new Set(), new Set()];
      const signOuts = async (count: number, into: Set<string>) => {
        for (let round = 0; round < count; round++) {
          const cookie = await application.signIn(`user-${round}`);
          assert.equal(await signOut(application, cookie), true);
          into.add(cookie);
        }
      };
      await signOuts(10, held);
      const marker = crypto.randomUUID();
      await store.revoke(marker, 0);
      await until(
        async () => await admin.exists(`{revocation}:session:${marker}`) === 1,
        () => "The replica does not follow",
      );
      const going = await application.signIn("going");
      // From here on the replica gets nothing; clients are answered all the same.
      link.losing = true;
      await signOuts(10, lost);
      const behind = async (one: TestApplication, cookies: Iterable<string>) => {
        const users = await Promise.all([...cookies].map((cookie) => userBehind(one, { cookie })));
        return users.filter((user) => user !== null).length;
      };
      assert.equal(await behind(application, [...held, ...lost]), 0);
      await first.kill();
      address.target = replica.port;

      // As long as it is a replica, it is not asked: it would let in who has signed out.
      await until(
        async () => {
          const asked = store.isRevoked({ id: "s", userId: "u", startedAt: Date.now() });
          const error = await asked.then(() => null, (error) => error);
          assert.ok(error !== null);
          return error.status === 503 && /READONLY/.test(String(error.cause));
        },
        () => "The replica does not refuse",
      );
      assert.equal((await application.send("/session", { cookie: going })).status, 503);
      await admin.sendCommand(["REPLICAOF", "NO", "ONE"]);
      await until(
        async () => await store.validFrom("nobody") === 0,
        () => "The new primary does not answer",
      );

      // What the replica had is held; what it had not got is lost, and nothing else.
      assert.equal(await behind(application, held), 0);
      assert.equal(await behind(application, lost), lost.size);
      assert.equal(await userBehind(application, { cookie: going }), "going");
      // They do not go on for longer than the option says, by the clock of the server, renewed or not.
      await until(
        async () => await behind(brief, lost) === 0,
        () => "Sessions go on that began more than a minute ago",
      );
      // Whoever ends one of them again has ended it.
      const [again] = lost;
      assert.equal(await signOut(application, again!), true);
      assert.equal(await userBehind(application, { cookie: again! }), null);
    } finally {
      application.close();
      brief.close();
      client.destroy();
      admin.destroy();
      address.close();
      link.close();
      await first.stop();
      await replica.stop();
    }
  },
});

// Tracks: R056
Deno.test({
  name: `a session that is renewed without end is over when mayForget says so${hint}`,
  ...options,
  async fn() {
    const server = await startValkey(program!);
    const client = createClient({ url: server.url });
    client.on("error", () => {});
    await client.connect();
    const clock = { now: Date.now() };
    const send = atTime((command) => client.sendCommand(command), () => clock.now);
    const application = createTokenApplication({
      users: false,
      now: () => clock.now,
      session: {
        revocation: createValkeyRevocationStore(send, { mayForget: HOUR, timeout: 60_000 }),
        maxAge: 600,
        updateAge: 60,
      },
    });
    try {
      let cookie = await application.signIn();
      const begun = clock.now;
      let renewals = 0;
      for (;;) {
        clock.now += 300_000;
        const response = await visit(
          application,
          async ({ auth }) => Response.json((await auth.getUser())?.id ?? null),
          { cookie },
        );
        if (await response.json() === null) break;
        const renewed = response.headers.getSetCookie().map((line) => line.split(";")[0]).join();
        if (renewed !== "") [cookie, renewals] = [renewed, renewals + 1];
      }
      assert.ok(renewals >= 10, String(renewals));
      assert.equal(clock.now - begun, HOUR * 1000);
    } finally {
      application.close();
      await client.close();
      await server.stop();
    }
  },
});
