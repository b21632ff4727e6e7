import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { createSecret } from "./secret.ts";
import { createSafeLogger, type Logger, logUnexpected } from "./logger.ts";

/** Logged fields of an error, as JSON holds them. */
function loggedOf(error: unknown): Record<string, unknown> {
  let line: unknown;
  const logger: Logger = { info() {}, warn() {}, error: (_, { error }) => line = error };
  createSafeLogger(logger).error("failed", { error });
  return JSON.parse(JSON.stringify(line));
}

/** Collects what is written to the console while a function runs. */
function written(work: () => void): unknown[][] {
  const { info, warn, error } = globalThis.console;
  const lines: unknown[][] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  Object.assign(globalThis.console, { info: write, warn: write, error: write });
  try {
    work();
  } finally {
    Object.assign(globalThis.console, { info, warn, error });
  }
  return lines;
}

Deno.test("createSafeLogger() passes lines on with their level", () => {
  const lines: unknown[] = [];
  const logger = createSafeLogger({
    info: (event, fields) => lines.push(["info", event, fields]),
    warn: (event, fields) => lines.push(["warn", event, fields]),
    error: (event, fields) => lines.push(["error", event, fields]),
  });
  logger.info("a", { n: 1 });
  logger.warn("b", {});
  logger.error("c", {});
  assert.deepEqual(lines, [["info", "a", { n: 1 }], ["warn", "b", {}], ["error", "c", {}]]);
});

Deno.test("createSafeLogger() fails nothing when the logger throws or is not there", () => {
  function fail(): never {
    throw new Error("the disk is full");
  }
  const broken = createSafeLogger({ info: fail, warn: fail, error: fail });
  assert.doesNotThrow(() => broken.error("a", {}));
  written(() => assert.doesNotThrow(() => createSafeLogger(undefined).error("a", {})));
});

// Tracks: OP-13
Deno.test("an error in a line is JSON with name, code, message and what led to it", () => {
  const refused = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  const error = new StorageUnavailableError("Cannot read the session", { cause: refused });
  const { stack, cause, ...told } = loggedOf(error) as { stack: string; cause: { stack: string } };
  assert.deepEqual(told, {
    name: "StorageUnavailableError",
    code: error.code,
    message: "Cannot read the session",
  });
  assert.match(stack, /logger_test\.ts/);
  assert.deepEqual({ ...cause, stack: "" }, {
    name: "Error",
    code: "28P01",
    message: "password authentication failed",
    stack: "",
  });
});

// Tracks: OP-13
Deno.test("of several errors, of a long chain and of a circle a line holds some", () => {
  const many = new AggregateError([1, 2, 3, 4, 5, 6].map((n) => new Error(`address ${n}`)), "none");
  const { errors } = loggedOf(many) as { errors: { message: string }[] };
  assert.deepEqual(errors.map(({ message }) => message), [1, 2, 3, 4].map((n) => `address ${n}`));
  const circle = new Error("round");
  circle.cause = circle;
  assert.equal(JSON.stringify(loggedOf(circle)).match(/"message":"round"/g)!.length, 5);
  assert.ok(JSON.stringify(loggedOf(new Error("x".repeat(1e6)))).length < 20_000);
});

Deno.test("what was thrown and is no error is described, too", () => {
  assert.deepEqual(loggedOf("a text"), { name: "string", message: "a text" });
  assert.deepEqual(loggedOf(undefined), { name: "undefined", message: "undefined" });
  assert.deepEqual(loggedOf({ password: "hunter2" }), { name: "object", message: "" });
  assert.deepEqual(loggedOf(null), { name: "object", message: "" });
});

