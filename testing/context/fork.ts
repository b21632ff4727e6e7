import type { OutgoingMail } from "@framework/auth/convention";
import { TestingError } from "../errors.ts";
import type { Engine } from "./engine.ts";
import type { TestContext } from "./types.ts";

/** Copy of a context's application with everything that is stored, which no other request reaches. */
export interface Fork {
  engine: Engine;
  /** Mails that were sent in it. */
  mails: OutgoingMail[];
  /** Calls that the application made in it; the handlers of the context answer them. */
  calls: { method: string; url: string }[];
  /** Copies it once more. */
  fork(): Fork;
}

const forks = new WeakMap<object, () => Fork | undefined>();

/** Remembers how a context is copied. */
export function rememberFork(context: object, fork: () => Fork | undefined): void {
  forks.set(context, fork);
}

/**
 * Copies the application of a context.
 *
 * @throws {TestingError} `RUNTIME` for a context whose bindings are the platform's own, or whose database is PostgreSQL.
 */
export function forkContext(context: TestContext<unknown>, caller: string): Fork {
  const fork = forks.get(context)?.();
  if (fork !== undefined) return fork;
  throw new TestingError(
    "RUNTIME",
    `${caller} asks each time on a copy of all data, which neither PostgreSQL nor the platform's own bindings ` +
      "have. Call it in a project with SQLite, outside of the worker pool, with a context of " +
      'createTestContext() without runtime: "workerd".',
  );
}
