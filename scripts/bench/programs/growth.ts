import { type Auth, defineRBAC, issueSession } from "@framework/auth";
import { createMemoryRateLimitStorage } from "@framework/auth/rate-limit";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { libraryCheck, signedIn } from "../applications.ts";
import { sqliteByHand } from "../by_hand.ts";
import { batched, type Contenders, type Job } from "../contender.ts";

/** Numbers of sessions, roles and keys. */
export const SIZES: readonly number[] = [100, 10_000, 1_000_000];

// Of all that there are, so many are visited in turn.
const VISITED = 1000;

/** A database with so many sessions of the library; those beyond the visited ones are copies under other hashes. */
export async function manySessions(
  count: number,
): Promise<{ database: DatabaseSync; auth: Auth<unknown>; requests: Request[] }> {
  const database = new DatabaseSync(":memory:");
  database.exec(authSchema.up);
  const { auth, request } = await signedIn({ database: sqlite(database) });
  const requests = [request];
  while (requests.length < Math.min(count, VISITED)) {
    const { cookies } = await issueSession(auth, "ada", {});
    const headers = { cookie: `theme=dark; ${cookies[0]!.split(";")[0]!}; lang=en` };
    requests.push(new Request(request.url, { headers }));
  }
  database.exec(`WITH RECURSIVE more (number) AS (
      SELECT 1 UNION ALL SELECT number + 1 FROM more LIMIT ${Math.max(count - VISITED, 0)}
    )
    INSERT INTO sessions (id, token_hash, user_id, created_at, authenticated_at, refreshed_at, expires_at)
    SELECT hex(randomblob(16)), hex(randomblob(22)), user_id, created_at, authenticated_at,
      refreshed_at, expires_at
    FROM more, (SELECT * FROM sessions LIMIT 1)`);
  return { database, auth, requests };
}

function inTurn(jobs: readonly Job[]): Job {
  let turn = 0;
  return () => jobs[turn++ % jobs.length]!();
}

async function sessionsByHand(count: number): Promise<Job> {
  const { database, requests } = await manySessions(count);
  return inTurn(requests.map((request) => sqliteByHand(database, request)[0]!.run));
}

async function sessions(count: number): Promise<Job> {
  const { auth, requests } = await manySessions(count);
  return inTurn(requests.map((request) => libraryCheck(auth, request).run));
}

/** Of `count` things, the numbers of those that are visited. */
function visitedOf(count: number): number[] {
  const visited = Math.min(count, VISITED);
  return Array.from({ length: visited }, (_, index) => Math.floor(index * count / visited));
}

function permissionsOf(number: number): string[] {
  return [`thing${number}:read`, `thing${number}:write`];
}

function questions(count: number): { user: { id: string; role: string }; permission: string }[] {
  return visitedOf(count).map((number) => ({
    user: { id: "ada", role: `role${number}` },
    permission: `thing${number}:write`,
  }));
}

function rolesByHand(count: number): Job {
  const held = new Map(
    Array.from({ length: count }, (_, index) => [`role${index}`, new Set(permissionsOf(index))]),
  );
  const asked = questions(count);
  return batched(10_000, (turn) => {
    const { user, permission } = asked[turn % asked.length]!;
    return held.get(user.role)!.has(permission);
  });
}

function roles(count: number): Job {
  const { definition } = defineRBAC({
    roles: Array.from({ length: count }, (_, index) => ({
      id: `role${index}`,
      name: `Role ${index}`,
      permissions: permissionsOf(index),
    })),
  });
  if (typeof definition === "function") throw new Error("defineRBAC() did not compile the roles");
  const asked = questions(count);
  return batched(10_000, (turn) => {
    const { user, permission } = asked[turn % asked.length]!;
    return definition.permits(user, permission);
  });
}

function keyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key${index}`);
}

function keysByHand(count: number): Job {
  const counts = new Map(keyNames(count).map((name) => [name, { left: 10 }]));
  const visited = visitedOf(count).map((number) => `key${number}`);
  let turn = 0;
  // deno-lint-ignore require-await -- as the limiter is asked
  return async () => {
    const found = counts.get(visited[turn++ % visited.length]!)!;
    if (found.left > 0) found.left--;
    return { allowed: found.left > 0, at: Date.now() };
  };
}

async function keys(count: number): Promise<Job> {
  const storage = createMemoryRateLimitStorage({ maxKeys: count });
  const take = (key: string) => {
    return storage.takeRateLimit(key, { limit: 10, window: 86_400_000, now: Date.now() });
  };
  for (const name of keyNames(count)) await take(name);
  const visited = visitedOf(count).map((number) => `key${number}`);
  let turn = 0;
  return () => take(visited[turn++ % visited.length]!);
}

const KINDS: Record<string, (count: number) => Job | Promise<Job>> = {
  "sessions: by hand": sessionsByHand,
  "sessions: the library": sessions,
  "roles: by hand": rolesByHand,
  "roles: the library": roles,
  "keys: by hand": keysByHand,
  "keys: the library": keys,
};

/** Cost of one question, by the number of sessions, roles and keys. */
export const contenders: Contenders = Object.fromEntries(
  SIZES.flatMap((count) =>
    Object.entries(KINDS).map(([kind, make]) => [`${count} ${kind}`, () => make(count)] as const)
  ),
);
