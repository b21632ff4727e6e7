import assert from "node:assert/strict";
import { withPasswords } from "../tests/password_application.ts";
import { createCounters } from "./counters.ts";

Deno.test("sign-ins are counted by their outcome, and the page is what Prometheus reads", async () => {
  const counters = createCounters();
  await withPasswords(
    async ({ join, byPassword, settle }) => {
      await join();
      for (let index = 0; index < 2; index++) {
        assert.equal((await byPassword("ada@example.com", "a wrong password")).status, 401);
      }
      await settle();
    },
    {},
    { events: { "*": counters.count } },
  );
  const value = (wanted: Record<string, string>) =>
    counters.read().find(({ labels }) => JSON.stringify(labels) === JSON.stringify(wanted))?.value;
  assert.equal(
    value({ type: "sign-in-failed", provider: "passwords", code: "INVALID_CREDENTIALS" }),
    2,
  );
  assert.equal(value({ type: "sign-in", provider: "passwords" }), 1);
  const text = counters.text();
  assert.match(text, /^# TYPE auth_events_total counter$/m);
  assert.match(
    text,
    /^auth_events_total\{type="sign-in-failed",provider="passwords",code="INVALID_CREDENTIALS"\} 2$/m,
  );
  assert.ok(text.endsWith("\n"));
  assert.doesNotMatch(text, /ada@example|192\.0\.2/);
});

Deno.test("lines of the log are counted and handed on, and a label cannot end its line", () => {
  const counters = createCounters();
  const lines: unknown[] = [];
  const logger = counters.logger({
    info: () => {},
    warn: () => {},
    error: (event, fields) => void lines.push([event, fields]),
  });
  logger.error("email-not-sent", { requestId: "1" });
  logger.error('a "quoted"\nname\\', {});
  assert.equal(lines.length, 2);
  assert.deepEqual(lines[0], ["email-not-sent", { requestId: "1" }]);
  assert.match(
    counters.text(),
    /^auth_log_lines_total\{level="error",event="a \\"quoted\\"\\nname\\\\"\} 1$/m,
  );
});

Deno.test("mails are counted by their kind, those that were sent and those that were not", async () => {
  const counters = createCounters();
  await withPasswords(async ({ join }) => void await join(), {}, {
    logger: counters.logger({ info() {}, warn() {}, error() {} }),
  });
  assert.match(
    counters.text(),
    /^auth_log_lines_total\{level="info",event="email-sent",kind="verification"\} 1$/m,
  );
});

Deno.test("lines that go on to the console are JSON, as they are without counters", () => {
  const { info, warn, error } = globalThis.console;
  const lines: unknown[][] = [];
  const write = (...line: unknown[]): void => void lines.push(line);
  Object.assign(globalThis.console, { info: write, warn: write, error: write });
  try {
    const logger = createCounters().logger(console);
    logger.info("sign-in", { userId: "ada" });
    logger.error("email-not-sent", {});
  } finally {
    Object.assign(globalThis.console, { info, warn, error });
  }
  assert.deepEqual(lines, [
    ['{"level":"info","event":"sign-in","userId":"ada"}'],
    ['{"level":"error","event":"email-not-sent"}'],
  ]);
});

Deno.test("no flood of names makes the counters grow without end", () => {
  const counters = createCounters();
  const logger = counters.logger({ info() {}, warn() {}, error() {} });
  for (let index = 0; index < 5000; index++) logger.info(`event ${index}`, {});
  assert.equal(counters.read().length, 1000);
  logger.info("event 0", {});
  assert.equal(counters.read()[0]!.value, 2);
});
