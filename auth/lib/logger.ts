/**
 * The log, whose failures never fail a request.
 *
 * @module
 */

/**
 * Fields of a log line. Values are plain data; none of them is a secret. `error` is a
 * {@linkcode LoggedError}.
 */
export type LogFields = Record<string, unknown>;

/**
 * Logger for events of the library, such as `console`, which gets one line of JSON each. A line is an event name and its
 * fields, never a sentence built from user input, so log lines cannot be forged.
 */
export interface Logger {
  /** Something ordinary: a sign-in, a sign-out. */
  info(event: string, fields: LogFields): void;
  /** Something to look at: a failed sign-in, a refused request. */
  warn(event: string, fields: LogFields): void;
  /** Something is broken: the storage did not answer. */
  error(event: string, fields: LogFields): void;
}

/** An error in a log line, as `JSON.stringify()` writes it: what an `Error` holds itself, it leaves out. */
export interface LoggedError {
  /** Its class. */
  name: string;
  /** Of an error of this library, or of a driver: which condition it is. */
  code?: string;
  /** Error message, without tokens and the queries of URLs. */
  message: string;
  /** Stack trace. */
  stack?: string;
  /** Cause of the error. */
  cause?: LoggedError;
  /** First of the errors of an AggregateError, such as one per address of a host. */
  errors?: LoggedError[];
}

// What a driver or a provider says may hold what it was given: the query of an address, a name and password
// in one, tokens that are signed, and 32 bytes in base64url, as all secrets of this library are.
const SECRETS =
  /([?#])[\w.~%-]+=[^\s"'<>)]*|(:\/\/)[^\s/@]+@|(?<![\w-])(?:eyJ[\w.-]+|[\w-]{43})(?![\w-])/g;
const MAX_LENGTH = 4000;
const MAX_DEPTH = 4;

function redact(text: unknown): string {
  return String(text).slice(0, MAX_LENGTH).replace(SECRETS, "$1$2[redacted]");
}

function describeError(error: unknown, depth = MAX_DEPTH): LoggedError {
  if (!(error instanceof Error)) {
    // Of an object nothing, since nobody knows what is in it.
    return { name: typeof error, message: typeof error === "object" ? "" : redact(error) };
  }
  const { name, message, stack, cause, code, errors } = error as AggregateError & {
    code?: unknown;
  };
  const told: LoggedError = { name, message: redact(message) };
  if (typeof code === "string") told.code = code;
  if (stack !== undefined) told.stack = redact(stack);
  if (depth > 0 && cause !== undefined) told.cause = describeError(cause, depth - 1);
  if (depth > 0 && Array.isArray(errors)) {
    told.errors = errors.slice(0, MAX_DEPTH).map((one) => describeError(one, depth - 1));
  }
  return told;
}

const ADVICE =
  "give { clientAddress } to auth.handle() and auth.run(), or set trustedProxies, or strangers use up what your users have";
// By limit, since who floods a server should not make it write.
const told = new Set<unknown>();

/** Writes a line of JSON to the console, in which a program that collects logs finds level and event. */
export function writeLine(level: keyof Logger, event: string, fields: LogFields): void {
  // deno-lint-ignore no-console -- on every platform it is where the operator looks first
  console[level](JSON.stringify({ level, event, ...fields }));
}

/** Tells what is to be seen without a logger of the application: what is broken, or set up wrongly. */
function isLastResort(level: keyof Logger, event: string, fields: LogFields): boolean {
  if (event === "client-address-unknown" && !told.has(fields.limiter)) {
    told.add(fields.limiter);
    fields.advice = ADVICE;
  }
  return level === "error" || event === "email-kept-unproved" || !!fields.advice;
}

/**
 * Wraps a logger so that its exceptions are dropped. It receives errors as plain data. The console gets lines of JSON,
 * since some runtimes write an object over several lines.
 *
 * @param logger What gets the lines. Default: what is broken or set up wrongly goes to the console.
 * @example
 * ```ts
 * import { createSafeLogger } from "@framework/auth/convention";
 * import { deepEqual } from "node:assert/strict";
 *
 * const events: string[] = [];
 * const logger = createSafeLogger({
 *   info() {},
 *   warn() {},
 *   error(event) {
 *     events.push(event);
 *     throw new Error("The log is full");
 *   },
 * });
 * logger.error("email-not-sent", { error: new Error("Nobody answers") });
 * deepEqual(events, ["email-not-sent"]);
 * ```
 */
export function createSafeLogger(logger?: Logger): Logger {
  function report(level: keyof Logger): Logger["info"] {
    return function log(event, fields) {
      try {
        const { error, message } = fields;
        fields = {
          ...fields,
          ...("error" in fields && { error: describeError(error) }),
          ...(typeof message === "string" && { message: redact(message) }),
        };
        if (logger && logger !== console) logger[level](event, fields);
        else if (logger || isLastResort(level, event, fields)) writeLine(level, event, fields);
      } catch {
        // A sign-in must not depend on a log that is full.
      }
    };
  }
  return { info: report("info"), warn: report("warn"), error: report("error") };
}

const logged = new WeakSet<object>();

/**
 * Logs an error that nobody answers and that goes on to the host, since some hosts drop it: once, through however
 * many hands it goes. What a host's own framework throws to answer with, such as its redirects, is none.
 */
export function logUnexpected(
  logger: Pick<Logger, "error">,
  error: unknown,
  fields: LogFields,
): void {
  if (typeof error === "object" && error !== null) {
    const { status, statusCode = status, digest } = error as Record<string, unknown>;
    const isAnswer = typeof statusCode === "number" && statusCode < 500;
    if (isAnswer || /^NEXT_/.test(String(digest)) || logged.has(error)) return;
    logged.add(error);
  }
  logger.error("request-failed", { ...fields, error });
}
