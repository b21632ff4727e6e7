import { AsyncLocalStorage } from "node:async_hooks";
import process from "node:process";

/** Test that has failed. */
export interface FailedTest {
  /** Name with those of its blocks. */
  name: string;
  /** Message of the first error. */
  failure: string;
}

type Listener = (test: FailedTest) => void | Promise<void>;

// Of this package's own `describe` and `it` for `deno test`; vitest has its own.
const running = new AsyncLocalStorage<Listener[]>();

/** Runs the body of a test, and tells who asked for it when it fails. */
export async function runTest(name: string, body: () => Promise<void>): Promise<void> {
  const listeners: Listener[] = [];
  try {
    await running.run(listeners, body);
  } catch (error) {
    for (const listener of listeners) await listener({ name, failure: String(error) });
    throw error;
  }
}

/** Part of a task of vitest that is used here. */
interface Task {
  name: string;
  suite?: Task;
  result?: { errors?: { message?: string }[] };
}

/**
 * Has a function called when the running test fails.
 *
 * @returns False outside of a test, and in one of a runner that does not tell, such as `Deno.test()` itself.
 */
export async function whenTestFails(listener: Listener): Promise<boolean> {
  const listeners = running.getStore();
  if (listeners !== undefined) {
    listeners.push(listener);
    return true;
  }
  // Set by vitest, which a project need not have.
  if (process.env["VITEST"] === undefined) return false;
  const { onTestFailed } = await import("vitest");
  try {
    onTestFailed(({ task }) => {
      const failed = task as unknown as Task;
      const failure = failed.result?.errors?.[0]?.message ?? "The test failed.";
      return listener({ name: nameOf(failed), failure });
    });
    return true;
  } catch {
    // Outside of a test, such as in beforeAll().
    return false;
  }
}

function nameOf({ name, suite }: Task): string {
  const outer = suite === undefined ? "" : nameOf(suite);
  return outer === "" ? name : `${outer} > ${name}`;
}
