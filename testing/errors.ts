import { beginAtCaller } from "./callers.ts";

/**
 * Error of a test helper: a mistake in the test or the project, not a failed expectation. Its stack begins at the line that
 * has called the helper.
 *
 * @example
 * ```ts
 * import { createTestContext, TestingError } from "@framework/testing";
 * import { rejects } from "node:assert/strict";
 *
 * await rejects(
 *   createTestContext({ cwd: "/no/such/project" }),
 *   (error) => error instanceof TestingError && error.code === "PROJECT",
 * );
 * ```
 */
export class TestingError extends Error {
  /** Stable name of the reason. */
  readonly code: string;

  /**
   * Creates the error in a helper of your own.
   *
   * @param code Stable name of the reason, in upper case.
   * @param message What failed, what was found and what to do.
   * @param options `cause`: the error behind this one.
   */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "TestingError";
    this.code = code;
    beginAtCaller(this);
  }
}

const GLOBAL = "global";

/**
 * Thrown at the first use of a binding, or of a part of it, that the in-process engine does not
 * emulate. The message says how to pass a double, and how to run the test in workerd where that has the
 * binding.
 *
 * @example
 * ```ts
 * import { NotEmulatedError } from "@framework/testing";
 * import { equal, match } from "node:assert/strict";
 *
 * const error = new NotEmulatedError("AI", "ai");
 * equal(error.code, "NOT_EMULATED");
 * match(error.message, /createTestContext\(\{ env: \{ AI: fake \} \}\)/);
 * ```
 */
export class NotEmulatedError extends TestingError {
  /** Name of the binding in `env`. */
  readonly binding: string;
  /**
   * Key of the platform file under which the binding is declared; `"global"` for a global of the
   * platform.
   */
  readonly kind: string;

  /**
   * Creates the error in a double of your own.
   *
   * @param binding Name of the binding.
   * @param kind Key of the platform file under which the binding is declared, or `"global"`.
   * @param part Part of the binding that is not emulated. Default: all of it.
   */
  constructor(binding: string, kind: string, part?: string) {
    super("NOT_EMULATED", explain(binding, kind, part));
    this.name = "NotEmulatedError";
    this.binding = binding;
    this.kind = kind;
  }
}

/** Kinds of bindings that a context with `runtime: "workerd"` has. */
const IN_WORKERD = new Set([
  "assets",
  "d1_databases",
  "durable_objects",
  "kv_namespaces",
  "queues",
  "r2_buckets",
]);

/** Doubles that fit a kind of binding. */
const DOUBLES: Readonly<Record<string, string>> = {
  services: "Entrypoint",
  hyperdrive: "{ connectionString }",
};

function explain(binding: string, kind: string, part: string | undefined): string {
  const inWorkerd = 'createTestContext({ runtime: "workerd" })';
  if (kind === GLOBAL) {
    return `${binding} is a global of the platform, and @framework/testing does not emulate it in process. ` +
      `Run the test in workerd: ${inWorkerd}.`;
  }
  const double = `createTestContext({ env: { ${binding}: ${DOUBLES[kind] ?? "fake"} } })`;
  const found = part === undefined
    ? `env.${binding} is declared under "${kind}" in the platform file, and @framework/testing does not emulate ` +
      "it in process."
    : `env.${binding} was used for ${part}, which @framework/testing does not emulate in process.`;
  if (IN_WORKERD.has(kind)) {
    return `${found} Run the test in workerd, ${inWorkerd}, or pass a double: ${double}.`;
  }
  const advice = kind === "services"
    ? `Pass the other worker's entrypoint, a class that extends WorkerEntrypoint or an object with fetch(request): ${double}.`
    : kind === "hyperdrive"
    ? 'Add the address of a database for tests as "localConnectionString" to the platform file, set ' +
      `CLOUDFLARE_HYPERDRIVE_LOCAL_CONNECTION_STRING_${binding}, or pass it: ${double}.`
    : `Pass a double with the methods that the application calls: ${double}.`;
  return `${found} ${advice}`;
}
