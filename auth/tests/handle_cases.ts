import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import type { SchemaStep, SqlDatabase } from "../storage/sql_database.ts";
import { rateLimitGroup } from "../storage/rate_limits.ts";
import { createSqlRevocationStore } from "../storage/revocations.ts";
import { createSqlStorage } from "../storage/sql.ts";
import { groupOf } from "../storage/storage.ts";
import { STORAGE_CASES } from "../../testing/storage/cases.ts";
import { type CompleteStorage, completeStorage } from "../../testing/storage/complete_storage.ts";
import { interrupt, INTERRUPTION_CASES } from "../../testing/storage/interruption_cases.ts";
import { EXACT_CASES } from "../../testing/storage/rate_limit_cases.ts";
import { REVOCATION_CASES } from "../../testing/storage/revocation_cases.ts";
import { allCases, type InSuite, type StorageSuite } from "../../testing/storage/suites.ts";
import { createTrips } from "../../testing/storage/trips.ts";
import { OUTBOX_PROOF_CASES } from "./outbox_proof_cases.ts";
import { overTrips } from "./over_trips.ts";
import type { SqlCase } from "./sql_storage_cases.ts";
import { SQL_TENANT_CASES } from "./tenant_stores.ts";
import { UPGRADE_CASES } from "./upgrade_cases.ts";

const TABLE = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)";

/**
 * Holds that a handle as it is, in the place of a database, is refused with the line to write.
 *
 * @param found Name of the handle in the message.
 * @param call Function that takes the handle.
 */
export function refusesBare(
  handle: unknown,
  { found, call }: { found: string; call: "sqlite" | "postgres" },
): void {
  assert.throws(() => createAuth({ database: handle as never }).storage({}), {
    name: "ConfigurationError",
    message: `Wrong option "database": found "${found}"; write a D1 binding, or ${call}(…) with ` +
      `import { ${call} } from "@framework/auth/${call}"`,
  });
}

/** Cases that every handle must pass, besides those of the storages. */
const HANDLE_CASES: Record<string, SqlCase> = {
  "a batch is all or nothing, and RETURNING gives rows in it": async (database) => {
    await database.prepare(TABLE).run();
    const insert = database.prepare(
      "INSERT INTO notes (id, text) VALUES (?1, ?2) RETURNING id, text",
    );
    const [first] = await database.batch([insert.bind(1, "a")]);
    assert.deepEqual([{ ...first!.results[0] as object }, first!.meta.changes], [{
      id: 1,
      text: "a",
    }, 1]);
    await assert.rejects(database.batch([insert.bind(2, "b"), insert.bind(3, "a")]));
    const count = database.prepare("SELECT count(*) AS n FROM notes");
    assert.equal(Number((await count.first<{ n: number }>())!.n), 1);
    assert.equal(await insert.bind(4, null).first<{ id: number }>().then((row) => row!.id), 4);
    const update = database.prepare("UPDATE notes SET text = NULL WHERE id > ?1").bind(0);
    assert.equal((await update.run()).meta.changes, 2);
    assert.equal(
      await database.prepare("SELECT id FROM notes WHERE id = ?1").bind(9).first(),
      null,
    );
  },
  "batches at once do not come into each other": async (database) => {
    await database.prepare(TABLE).run();
    const insert = database.prepare("INSERT INTO notes (id, text) VALUES (?1, ?2)");
    const begun = Array.from({ length: 40 }, (_, index) => {
      const base = index * 10;
      // Every second one breaks at its end.
      const last = insert.bind(base + 2, index % 2 ? `once ${index}` : `twice ${index}`);
      const text = index % 2 ? `a ${index}` : `twice ${index}`;
      return database.batch([insert.bind(base, text), insert.bind(base + 1, null), last]);
    });
    const reads = Array.from(
      { length: 20 },
      () => database.prepare("SELECT count(*) AS n FROM notes").first(),
    );
    const settled = await Promise.allSettled(begun);
    await Promise.all(reads);
    settled.forEach(({ status }, index) =>
      assert.equal(status, index % 2 ? "fulfilled" : "rejected")
    );
    const { results } = await database.prepare("SELECT id FROM notes ORDER BY id").all<
      { id: number }
    >();
    const wanted = Array.from(
      { length: 20 },
      (_, index) => [0, 1, 2].map((one) => index * 20 + 10 + one),
    );
    assert.deepEqual(results.map(({ id }) => Number(id)), wanted.flat());
  },
};

/** A database under test: empty tables of the library, or for the suite "migration" those of version 1. */
export interface Subject {
  database: SqlDatabase;
  /** A second connection to it, for drivers that have one connection each. Default: none. */
  rival?: SqlDatabase;
  /** Steps of its tables. */
  steps: readonly SchemaStep[];
}

/** Names of the suites: the columns of the table in docs/databases.md. */
export const SUITE_NAMES = ["conformance", "races", "limits", "faults", "migration"] as const;

/** Name of a suite. */
export type SuiteName = typeof SUITE_NAMES[number];

/** Column of the table in docs/databases.md in which a suite of the storages stands. */
const COLUMNS: Readonly<Record<StorageSuite, SuiteName>> = {
  operations: "conformance",
  clocks: "conformance",
  keys: "conformance",
  races: "races",
  limits: "limits",
  interruptions: "faults",
};

