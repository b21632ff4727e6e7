import assert from "node:assert/strict";
import { EmailNotSentError } from "../../errors.ts";
import type { CheckedEmail } from "./pending.ts";
import { deliver } from "./request.ts";
import type { DeliverMail, EmailParams } from "../../types/application.ts";
import type { EndpointContext } from "../../core/contracts.ts";

const PARAMS: EmailParams = {
  identifier: "ada@example.com",
  url: "https://app.example/auth/callback/email?token=SECRET",
  token: "SECRET",
  expires: new Date(0),
  code: "123456",
  ends: false,
  subject: "Sign in",
  html: "<p>SECRET</p>",
  text: "SECRET",
};

async function attempt(
  send: CheckedEmail["send"],
  timeout?: number,
  carry?: DeliverMail,
  { log = [], mailer, userId }: { log?: unknown[]; mailer?: string; userId?: string } = {},
): Promise<unknown[]> {
  const context = {
    store: {
      requestId: () => "r1",
      env: { KEY: "value" },
      request: new Request("https://app.example/"),
      auth: {
        settings: {
          logger: {
            info: (...line: unknown[]) => void log.push(...line),
            error: (...line: unknown[]) => void log.push(...line),
          },
          deliver: carry,
        },
      },
    },
  } as unknown as EndpointContext;
  const how = {
    context,
    userId,
    ...timeout !== undefined && { timeout },
    ...mailer !== undefined && { mailer },
  };
  await deliver({ send, from: "app@app.example" }, PARAMS, how);
  return log;
}

Deno.test("deliver() gives the application what it sends, from whom and in which environment", async () => {
  await attempt((params, { env, from, request, signal }) => {
    assert.equal(params, PARAMS);
    assert.deepEqual(env, { KEY: "value" });
    assert.deepEqual([from, request.url], ["app@app.example", "https://app.example/"]);
    assert.equal(signal.aborted, false);
    return Promise.resolve();
  });
});

Deno.test("deliver() leaves it to the option of its name whether the application's own is called", async () => {
  const calls: string[] = [];
  const send = () => Promise.resolve(void calls.push("sent"));
  await attempt(send, undefined, ({ url, from }) => Promise.resolve(void calls.push(from, url)));
  assert.deepEqual(calls.splice(0), ["app@app.example", PARAMS.url]);
  await attempt(send, undefined, (_, sendOwn) => sendOwn());
  assert.deepEqual(calls, ["sent"]);
});

// A counter by kind and the account that waits for a mail are what an operator asks for.
Deno.test("deliver() logs each mail by its kind and its user, and never its address", async () => {
  const sent = await attempt(() => Promise.resolve());
  assert.deepEqual(sent, ["email-sent", { requestId: "r1", kind: "sign-in" }]);
  const log: unknown[] = [];
  const failing = attempt(() => Promise.reject(new Error("no mailbox")), undefined, undefined, {
    log,
    userId: "ada",
  });
  await assert.rejects(failing, EmailNotSentError);
  const [event, { error: _, ...about }] = log as [string, Record<string, unknown>];
  assert.deepEqual([event, about], [
    "email-not-sent",
    { requestId: "r1", kind: "sign-in", userId: "ada" },
  ]);
  assert.doesNotMatch(JSON.stringify([sent, log]), /ada@example/);
});

// Tracks: R027
Deno.test("deliver() stops waiting for a mailer that hangs, and tells it so", async () => {
  let told: AbortSignal | undefined;
  const hanging = attempt((_, { signal }) => {
    told = signal;
    return new Promise(() => {});
  }, 5);
  await assert.rejects(hanging, EmailNotSentError);
  assert.equal(told!.aborted, true);
});

Deno.test("deliver() names in the log which function did not end", async () => {
  const forever = () => new Promise<never>(() => {});
  const cases: [carry: DeliverMail | undefined, mailer: string | undefined, named: string][] = [
    [undefined, undefined, "sendVerificationRequest()"],
    [undefined, "sendMail() of passwords()", "sendMail() of passwords()"],
    [forever, "sendMail() of passwords()", "The option deliver()"],
  ];
  for (const [carry, mailer, named] of cases) {
    const log: unknown[] = [];
    const options = { log, ...mailer !== undefined && { mailer } };
    await assert.rejects(attempt(forever, 5, carry, options), EmailNotSentError);
    const [event, { error }] = log as [string, { error: Error }];
    assert.deepEqual([event, error.message], [
      "email-not-sent",
      `${named} did not end within 5 ms`,
    ]);
  }
});

// Tracks: R027
Deno.test("deliver() fails alike for whatever a mailer throws", async () => {
  for (const thrown of [new Error("SECRET"), "SECRET", undefined, null, { token: "SECRET" }]) {
    await assert.rejects(
      attempt(() => Promise.reject(thrown)),
      (error) => error instanceof EmailNotSentError && error.cause === undefined,
    );
  }
});
