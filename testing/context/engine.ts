import type { Auth } from "@framework/auth";
import type { FaultOptions, Faults } from "../faults/faults.ts";
import type { TestApplication } from "./application.ts";
import type { StoredState } from "../platform/stored.ts";
import type { EmailDelivery, IncomingEmail } from "./email_delivery.ts";
import type { EntrypointStub } from "./entrypoints.ts";
import type { QueueDelivery, QueuedMessage } from "./queue_delivery.ts";
import type { ScheduledEvent, ScheduledResult } from "./scheduled.ts";
import type { Scope } from "./scope.ts";

/**
 * Parts of a scope that the context provides; the engine adds the bindings, and each request
 * collects its own failures.
 */
export type ScopeParts = Omit<Scope, "env" | "failures" | "caches">;

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
   * Sends a request to the application.
   *
   * @throws Unexpected errors of the application.
   */
  fetch(request: Request): Promise<Response>;
  /** Delivers messages of a queue. */
  queue(queue: string, messages?: Iterable<QueuedMessage>): Promise<QueueDelivery>;
  /** Runs the job of a schedule. */
  scheduled(event: ScheduledEvent): Promise<ScheduledResult>;
  /** Delivers an email. */
  email(email: IncomingEmail): Promise<EmailDelivery>;
  /** Returns a stub of a named entrypoint. */
  entrypoint(name: string, props?: unknown): EntrypointStub;
  /**
   * Runs work that became due when the clock moved.
   *
   * @returns A promise-like that rejects with errors of that work; when it is not awaited, `settle`
   * throws them.
   */
  wake(): PromiseLike<void>;
  /** Waits for work that outlives its response, and throws its errors. */
  settle(): Promise<void>;
  /**
   * Gives a function what handlers and listeners of sockets throw: at once one error that nobody has heard yet, otherwise
   * those that follow. `settle()` does not throw what was heard. Missing where the worker runs elsewhere.
   *
   * @returns A function that ends it.
   */
  onSocketFailure?: ((hear: (error: unknown) => void) => () => void) | undefined;
  /**
   * Creates an engine of the same application over a copy of everything that its bindings store.
   * Missing where the bindings are the platform's own.
   */
  fork?(scope: ScopeParts): Engine;
  /** Reads what the bindings store, by name. Missing where `fork` is. */
  read?(): StoredState;
  /** Begins faults. Missing where the bindings are the platform's own. */
  faults?(options: FaultOptions): Faults;
  /** Closes the engine. */
  close(): void | Promise<void>;
}
