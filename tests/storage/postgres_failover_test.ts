// What a failover of PostgreSQL loses, as docs/scaling.md says it: two servers, of which the second follows the first.
import assert from "node:assert/strict";
import { disableUser, setUserRoles } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { upgradeTables } from "@framework/auth/storage";
import pg from "pg";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { createFaultyNetwork, type FaultyNetwork } from "../support/faulty_network.ts";
import { inMatrix } from "../support/matrix.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import {
  createScaledApplication,
  documentedStatements,
  type ScaledApplication,
} from "../support/scaled_application.ts";
import { until } from "../support/until.ts";

const bin = await findPostgres();

const CLIENTS = 6;

// Longer than the defaults, for slow machines.
const TIMES = { connectionTimeout: 60_000, statementTimeout: 10_000, requestTimeout: 20_000 };
// For the one step that waits for what is never confirmed.
const IMPATIENT = { ...TIMES, statementTimeout: 1000 };

/** Two servers, and an application that reaches the first by an address which can be given to the second. */
interface Pair {
  primary: PostgresServer;
  replica: PostgresServer;
  /** The way of the replica to the primary. */
  link: FaultyNetwork;
  application: ScaledApplication;
  /** The same, which does not wait long for the answer to a statement. */
  impatient: ScaledApplication;
  /**
   * Loses the primary, makes a replica the primary, and gives it the address.
   *
   * @param to Default: the replica of the pair.
   */
  failOver(to?: PostgresServer): Promise<void>;
}

async function withPair(run: (pair: Pair) => Promise<void>): Promise<void> {
  const primary = await startPostgres(bin!);
  const link = createFaultyNetwork(primary.port);
  const address = createFaultyNetwork(primary.port);
  const way = { host: "127.0.0.1", port: address.port, user: "framework", database: "postgres" };
  const pool = new pg.Pool(way);
  // Connections keep the time limit of the one who made them.
  const impatient = new pg.Pool(way);
  let replica: PostgresServer | undefined;
  try {
    const database = postgres(pool, TIMES);
    await upgradeTables(database);
    const second = replica = await primary.replica(link.port);
    await run({
      primary,
      replica,
      link,
      application: createScaledApplication(database),
      impatient: createScaledApplication(postgres(impatient, IMPATIENT)),
      async failOver(to = second) {
        await primary.kill();
        await to.admin.query("SELECT pg_promote()");
        address.target = to.port;
      },
    });
  } finally {
    await pool.end();
    await impatient.end();
    address.close();
    link.close();
    await replica?.stop();
    await primary.stop();
  }
}

/** Waits until the replica shows whatever the primary has committed so far. */
async function caughtUp({ primary, replica }: Pair): Promise<void> {
  const { rows: [{ at }] } = await primary.admin.query("SELECT pg_current_wal_lsn() AS at");
  await until(
    async () => {
      const { rows: [row] } = await replica.admin.query(
        "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached",
        [at],
      );
      return row.reached;
    },
    () => "The replica does not follow",
  );
}

/** What was acknowledged. */
interface Acknowledged {
  /** Users with their cookies. */
  signedIn: Map<string, string>;
  signedOut: Set<string>;
  usedTokens: Set<string>;
  revoked: Set<string>;
  /** Users of whom nobody knows whether they were made. */
  unknown: Set<string>;
}

/** Clients that sign up and out, use tokens and revoke, until `over` says so. */
async function use(
  { application: { signUp, signOut, redeem, revoke } }: Pair,
  told: Acknowledged,
  over: () => boolean,
): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let round = 0; !over(); round++) {
      const id = `user-${client}-${round}`;
      const { status, cookie, token } = await signUp(id);
      if (status !== 200) {
        assert.equal(status, 503);
        told.unknown.add(id);
        // As people do: without a moment between, what is refused at once takes all of a processor.
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      const kind = round % 4;
      if (kind === 0) told.signedIn.set(id, cookie);
      else if (kind === 1) {
        if (await signOut(cookie)) told.signedOut.add(cookie);
      } else if (kind === 2) {
        if (await redeem(token) === id) told.usedTokens.add(token);
      } else if (await revoke(id)) told.revoked.add(id);
    }
  }));
}

