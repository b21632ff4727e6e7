import type { Kysely } from "kysely";
import process from "node:process";
import { createEnvironment } from "../bindings/environment.ts";
import type { D1Database } from "../bindings/d1.ts";
import { TestingError } from "../errors.ts";
import { type TestApplication, testApplication } from "./application.ts";
import { type Background, createBackground } from "./background.ts";
import { createClock, type TestClock } from "./clock.ts";
import { type CookieJar, createCookieJar } from "./cookie_jar.ts";
import { ORIGIN, send } from "./fetch.ts";
import { openKysely } from "./kysely.ts";
import { runInScope, type Scope } from "./scope.ts";
import { signIn } from "./sign_in.ts";
import type { TestContext, TestContextOptions } from "./types.ts";

/** What a context shares with those that `withAuth` made of it. */
interface Shared<Env> {
  app: TestApplication;
  env: Env & object;
  // deno-lint-ignore no-explicit-any -- the schema is the application's.
  db: Kysely<any> | null;
  clock: TestClock;
  background: Background;
  state: { ended: boolean };
  close(): void;
}

/**
 * Makes a context in which the application of the current folder runs, in this process: with a
 * migrated database of its own, the bindings of the platform file, a cookie jar and a clock. The
 * first call of a process loads the application, each further one takes well under a millisecond.
 *
 * @param options See {@linkcode TestContextOptions}.
 * @throws When the project cannot be loaded, a migration fails or `seed` throws; {@linkcode TestingError}
 * `IN_WORKER` inside of a worker.
 * @example
 * ```ts
 * import { createTestContext } from "@framework/testing";
 * import assert from "node:assert/strict";
 * import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
 *
 * // The least that a project consists of.
 * const cwd = mkdtempSync("/tmp/project-");
 * writeFileSync(`${cwd}/wrangler.jsonc`, `{
 *   "name": "example",
 *   "compatibility_date": "2026-07-30",
 *   "compatibility_flags": ["nodejs_compat"]
 * }`);
 * mkdirSync(`${cwd}/app/hello`, { recursive: true });
 * writeFileSync(`${cwd}/app/hello/route.ts`, `export const GET = () => ({ hello: "world" });`);
 *
 * await using ctx = await createTestContext({ cwd });
 * const response = await ctx.fetch("/hello");
 * assert.deepEqual(await response.json(), { hello: "world" });
 * ```
 */
export async function createTestContext<Env = Record<string, unknown>>(
  options: TestContextOptions<Env> = {},
): Promise<TestContext<Env>> {
  refuseWorker();
  const app = await testApplication(options.cwd ?? process.cwd());
  const clock = createClock(Number(options.clock ?? Date.now()));
  const state = { ended: false };
  const { env, close } = createEnvironment({
    ...app,
    overrides: { ...options.env },
    now: clock.now,
    guard: () => refuseEnded(state),
  });
  const database = env[app.config.database];
  const shared: Shared<Env> = {
    app,
    env: env as Env & object,
    db: isDatabase(database) ? openKysely(database) : null,
    clock,
    background: createBackground(),
    state,
    close,
  };
  const context = contextOver(shared, { jar: createCookieJar(clock.now), owner: true });
  try {
    await options.seed?.(context.db);
  } catch (error) {
    await context.cleanup();
    throw error;
  }
  return context;
}

function contextOver<Env>(
  shared: Shared<Env>,
  own: { jar: CookieJar; owner: boolean },
): TestContext<Env> {
  const { app, env, clock, background } = shared;
  // One that `withAuth` made may end before the one that owns the database, which ends them all.
  const state = { ended: false };

  async function scoped<T>(work: () => Promise<T>): Promise<T> {
    refuseEnded(shared.state);
    refuseEnded(state);
    const scope: Scope = { now: clock.now, failures: [] };
    const result = await runInScope(scope, work);
    if (scope.failures.length > 0) throw scope.failures[0];
    return result;
  }

  async function cleanup(): Promise<void> {
    state.ended = true;
    if (!own.owner || shared.state.ended) return;
    try {
      await background.settle();
    } finally {
      shared.state.ended = true;
      shared.close();
    }
  }

  return {
    env,
    clock,
    get db() {
      if (shared.db !== null) return shared.db;
      throw new TestingError(
        "NO_DATABASE",
        `ctx.db needs the database binding "${app.config.database}". Add it to d1_databases in ` +
          "the platform file, or name another in framework.config.ts (database).",
      );
    },
    fetch: (path, init) =>
      scoped(() =>
        send({ worker: app.application.worker, env, jar: own.jar, background }, path, init)
      ),
    withAuth: (options) =>
      scoped(async () => {
        const jar = createCookieJar(clock.now);
        const now = clock.now();
        for (const line of await signIn(app.application.auth, env, { ...options, now })) {
          jar.set(line, new URL(ORIGIN));
        }
        return contextOver(shared, { jar, owner: false });
      }),
    cleanup,
    [Symbol.asyncDispose]: cleanup,
  };
}

/** A deployed worker that got this package into its bundle must not be able to sign anybody in by it. */
function refuseWorker(): void {
  if (globalThis.navigator?.userAgent !== "Cloudflare-Workers") return;
  throw new TestingError(
    "IN_WORKER",
    "createTestContext() was called inside of a worker, where there are no project files. Call it in " +
      "tests that run on Deno or Node, and import @framework/testing from test files only.",
  );
}

function isDatabase(binding: unknown): binding is D1Database {
  return typeof binding === "object" && binding !== null && "prepare" in binding;
}

function refuseEnded(state: { ended: boolean }): void {
  if (!state.ended) return;
  throw new TestingError(
    "CONTEXT_ENDED",
    "This test context has been cleaned up. Await everything that uses it before cleanup(), and " +
      "make a new one with createTestContext() for the next test.",
  );
}