// Tracks: OP-13, OP-02
Deno.test("tokens and queries are taken out of what a line says of errors", () => {
  const secret = createSecret();
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";
  const said: [text: string, left: string][] = [
    [
      "GET https://id.example/me?access_token=x failed",
      "GET https://id.example/me?[redacted] failed",
    ],
    ["/auth/callback/email?token=x&email=y, twice", "/auth/callback/email?[redacted] twice"],
    ["https://app.example/#access_token=x", "https://app.example/#[redacted]"],
    ["postgres://app:hunter2@db:5432/app", "postgres://[redacted]db:5432/app"],
    [`the cookie ${secret} opens nothing`, "the cookie [redacted] opens nothing"],
    [`the token "${jwt}" is refused`, 'the token "[redacted]" is refused'],
    ["eyJhbGciOiJIUzI1NiJ9.e30.", "[redacted]"],
    ['near "?1": syntax error in WHERE id = ?1', 'near "?1": syntax error in WHERE id = ?1'],
  ];
  for (const [text, left] of said) {
    const inner = new TypeError(text);
    for (
      const error of [inner, new Error("outer", { cause: inner }), new AggregateError([inner])]
    ) {
      const told = JSON.stringify(loggedOf(error));
      assert.ok(told.includes(JSON.stringify(left).slice(1, -1)), told);
      if (left !== text) assert.ok(!told.includes(JSON.stringify(text).slice(1, -1)), told);
    }
    assert.equal(loggedOf(text).message, left);
  }
});

Deno.test("a field called message is read as an error's message is", () => {
  const lines: unknown[] = [];
  const logger: Logger = { info() {}, warn: (...line) => lines.push(line), error() {} };
  createSafeLogger(logger).warn("provider-failed", { message: "at /cb?code=secret", n: 1 });
  assert.deepEqual(lines, [["provider-failed", { message: "at /cb?[redacted]", n: 1 }]]);
});

Deno.test("an error that cannot be read breaks nothing", () => {
  const hostile = new Error("x");
  Object.defineProperty(hostile, "message", {
    get() {
      throw new Error("unreadable");
    },
  });
  assert.doesNotThrow(() =>
    createSafeLogger({ info() {}, warn() {}, error() {} }).error("a", { error: hostile })
  );
});

// Tracks: OP-02
Deno.test("without a logger what is broken goes to the console, in one line of JSON, and nothing else", () => {
  const lines = written(() => {
    const logger = createSafeLogger(undefined);
    logger.info("sign-in", { userId: "ada" });
    logger.warn("sign-in-failed", {});
    logger.error("request-failed", { requestId: "r1", error: new TypeError("a defect") });
  });
  assert.equal(lines.length, 1);
  const { level, event, requestId, error } = JSON.parse(lines[0]![0] as string);
  assert.deepEqual([level, event, requestId, error.name, error.message], [
    "error",
    "request-failed",
    "r1",
    "TypeError",
    "a defect",
  ]);
});

// Tracks: OP-02
Deno.test("the console gets each line as JSON, with its level", () => {
  const lines = written(() => {
    const logger = createSafeLogger(console);
    logger.info("sign-in", { userId: "ada" });
    logger.warn("sign-in-failed", { code: "INVALID_CREDENTIALS" });
    logger.error("request-failed", {});
  });
  assert.deepEqual(lines, [
    ['{"level":"info","event":"sign-in","userId":"ada"}'],
    ['{"level":"warn","event":"sign-in-failed","code":"INVALID_CREDENTIALS"}'],
    ['{"level":"error","event":"request-failed"}'],
  ]);
});

// Tracks: OP-02
Deno.test("logUnexpected() logs an error once, and no answer of a host's framework", () => {
  const lines: unknown[] = [];
  const logger = createSafeLogger({ info() {}, warn() {}, error: (event) => lines.push(event) });
  const error = new Error("a defect");
  for (let round = 0; round < 3; round++) logUnexpected(logger, error, {});
  assert.equal(lines.length, 1);
  for (
    const answer of [
      new Response(null, { status: 302 }),
      { status: 307, location: "/" },
      Object.assign(new Error("Not Found"), { status: 404 }),
      Object.assign(new Error("Bad Request"), { statusCode: 400 }),
      Object.assign(new Error("NEXT_REDIRECT"), { digest: "NEXT_REDIRECT;replace;/;307;" }),
    ]
  ) logUnexpected(logger, answer, {});
  assert.equal(lines.length, 1);
  for (
    const unexpected of ["text", undefined, null, 5, Object.assign(new Error(), { status: 500 })]
  ) {
    logUnexpected(logger, unexpected, {});
  }
  assert.equal(lines.length, 6);
});
