import { type Auth, createAuth, issueSession, readSession } from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { groupOf, sessionListGroup, type SqlDatabase } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { readFileSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type Contenders, type Job, onFreshRequests } from "../contender.ts";
import {
  endedStatement,
  POSTGRES_ROWS,
  type RowMaker,
  SQLITE_ROWS,
  type Visitor,
} from "../many_sessions.ts";

/** A database with rows, on one of the two. */
export interface FilledDatabase {
  /** The path of the file of SQLite. */
  sqlite: string;
  /** The address of the database of PostgreSQL. */
  postgres: string;
  users: number;
  visitors: { sqlite: Visitor[]; postgres: Visitor[] };
}

/** The databases that are compared, as the file named by `BENCH_DATABASES` has them. */
export interface FilledDatabases {
  few: FilledDatabase;
  many: FilledDatabase;
}

/** Kinds of database. */
export const KINDS = ["SQLite", "PostgreSQL"] as const;
/** Amounts of rows in them. */
export const AMOUNTS = ["few", "many"] as const;
/** Number of ended sessions that one sweep removes. */
export const SWEPT = 500;

/** An open database, and who is signed in there. */
interface Opened {
  auth: Auth<unknown>;
  database: SqlDatabase;
  visitors: readonly Visitor[];
  users: number;
  rows: RowMaker;
}

const ORIGIN = "https://app.example";

/** Sweeps whose rows are made by one statement. */
const PART = 10;

/** The application of all of them. */
export function scaleAuth(database: SqlDatabase): Auth<unknown> {
  return createAuth<unknown>({ baseUrl: ORIGIN, database, providers: [] });
}

function open(kind: (typeof KINDS)[number], amount: (typeof AMOUNTS)[number]): Opened {
  const file = readFileSync(process.env.BENCH_DATABASES!, "utf8");
  const { users, visitors, ...places } = (JSON.parse(file) as FilledDatabases)[amount];
  const database = kind === "SQLite"
    ? sqlite(new DatabaseSync(places.sqlite))
    : postgres(new pg.Pool({ connectionString: places.postgres, max: 4 }));
  return {
    auth: scaleAuth(database),
    database,
    users,
    ...kind === "SQLite"
      ? { visitors: visitors.sqlite, rows: SQLITE_ROWS }
      : { visitors: visitors.postgres, rows: POSTGRES_ROWS },
  };
}

/** Goes through all of them, again and again, in an order that skips from one place to another. */
function inTurn(visitors: readonly Visitor[]): () => Visitor {
  let turn = 0;
  // A prime number, which no list is a multiple of.
  return () => visitors[(turn++ * 7919) % visitors.length]!;
}

function check({ auth, visitors }: Opened): Job {
  const next = inTurn(visitors);
  const expected = new Map(visitors.map(({ userId, cookie }) => [cookie, userId]));
  const make = () => new Request(ORIGIN, { headers: { cookie: next().cookie } });
  return onFreshRequests(make, async (request) => {
    const session = await readSession(auth, request, {});
    if (session?.user.id !== expected.get(request.headers.get("cookie")!)) {
      throw new Error("Somebody else");
    }
  });
}

function signIn({ auth, database, visitors }: Opened): Job {
  // Few enough that what they leave behind is soon removed.
  const next = inTurn(visitors.slice(0, 100));
  const begun = Date.now();
  const forget = database.prepare("DELETE FROM sessions WHERE user_id = ?1 AND created_at >= ?2");
  return Object.assign(() => issueSession(auth, next().userId, {}), {
    async prepare(): Promise<void> {
      for (const { userId } of visitors.slice(0, 100)) await forget.bind(userId, begun).run();
    },
  });
}

function list({ auth, visitors }: Opened): Job {
  const sessions = groupOf(auth.storage({}), sessionListGroup);
  const next = inTurn(visitors);
  return async () => {
    const { userId } = next();
    const found = await sessions.listSessions(userId, { now: Date.now(), limit: 100 });
    if (found.length === 0) throw new Error(`${userId} has no session`);
  };
}

function sweep({ auth, database, users, rows }: Opened): Job {
  const storage = auth.storage({});
  let isReady = false;
  return Object.assign(async () => {
    const removed = await storage.sweep(Date.now(), SWEPT);
    if (isReady && removed < SWEPT) throw new Error(`A sweep removed ${removed}`);
  }, {
    async prepare(count: number): Promise<void> {
      // In parts, each of which is done before a statement is given up: among millions of rows that is soon.
      const part = database.prepare(endedStatement(PART * SWEPT, { users }, rows));
      for (let made = 0; made < count; made += PART) await part.run();
      isReady = true;
    },
  });
}

/** Operations that are measured. */
export const OPERATIONS: Readonly<Record<string, (opened: Opened) => Job>> = {
  "check of a session": check,
  "sign-in: a new session": signIn,
  "list of a user's sessions": list,
  [`sweep of ${SWEPT} ended sessions`]: sweep,
};

/** The name of a contender. */
export function scaleName(kind: string, amount: string, operation: string): string {
  return `${kind}, ${amount}: ${operation}`;
}

/** Each operation in a database with few rows and in one with many. */
export const contenders: Contenders = Object.fromEntries(
  KINDS.flatMap((kind) =>
    AMOUNTS.flatMap((amount) =>
      Object.entries(OPERATIONS).map(([operation, make]) =>
        [scaleName(kind, amount, operation), () => make(open(kind, amount))] as const
      )
    )
  ),
);
