import {
  email,
  type EmailConfig,
  type EmailParams,
  getUser,
  issueOneTimeToken,
  redeemOneTimeToken,
} from "@framework/auth";
import assert from "node:assert/strict";
import { type Application, cookieOf, createApplication, passwordProvider } from "../application.ts";
import type { Case, World } from "../behaviour.ts";

const JSON_ACCEPT = { accept: "application/json" };

interface MailApplication extends Application {
  outbox: EmailParams[];
  ask(address: string): Promise<Response>;
  confirm(mail?: EmailParams): Promise<Response>;
}

async function createMailApplication(
  world: World,
  config: Partial<EmailConfig> = {},
): Promise<MailApplication> {
  const outbox: EmailParams[] = [];
  const provider = email({
    from: "App <hello@app.example>",
    sendVerificationRequest: (params) => Promise.resolve(void outbox.push(params)),
    ...config,
  });
  const application = await createApplication(world, {
    providers: [provider, passwordProvider()],
    rateLimit: false,
  });
  const { send } = application;
  return {
    ...application,
    outbox,
    ask: (address) => send("/auth/signin/email", { fields: { email: address } }),
    confirm(mail = outbox.at(-1)!) {
      const fields = { token: mail.token, email: mail.identifier };
      return send("/auth/callback/email", { fields });
    },
  };
}

/** Cases about sign-in by email, and one-time tokens. */
export const EMAIL_CASES: Record<string, Case> = {
  "a link asks and then signs in": async (world) => {
    const { ask, confirm, outbox, send, visit } = await createMailApplication(world);
    const asked = await ask("Ada@B\u00fccher.example");
    assert.equal(asked.status, 303);
    assert.equal(asked.headers.get("location"), "https://app.example/auth/verify-request");
    const { identifier, url, expires } = outbox[0]!;
    assert.equal(identifier, "Ada@xn--bcher-kva.example");
    const { pathname, search } = new URL(url);
    const page = await send(pathname + search);
    assert.equal(page.status, 200);
    assert.equal(page.headers.get("referrer-policy"), "same-origin");
    const done = await confirm();
    assert.equal(done.status, 303);
    assert.equal(done.headers.get("referrer-policy"), "no-referrer");
    const home = await visit(() => Response.json(getUser()?.email), { cookie: cookieOf(done) });
    assert.equal(await home.json(), "Ada@B\u00fccher.example");
    return [expires.getTime(), [...page.headers], [...done.headers.keys()]];
  },
  // Tracks: R017, F01, K5
  "of a hundred uses of one link at once one signs in, each time": async (world) => {
    const { ask, confirm } = await createMailApplication(world);
    for (let round = 0; round < world.rounds; round++) {
      assert.equal((await ask(`ada${round}@example.com`)).status, 303);
      const answers = await Promise.all(Array.from({ length: 100 }, () => confirm()));
      const statuses = answers.map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 303).length, 1, `round ${round}`);
      assert.equal(statuses.filter((status) => status === 400).length, 99, `round ${round}`);
    }
  },
  // Tracks: R018, R019
  "a link holds to the millisecond, for its address": async (world) => {
    const { ask, confirm, clock, outbox, send } = await createMailApplication(world, {
      maxAge: 60,
    });
    await ask("ada@example.com");
    await ask("eve@example.com");
    const fields = { token: outbox[0]!.token, email: "eve@example.com" };
    assert.equal((await send("/auth/callback/email", { fields })).status, 400);
    clock.now += 59_999;
    assert.equal((await confirm(outbox[0])).status, 303);
    clock.now += 1;
    assert.equal((await confirm(outbox[1])).status, 400);
  },
  // Tracks: R017, K5
  "a code has five attempts, and one use": async (world) => {
    const application = await createMailApplication(world, { code: true });
    const { ask, outbox, send } = application;
    async function typed(code: string, cookie: string): Promise<number> {
      return (await send("/auth/callback/email/code", { fields: { code }, cookie })).status;
    }
    const first = cookieOf(await ask("ada@example.com"));
    const { code } = outbox[0]!;
    const wrong = Array.from(
      { length: 40 },
      (_, index) => String((Number(code) + index + 1) % 1_000_000).padStart(6, "0"),
    );
    const guesses = await Promise.all(wrong.map((guess) => typed(guess, first)));
    assert.deepEqual(new Set(guesses), new Set([400]));
    assert.equal(await typed(code!, first), 400);
    const second = cookieOf(await ask("ada@example.com"));
    const uses = await Promise.all(
      Array.from({ length: 5 }, () => typed(outbox[1]!.code!, second)),
    );
    assert.deepEqual(uses.sort(), [303, 400, 400, 400, 400]);
  },
  // Tracks: R023
  "an address that is none is refused": async (world) => {
    const { ask, outbox } = await createMailApplication(world);
    const hostile = [
      "a@x.test\r\nBcc: e@evil.example",
      "a@x.test,e@evil.example",
      "e@evil.example\uff20x.test",
      '"e@evil.example"@x.test',
    ];
    for (const address of hostile) assert.equal((await ask(address)).status, 400, address);
    assert.equal(outbox.length, 0);
  },
  // Tracks: R027
  "a mailer that fails is a 503": async (world) => {
    const { send } = await createMailApplication(world, {
      sendVerificationRequest: ({ token }) => Promise.reject(new Error(token)),
    });
    const json = { email: "ada@example.com" };
    const response = await send("/auth/signin/email", { json, headers: JSON_ACCEPT });
    const { requestId: _, ...body } = await response.json();
    assert.equal(response.status, 503);
    return body;
  },
  // Tracks: R017, R019
  "a one-time token is redeemed once, for its purpose": async (world) => {
    const application = await createMailApplication(world);
    await application.signIn("ada");
    await application.visit(async () => {
      const token = await issueOneTimeToken("reset", "ada", { payload: "x" });
      assert.equal(await redeemOneTimeToken("invite", token), null);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => redeemOneTimeToken("reset", token)),
      );
      assert.deepEqual(answers.filter((one) => one !== null), [{
        userId: "ada",
        payload: "x",
        ended: false,
      }]);
      return new Response();
    });
  },
};
