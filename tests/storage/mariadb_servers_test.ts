// MariaDB as it is run: roles with few privileges, several processes, and a replica that becomes the primary.
import assert from "node:assert/strict";
import { join } from "node:path";
import { mariadb } from "@framework/auth/mariadb";
import { createPool, type Pool } from "mysql2/promise";
import { findMariadb, mariadbHint } from "../../scripts/mariadb.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { createFaultyNetwork } from "../support/faulty_network.ts";
import { inMatrix } from "../support/matrix.ts";
import { type MariadbServer, startMariadb } from "../support/mariadb.ts";
import { freePort } from "../support/free_port.ts";
import { createScaledApplication, type ScaledApplication } from "../support/scaled_application.ts";
import { until } from "../support/until.ts";

const programs = await findMariadb();
const why = programs === null ? ` [unavoidable: ${mariadbHint}]` : "";
const options = { ignore: programs === null, sanitizeOps: false, sanitizeResources: false };

const SERVING = "SELECT, INSERT, UPDATE, DELETE";
const MAKING = ["CREATE", "INDEX", "TRIGGER"];
const LOG = ["--log-bin=log", "--server-id=1"];
const TRUST = "--log-bin-trust-function-creators=1";

/** Makes a user of the database anew, and gives it privileges there. */
async function grant({ ask }: MariadbServer, name: string, privileges: string): Promise<void> {
  await ask(`CREATE OR REPLACE USER ${name}; GRANT ${privileges} ON app.* TO ${name}`);
}

function poolOf(port: number, user: string): Pool {
  return createPool({ host: "127.0.0.1", port, user, database: "app", connectionLimit: 8 });
}

// Tracks: OP-05
Deno.test({
  name:
    `roles with the privileges of docs/databases.md make the tables and serve, and none is left over${why}`,
  ...options,
  async fn(test) {
    const text = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
    const guide = text.replaceAll(/\s+/g, " ");
    const server = await startMariadb(programs!, LOG);
    const serving = poolOf(server.port, "serving");
    /** By connections of its own: open ones keep the privileges with which they began. */
    async function migrate(): Promise<void> {
      const making = poolOf(server.port, "making");
      try {
        await mariadb(making).migrate!();
      } finally {
        await making.end();
      }
    }
    try {
      await test.step("a server with a binary log asks for log_bin_trust_function_creators", async () => {
        await grant(server, "making", `${SERVING}, ${MAKING.join(", ")}`);
        await assert.rejects(migrate(), /log_bin_trust_function_creators/);
        await server.ask("SET GLOBAL log_bin_trust_function_creators = 1");
        assert.match(guide, /log_bin_trust_function_creators = 1/);
        await migrate();
        assert.ok(guide.includes("`CREATE`, `INDEX` and `TRIGGER` to make the tables"));
        // As after a process that ended in the middle.
        await server.ask(
          "DELETE FROM auth_schema; DROP TABLE trusted_browsers; DROP TABLE passkeys",
        );
        await migrate();
      });
      await test.step("who serves makes and changes no table", async () => {
        await grant(server, "serving", SERVING);
        assert.ok(guide.includes("`SELECT`, `INSERT`, `UPDATE` and `DELETE` to serve"));
        const { signUp, signOut, userOf } = createScaledApplication(mariadb(serving));
        const ada = await signUp("ada");
        assert.equal(ada.status, 200);
        assert.equal(await userOf(ada.cookie), "ada");
        assert.equal(await signOut(ada.cookie), true);
        for (const statement of ["CREATE TABLE other (id INT)", "ALTER TABLE users ADD x INT"]) {
          await assert.rejects(serving.query(statement), /command denied/);
        }
      });
      for (const missing of inMatrix ? MAKING : []) {
        await test.step(`without ${missing} there are no tables`, async () => {
          await server.empty();
          const rest = MAKING.filter((one) => one !== missing).join(", ");
          await grant(server, "making", `${SERVING}, ${rest}`);
          await assert.rejects(migrate(), /denied/);
        });
      }
    } finally {
      await serving.end();
      await server.stop();
    }
  },
});

