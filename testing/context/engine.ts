import type { Auth } from "@framework/auth";
import type { Scope } from "./scope.ts";

/** What a scope is made from; failures begin anew with each request. */
export type ScopeParts = Omit<Scope, "failures">;

/** What runs the application of one context. */
export interface Engine {
  /** The bindings and variables, as the test sees them. */
  readonly env: Record<string, unknown>;
  /** The application's authentication over these bindings; null without `app/auth`. */
  readonly auth: Auth<unknown> | null;
  /** Whether `env` has the database under this name. */
  readonly database: string;
  /** Does work of this process on behalf of the context. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Lets the application answer.
   *
   * @throws What the application did not expect.
   */
  fetch(request: Request): Promise<Response>;
  /** Waits for work that responses did not wait for; throws what failed. */
  settle(): Promise<void>;
  /** Ends it. */
  close(): void | Promise<void>;
}
