import { endSession, issueSession, readSession } from "@framework/auth";
import { postgres, type PostgresPool } from "@framework/auth/postgres";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import pg from "pg";
import { cookieValue } from "../by_hand.ts";
import type { Contenders, Job } from "../contender.ts";
import { freshCheck } from "../fresh_check.ts";
import type { Visitor } from "../many_sessions.ts";
import type { RequestContender } from "../rounds.ts";
import { scaleAuth } from "./scale.ts";

/** A database of PostgreSQL with sessions, as the file named by `BENCH_SESSIONS` has it. */
export interface FilledPostgres {
  address: string;
  visitors: Visitor[];
}

interface Query {
  text: string;
  values: unknown[];
}

const ORIGIN = "https://app.example";

function requestWith(cookie: string): Request {
  return new Request(ORIGIN, { headers: { cookie: `theme=dark; ${cookie}; lang=en` } });
}

/** A pool that keeps what is asked by it. */
function recorded(pool: pg.Pool, asked: Query[]): PostgresPool {
  return {
    async connect() {
      const connection = await pool.connect();
      return {
        query(text: string, values: unknown[] = []) {
          asked.push({ text, values });
          return connection.query(text, values);
        },
        release: (destroy?: boolean) => connection.release(destroy),
      };
    },
  };
}

/** The application, requests of those who are signed in, one whose session has ended, and the query of each check. */
async function open() {
  const file = readFileSync(process.env.BENCH_SESSIONS!, "utf8");
  const { address, visitors } = JSON.parse(file) as FilledPostgres;
  const pool = new pg.Pool({ connectionString: address });
  const auth = scaleAuth(postgres(pool));
  const requests = visitors.map(({ cookie }) => requestWith(cookie));
  const { cookies } = await issueSession(auth, visitors[0]!.userId, {});
  const ended = requestWith(cookies[0]!.split(";")[0]!);
  await auth.run(ended, {}, undefined, async () => {
    await endSession();
    return new Response();
  });
  const asked: Query[] = [];
  const watched = scaleAuth(postgres(recorded(pool, asked)));
  for (const request of requests) await readSession(watched, request, {});
  const queries = asked.filter(({ text }) => /\bFROM sessions\b/.test(text));
  if (queries.length !== requests.length) throw new Error("A check is more than one query");
  return { pool, auth, requests, ended, queries };
}

function expectName(row: { name?: unknown } | undefined): void {
  if (!String(row?.name).startsWith("User ")) throw new Error("Nobody is signed in");
}

/** The row of a query that has not ended; throws where there is none. */
async function ask(pool: pg.Pool, { text, values }: Query): Promise<void> {
  const { rows: [row] } = await pool.query(text, values);
  expectName(row);
  if (Number(row["expires_at"]) <= Date.now()) throw new Error("Nobody is signed in");
}

/** Checks of a session in PostgreSQL, by `pg`; whoever asks by hand sends the very query that the library sends. */
export const contenders: Contenders = {
  async "by hand: the query alone"(): Promise<Job> {
    const { pool, queries } = await open();
    let turn = 0;
    return () => ask(pool, queries[turn++ % queries.length]!);
  },
  async "by hand: cookie, SHA-256, query"() {
    const { pool, queries: [query], ...more } = await open();
    const byHand: RequestContender = {
      name: "by hand",
      request: more.requests[0]!,
      run(given = more.requests[0]!) {
        const token = cookieValue(given)!;
        const hash = createHash("sha256").update(token).digest("base64url");
        return ask(pool, { text: query!.text, values: [hash] });
      },
    };
    return await freshCheck(byHand, more);
  },
  async "the library"() {
    const { auth, ...more } = await open();
    return await freshCheck({
      name: "the library",
      request: more.requests[0]!,
      async run(given = more.requests[0]!) {
        expectName((await readSession(auth, given, {}))?.user);
      },
    }, more);
  },
};