/** The lines of docs/databases.md, which sign up until they are killed, and say what was acknowledged. */
const PROGRAM = `
import { createAuth, createUser, startSession } from "@framework/auth";
import { mariadb } from "@framework/auth/mariadb";
import { createPool } from "mysql2/promise";
import process from "node:process";
const auth = createAuth({
  database: mariadb(createPool(process.env.DATABASE_URL)),
  baseUrl: "http://localhost:8000",
  cookies: { sessionToken: { hostOnly: true } },
  providers: [],
});
await auth.migrate();
for (let index = 0;; index++) {
  for (const id of [\`\${process.env.OWN}-\${index}\`, \`shared-\${process.env.ROUND}-\${index}\`]) {
    const request = new Request("http://localhost:8000/", { method: "POST" });
    const response = await auth.run(request, {}, undefined, async () => {
      await createUser({ id, email: \`\${id}@example.com\` });
      await startSession(id);
      return new Response();
    });
    if (response.ok) console.log("made", id);
    else if (response.status !== 409) console.log("failed", response.status, await response.text());
  }
}
`;

if (inMatrix) {
  // Tracks: OP-08, F10
  Deno.test({
    name:
      `four processes share a MariaDB that none has made tables in, and are killed: what was acknowledged is there, once${why}`,
    ...options,
    async fn() {
      const server = await startMariadb(programs!);
      const program = join(repositoryRoot, "tests/output", `mariadb_processes_${Deno.pid}.ts`);
      try {
        await Deno.mkdir(join(repositoryRoot, "tests/output"), { recursive: true });
        await Deno.writeTextFile(program, PROGRAM);
        const made: string[] = [];
        for (let round = 0; round < 3; round++) {
          const children = ["a", "b", "c", "d"].map((name) =>
            startChild(Deno.execPath(), ["run", "-A", "--no-check", program], {
              cwd: repositoryRoot,
              env: {
                DATABASE_URL: `mysql://root@127.0.0.1:${server.port}/app`,
                OWN: `${name}-${round}`,
                ROUND: String(round),
              },
            })
          );
          try {
            await Promise.all(children.map((child) => child.waitFor(/made \w-\d-20$/m)));
          } finally {
            for (const { pid } of children) Deno.kill(pid, "SIGKILL");
            await Promise.all(children.map((child) => child.ended));
          }
          for (const child of children) {
            assert.doesNotMatch(child.output(), /^failed/m);
            for (const [, id] of child.output().matchAll(/^made (.*)$/gm)) made.push(id!);
          }
        }
        assert.ok(made.length > 240, `${made.length}`);
        assert.equal(new Set(made).size, made.length, "one id was acknowledged twice");
        const rows = await server.ask(
          "SELECT users.id FROM users JOIN sessions ON sessions.user_id = users.id",
        );
        const found = new Set(rows.map(({ id }) => id));
        assert.deepEqual(made.filter((id) => !found.has(id)), []);
      } finally {
        await Deno.remove(program);
        await server.stop();
      }
    },
  });
}

