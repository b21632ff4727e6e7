import type { Auth } from "@framework/auth";
import type { TestApplication } from "./application.ts";
import type { Scope } from "./scope.ts";

/** Parts of a scope; the engine has the bindings, and failures begin anew with each request. */
export type ScopeParts = Omit<Scope, "env" | "failures">;

/** Engine that runs the application of one context. */
export interface Engine {
  /** The bindings and variables, as the test sees them. */
  readonly env: Record<string, unknown>;
  /** The application's authentication over these bindings; null without `app/auth`. */
  readonly auth: Auth<unknown> | null;
  /** Application of the project's folder; undefined where there is none. */
  readonly application?: TestApplication;
  /** Name of the database in `env`. */
  readonly database: string;
  /** Does work of this process on behalf of the context. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Lets the application answer.
   *
   * @throws What the application did not expect.
   */
  fetch(request: Request): Promise<Response>;
  /**
   * Does what is due after the clock went on.
   *
   * @returns What may be awaited: it throws what failed, which otherwise `settle` does.
   */
  wake(): PromiseLike<void>;
  /** Waits for work that responses did not wait for; throws what failed. */
  settle(): Promise<void>;
  /** Ends it. */
  close(): void | Promise<void>;
}