const options = { ignore: bin === null, sanitizeOps: false, sanitizeResources: false };
const hint = bin === null ? `: ${postgresHint}` : "";

// Tracks: F10, F11, F20
Deno.test({
  name: `a failover with synchronous replication loses nothing that was acknowledged${hint}`,
  ...options,
  fn: () =>
    withPair(async (pair) => {
      const { primary: { admin }, replica, application, impatient } = pair;
      const { signUp, userOf, redeem, isRevoked, isBack, signOut } = application;
      await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await admin.query("SELECT pg_reload_conf()");
      await until(
        async () => {
          const { rows } = await admin.query("SELECT sync_state FROM pg_stat_replication");
          return rows[0]?.sync_state === "sync";
        },
        () => "The replica is not synchronous",
      );

      // Nothing is acknowledged that the replica has not confirmed; reading needs no confirmation.
      const ada = await signUp("ada");
      assert.equal(ada.status, 200);
      await impatient.isBack();
      const goOn = await replica.pause();
      assert.equal((await impatient.signUp("bob")).status, 503);
      await until(
        async () => await userOf(ada.cookie) === "ada",
        () => "No session is read while nothing is confirmed",
      );
      goOn();
      await isBack();

      const told: Acknowledged = {
        signedIn: new Map([["ada", ada.cookie]]),
        signedOut: new Set(),
        usedTokens: new Set(),
        revoked: new Set(),
        unknown: new Set(["bob"]),
      };
      let over = false;
      const using = use(pair, told, () => over);
      await until(
        () => {
          const { signedIn, signedOut, usedTokens, revoked } = told;
          const least = Math.min(...[signedIn, signedOut, usedTokens, revoked].map((n) => n.size));
          return Promise.resolve(least >= 10);
        },
        () => "The clients are not served",
      );
      await pair.failOver();
      await isBack();
      over = true;
      await using;

      for (const [id, cookie] of told.signedIn) assert.equal(await userOf(cookie), id);
      for (const cookie of told.signedOut) assert.equal(await userOf(cookie), null);
      for (const token of told.usedTokens) assert.equal(await redeem(token), null);
      for (const id of told.revoked) assert.equal(await isRevoked(id), true);
      // Whoever asks again after a 503 gets one result.
      for (const id of told.unknown) {
        await signUp(id);
        const { rows } = await replica.admin.query("SELECT 1 FROM users WHERE id = $1", [id]);
        assert.equal(rows.length, 1, id);
      }
      assert.equal(await signOut(ada.cookie), true);
      assert.equal(await userOf(ada.cookie), null);
    }),
});

if (inMatrix) {
  // Tracks: F10, F11
  Deno.test({
    name: `of two standbys one may fail, and the other has all that was acknowledged${hint}`,
    ...options,
    fn: () =>
      withPair(async (pair) => {
        const { primary, replica, link, application } = pair;
        const { signUp, userOf, isBack } = application;
        const other = await primary.replica();
        try {
          await primary.admin.query("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'");
          await primary.admin.query("SELECT pg_reload_conf()");
          await until(
            async () => {
              const { rows } = await primary.admin.query(
                "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'quorum'",
              );
              return rows.length === 2;
            },
            () => "The replicas are not synchronous",
          );
          link.losing = true;
          const ada = await signUp("ada");
          assert.equal(ada.status, 200);
          await primary.kill();

          // How the guide tells which one to promote.
          const received = async ({ admin }: PostgresServer) =>
            (await admin.query("SELECT pg_last_wal_receive_lsn() AS at")).rows[0].at;
          const further = await other.admin.query("SELECT $1::pg_lsn > $2::pg_lsn AS yes", [
            await received(other),
            await received(replica),
          ]);
          assert.equal(further.rows[0].yes, true);
          const { rows } = await replica.admin.query("SELECT 1 FROM users WHERE id = 'ada'");
          assert.equal(rows.length, 0);
          await pair.failOver(other);
          await isBack();
          assert.equal(await userOf(ada.cookie), "ada");
        } finally {
          await other.stop();
        }
      }),
  });
}