/** A primary and a server that follows it and refuses writes, and an application that has the address of the first. */
async function withReplica(
  run: (pair: {
    primary: MariadbServer;
    replica: MariadbServer;
    /** The way of the replica to the primary. */
    link: { losing: boolean };
    pool: Pool;
    /** Ends the primary, and gives its address to the replica, which becomes the primary. */
    failOver(): Promise<void>;
    /** Waits until the replica has what the primary has. */
    caughtUp(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const primary = await startMariadb(programs!, [...LOG, TRUST]);
  const link = createFaultyNetwork(primary.port);
  const address = createFaultyNetwork(primary.port);
  const pool = poolOf(address.port, "serving");
  let replica: MariadbServer | undefined;
  try {
    const second = replica = await startMariadb(programs!, [
      ...["--log-bin=log", "--log-slave-updates=1", "--server-id=2", TRUST, "--read-only=1"],
      "--rpl-semi-sync-slave-enabled=1",
    ]);
    await second.ask("RESET MASTER; SET GLOBAL gtid_slave_pos = ''");
    // What each has made before: the database itself.
    await primary.ask("RESET MASTER; DROP DATABASE app");
    await second.ask("DROP DATABASE app; RESET MASTER");
    await second.ask(
      `CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = ${link.port}, MASTER_USER = 'root',
       MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1; START SLAVE`,
    );
    await primary.ask("CREATE DATABASE app; USE app");
    await grant(primary, "serving", SERVING);
    await mariadb(primary.pool).migrate!();
    const caughtUp = async () => {
      const [at] = await primary.ask("SELECT @@gtid_binlog_pos AS at");
      const [reached] = await second.ask(`SELECT MASTER_GTID_WAIT('${at!.at}', 60) AS reached`);
      assert.equal(reached!.reached, 0);
    };
    await caughtUp();
    await second.ask("USE app");
    await run({
      primary,
      replica: second,
      link,
      pool,
      caughtUp,
      async failOver() {
        await primary.kill();
        await second.ask("STOP SLAVE; SET GLOBAL read_only = 0");
        address.target = second.port;
      },
    });
  } finally {
    await pool.end();
    address.close();
    link.close();
    await replica?.stop();
    await primary.stop();
  }
}

const TIMES = { connectionTimeout: 60_000, statementTimeout: 10_000, requestTimeout: 20_000 };

if (inMatrix) {
  // Tracks: F10, F11, F20
  Deno.test({
    name:
      `a failover with semi-synchronous replication of MariaDB loses nothing that was acknowledged${why}`,
    ...options,
    fn: () =>
      withReplica(async ({ primary, replica, pool, failOver }) => {
        await primary.ask(
          `SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC', rpl_semi_sync_master_timeout = 600000;
       SET GLOBAL rpl_semi_sync_master_enabled = 1`,
        );
        await replica.ask("STOP SLAVE IO_THREAD; START SLAVE IO_THREAD");
        const { signUp, signOut, userOf, isBack } = createScaledApplication(mariadb(pool, TIMES));
        await until(
          async () =>
            (await primary.ask("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'"))[0]!.Value ===
              "1",
          () => "The replica does not follow",
        );
        const [signedIn, signedOut] = [new Map<string, string>(), new Set<string>()];
        let over = false;
        const clients = Array.from({ length: 6 }, async (_, client) => {
          for (let round = 0; !over; round++) {
            const id = `user-${client}-${round}`;
            const { status, cookie } = await signUp(id);
            assert.ok(status === 200 || status === 503, String(status));
            if (status !== 200) continue;
            if (round % 2 === 0) signedIn.set(id, cookie);
            else if (await signOut(cookie)) signedOut.add(cookie);
          }
        });
        await until(
          () => Promise.resolve(Math.min(signedIn.size, signedOut.size) >= 20),
          () => "The clients are not served",
        );
        await failOver();
        await isBack();
        over = true;
        await Promise.all(clients);
        for (const [id, cookie] of signedIn) assert.equal(await userOf(cookie), id);
        for (const cookie of signedOut) assert.equal(await userOf(cookie), null);
        const [{ n }] = await replica.ask("SELECT COUNT(*) AS n FROM users") as [{ n: number }];
        assert.ok(n >= signedIn.size + signedOut.size);
      }),
  });

  // Tracks: F10, F12
  Deno.test({
    name:
      `a replica of MariaDB answers late, refuses to write until it is the primary, and lacks what it had not got${why}`,
    ...options,
    fn: () =>
      withReplica(async (pair) => {
        const { replica, link, pool, caughtUp, failOver } = pair;
        const application = createScaledApplication(mariadb(pool, TIMES));
        const { signUp, signOut, userOf, isBack } = application;
        const ada = await signUp("ada");
        assert.equal(ada.status, 200);
        await caughtUp();
        const near = poolOf(replica.port, "serving");
        try {
          const behind = createScaledApplication(mariadb(near, TIMES));
          await replica.ask("STOP SLAVE SQL_THREAD");
          assert.equal(await signOut(ada.cookie), true);
          assert.equal(await userOf(ada.cookie), null);
          // Why no session is read from a replica: this one has ended.
          assert.equal(await behind.userOf(ada.cookie), "ada");
          await replica.ask("START SLAVE SQL_THREAD");
          await caughtUp();
          assert.equal(await behind.userOf(ada.cookie), null);
          assert.equal((await behind.signUp("bob")).status, 503);
          assert.deepEqual(await replica.ask("SELECT 1 FROM users WHERE id = 'bob'"), []);

          // From here on the replica gets nothing; clients are answered all the same.
          const eve = await signUp("eve");
          await caughtUp();
          link.losing = true;
          assert.equal(await signOut(eve.cookie), true);
          assert.equal((await signUp("joe")).status, 200);
          await failOver();
          await isBack();
          assert.equal(await userOf(eve.cookie), "eve");
          assert.deepEqual(await replica.ask("SELECT 1 FROM users WHERE id = 'joe'"), []);
          assert.equal((await behind.signUp("bob")).status, 200);
        } finally {
          await near.end();
        }
      }),
  });
}

const PROVIDER = "/usr/lib/galera/libgalera_smm.so";
const hasGalera = await exists(PROVIDER);
const whyNoGalera = hasGalera ? why : " [unavoidable: it needs galera-4 of Debian]";

/** Arguments of a node of Galera; the first one begins the cluster. */
function nodeOf(port: number, first?: number): string[] {
  const peers = first === undefined ? "" : `127.0.0.1:${first}`;
  const provider = [
    `gmcast.listen_addr=tcp://127.0.0.1:${port}`,
    `ist.recv_addr=127.0.0.1:${freePort()}`,
    "gcache.size=16M",
  ];
  return [
    ...["--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON"],
    ...[`--wsrep-provider=${PROVIDER}`, `--wsrep-provider-options=${provider.join(";")}`],
    ...[`--wsrep-cluster-address=gcomm://${peers}`, `--wsrep-node-address=127.0.0.1:${port}`],
    ...["--wsrep-sst-method=rsync", `--wsrep-sst-receive-address=127.0.0.1:${freePort()}`],
    ...first === undefined ? ["--wsrep-new-cluster"] : [],
  ];
}

if (inMatrix) {
  // Tracks: F10, F11, F20
  Deno.test({
    name:
      `three nodes of Galera that are all written to have one outcome, and one of them may fail${whyNoGalera}`,
    ...options,
    ignore: options.ignore || !hasGalera,
    async fn() {
      const nodes: MariadbServer[] = [];
      try {
        const first = freePort();
        nodes.push(await startMariadb(programs!, nodeOf(first)));
        nodes.push(await startMariadb(programs!, nodeOf(freePort(), first)));
        nodes.push(await startMariadb(programs!, nodeOf(freePort(), first)));
        const size = async () =>
          (await nodes[0]!.ask("SHOW STATUS LIKE 'wsrep_cluster_size'"))[0]!.Value;
        await until(async () => await size() === "3", () => "The nodes do not find each other");
        await mariadb(nodes[0]!.pool).migrate!();
        // Else a node shows what another has committed a moment later.
        for (const { ask } of nodes) await ask("SET GLOBAL wsrep_sync_wait = 7");
        const pools = nodes.map(({ port }) => poolOf(port, "root"));
        const applications = pools.map((pool) => createScaledApplication(mariadb(pool, TIMES)));
        const [one, two, three] = applications as [
          ScaledApplication,
          ScaledApplication,
          ScaledApplication,
        ];

        for (let round = 0; round < 40; round++) {
          const id = `user-${round}`;
          // The same sign-up at every node: one of them makes it, and is told so.
          const made = await Promise.all(applications.map(({ signUp }) => signUp(id)));
          const statuses = made.map(({ status }) => status).sort();
          assert.deepEqual(statuses, [200, 409, 409], id);
          const { cookie, token } = made.find(({ status }) => status === 200)!;
          // A token that three redeem at once opens once.
          const users = await Promise.all(applications.map(({ redeem }) => redeem(token)));
          assert.deepEqual(users.filter((user) => user !== null), [id]);
          // A session that has ended has ended everywhere.
          assert.equal(await two.userOf(cookie), id);
          if (round % 2 === 0) continue;
          assert.equal(await one.signOut(cookie), true);
          assert.equal(await three.userOf(cookie), null);
        }

        await nodes[0]!.kill();
        await two.isBack();
        const eve = await two.signUp("eve");
        assert.equal(eve.status, 200);
        assert.equal(await three.userOf(eve.cookie), "eve");
        assert.equal((await one.signUp("joe")).status, 503);
        await Promise.all(pools.map((pool) => pool.end().catch(() => {})));
      } finally {
        for (const node of nodes) await node.stop();
      }
    },
  });
}
