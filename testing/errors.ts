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

type AnyFunction = (...given: never[]) => unknown;

// Weak: the methods of a context hold its database.
const called: WeakRef<AnyFunction>[] = [];
const FRAME = /^\s+at /;
const PACKAGES = "/node_modules/@framework/";
// By this very file: not every runner says an address of modules.
const FOLDER = /(\/[^\s()]*\/)[^/]+:\d+:\d+\)?$/.exec(framesOf(new Error())[0] ?? "")?.[1];
const OWN = FOLDER?.includes(PACKAGES) ? PACKAGES : FOLDER?.replace(/^\/\/(?=\/)/, "");

/** Names functions that tests call, and the methods of objects that they are given. */
export function beginAtCallers(...named: (AnyFunction | object)[]): void {
  // Missing in workerd for compatibility dates before May 2025: there stacks stay whole.
  if (typeof WeakRef === "undefined") return;
  for (const one of named) {
    const functions = typeof one === "function"
      ? [one]
      : Object.values(Object.getOwnPropertyDescriptors(one)).map(({ get, value }) => get ?? value);
    for (const each of functions) if (typeof each === "function") called.push(new WeakRef(each));
  }
}

function framesOf({ stack = "" }: { stack?: string }): string[] {
  return stack.split("\n").filter((line) => FRAME.test(line));
}

function isOwn(frame: string): boolean {
  // The library and its tests are in one folder in its repository, and nowhere else.
  return OWN !== undefined && frame.includes(OWN) && !/_test\.tsx?:/.test(frame);
}

/**
 * Leaves out of the stack of an error what the library itself has called, down to the test. Runners read the frames of
 * Deno's errors from the engine: another text in `stack` would not reach them.
 */
function beginAtCaller(error: Error): void {
  const { captureStackTrace, stackTraceLimit } = Error;
  if (captureStackTrace === undefined) return;
  // The test stands behind whatever the library does.
  Error.stackTraceLimit = 100;
  try {
    const whole: { stack?: string } = {};
    captureStackTrace(whole);
    const text = whole.stack ?? "";
    let best: { from: AnyFunction; length: number } | undefined;
    for (const from of called.map((one) => one.deref())) {
      if (from === undefined || !text.includes(from.name)) continue;
      const rest: { stack?: string } = {};
      captureStackTrace(rest, from);
      const frames = framesOf(rest);
      const isNearer = frames.length > (best?.length ?? 0);
      if (isNearer && !isOwn(frames[0]!)) best = { from, length: frames.length };
    }
    if (best !== undefined) captureStackTrace(error, best.from);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