Deno.test({
  name: `a replica that is behind, and a failover to it${hint}`,
  ...options,
  fn: (test) =>
    withPair(async (pair) => {
      const { replica, link, application } = pair;
      const behind = createScaledApplication(postgres(replica.pool, TIMES));

      // Tracks: F10, F12
      await test.step("a replica answers late, and refuses to write as long as it is one", async () => {
        const { cookie } = await application.signUp("kim");
        await caughtUp(pair);
        await replica.admin.query("SELECT pg_wal_replay_pause()");
        assert.equal(await application.signOut(cookie), true);
        assert.equal(await application.userOf(cookie), null);
        // Why no session is read from a replica: this one has ended.
        assert.equal(await behind.userOf(cookie), "kim");
        await replica.admin.query("SELECT pg_wal_replay_resume()");
        await caughtUp(pair);
        assert.equal(await behind.userOf(cookie), null);

        // Each try has another connection, since the address may lead to the primary by now.
        let closed = 0;
        replica.pool.on("remove", () => closed++);
        assert.equal((await behind.signUp("tom")).status, 503);
        await until(() => Promise.resolve(closed === 3), () => `${closed} connections were closed`);
      });

      // Tracks: F10, F11
      await test.step("a failover with asynchronous replication takes back what the replica had not got", async () => {
        const { signUp, userOf, signOut, redeem, revoke, isRevoked, isBack, change } = application;
        const ada = await signUp("ada");
        const eve = await signUp("eve");
        const joe = await signUp("joe");
        assert.deepEqual([ada.status, eve.status, joe.status], [200, 200, 200]);
        assert.equal((await signUp("max")).status, 200);
        assert.equal(await application.setPassword("max", "old"), true);
        assert.equal(await change(() => setUserRoles("max", { role: "admin" })), true);
        await caughtUp(pair);

        // From here on the replica gets nothing; clients are answered all the same.
        link.losing = true;
        assert.equal((await signUp("bob")).status, 200);
        assert.equal(await signOut(ada.cookie), true);
        assert.equal(await userOf(ada.cookie), null);
        assert.equal(await redeem(joe.token), "joe");
        assert.equal(await revoke("token"), true);
        assert.equal(await isRevoked("token"), true);
        assert.equal(await application.setPassword("max", "new"), true);
        assert.equal(await change(() => setUserRoles("max", { role: null })), true);
        assert.equal(await change(() => disableUser("max")), true);
        await pair.failOver();
        await isBack();

        const { rows } = await replica.admin.query("SELECT 1 FROM users WHERE id = 'bob'");
        assert.equal(rows.length, 0);
        assert.equal(await userOf(ada.cookie), "ada");
        assert.equal(await isRevoked("token"), false);
        assert.equal(await redeem(joe.token), "joe");
        assert.equal(await redeem(joe.token), null);
        assert.equal(await application.passwordOf("max"), "old");
        const before = await replica.admin.query(
          "SELECT role, disabled_at FROM users WHERE id = 'max'",
        );
        assert.deepEqual(before.rows, [{ role: "admin", ["disabled_at"]: null }]);
        // What the guide says to run then.
        await replica.admin.query(await documentedStatements());
        assert.equal(await userOf(ada.cookie), null);
        assert.equal(await redeem(eve.token), null);
        await behind.isBack();
        assert.equal((await behind.signUp("tom")).status, 200);
      });
    }),
});