/** A case as work on a database. */
type Run = (subject: Subject) => Promise<void>;

/** Two storages of one database as one, whose operations go to the one and the other in turn. */
function inTurn(one: CompleteStorage, other: CompleteStorage): CompleteStorage {
  let turn = false;
  return new Proxy(one, {
    get(target, name, proxy) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name === "group") return value.bind(proxy);
      return (...given: unknown[]) => {
        turn = !turn;
        // A statement that is prepared belongs to its connection.
        const isPrepared = String(name).startsWith("prepare") ||
          given.some((value) => value instanceof Object && "passkey" in value);
        const storage = turn || isPrepared ? one : other;
        return (Reflect.get(storage, name) as typeof value).apply(storage, given);
      };
    },
  });
}

function entries<Case>(
  cases: Record<string, Case>,
  run: (check: Case, subject: Subject) => Promise<void>,
): Record<string, Run> {
  return Object.fromEntries(
    Object.entries(cases).map(([name, check]) => [name, (subject) => run(check, subject)]),
  );
}

/** Cases of the storages as work on a database, each still of its suite. */
function stored<Case extends InSuite<object>>(
  cases: Record<string, Case>,
  run: (check: Case, subject: Subject) => Promise<void>,
  prefix = "",
): Record<string, InSuite<Run>> {
  return Object.fromEntries(
    Object.entries(cases).map(([name, check]): [string, InSuite<Run>] => [
      prefix + name,
      Object.assign((subject: Subject) => run(check, subject), { suite: check.suite }),
    ]),
  );
}

const STORED: Record<string, InSuite<Run>> = allCases(
  stored(STORAGE_CASES, (check, { database, rival = database }) => {
    const [one, other] = [database, rival].map((each) => completeStorage(createSqlStorage(each)));
    return check(check.suite === "races" ? inTurn(one!, other!) : one!);
  }),
  stored(REVOCATION_CASES, (check, { database }) => check(createSqlRevocationStore(database))),
  stored(
    EXACT_CASES,
    (check, { database }) =>
      check(groupOf(createSqlStorage(database), rateLimitGroup), { runs: 10 }),
    "a limit ",
  ),
  // Each statement or batch of an operation is lost in turn, before the database was asked and before its answer came.
  stored(INTERRUPTION_CASES, async (one, { database }) => {
    const trips = createTrips();
    const storage = completeStorage(createSqlStorage(overTrips(database, trips.trip)));
    await interrupt(one, { storage, trips });
  }),
);

function inColumn(column: SuiteName): Record<string, Run> {
  return Object.fromEntries(
    Object.entries(STORED).filter(([, { suite }]) => COLUMNS[suite] === column),
  );
}

/**
 * Cases of the suites that show what a driver itself does: values there and back, counts of rows, texts of every kind,
 * batches, calls at once and a call that is lost. The statements, which are the same for all, one database of each kind has
 * in full.
 */
const OF_THE_DRIVER = [
  ...Object.keys(HANDLE_CASES),
  "getUser() gives back what createUser() stored",
  "getUser() gives null for what was left out",
  "createUser() throws when the id or the mailbox is taken",
  "createUser() keeps every character of every text, and tells ids apart by each",
  "readSession() gives the session with its owner",
  "renewSession() moves the end once for one state",
  "sweep() removes ended sessions, at most as many as it may",
  "redeemSecret() proves the user's own mailbox in the step that takes the secret",
  "getPasskey() gives back what insertPasskey() stored",
  "listEntries() gives back what insertEntry() stored, by user, actor and type, in both orders",
  "pageUsers() finds by the beginning of an address, and takes no sign of it for a pattern",
  "putFactor() stores a factor and its recovery codes, in place of the one that was read",
  "secrets end by the caller's clock to the millisecond, in whatever year",
  "takeSecret() gives a secret to one of 100 at once",
  "of two who take the role of the other at once one keeps it",
  "countAttempt() counts each of several at once, up to the limit",
  "createUser()",
  "tenants: create() stores a tenant that is found by its id and its slug",
];

const BY_COLUMN: Record<SuiteName, Record<string, Run>> = {
  conformance: allCases(
    entries(
      { ...HANDLE_CASES, ...SQL_TENANT_CASES, ...OUTBOX_PROOF_CASES },
      (check, { database }) => check(database),
    ),
    inColumn("conformance"),
  ),
  races: inColumn("races"),
  limits: inColumn("limits"),
  faults: inColumn("faults"),
  migration: entries(UPGRADE_CASES, (check, subject) => check(subject)),
};

function casesOfTheDriver(): Record<string, Run> {
  const all = allCases(...Object.values(BY_COLUMN));
  return Object.fromEntries(OF_THE_DRIVER.map((name): [string, Run] => {
    const run = all[name];
    if (run === undefined) throw new Error(`There is no case "${name}"`);
    return [name, run];
  }));
}

/** Suite that a database is asked: a column of the table, or what is asked of every driver on each push. */
export type AskedSuite = SuiteName | "driver";

/** Everything that is asked of a database in the shape of D1. */
export const SUITES: Record<AskedSuite, Record<string, Run>> = {
  ...BY_COLUMN,
  driver: casesOfTheDriver(),
};
