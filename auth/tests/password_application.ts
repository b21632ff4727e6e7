import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AuthOptions } from "../app/options.ts";
import { createPasswordHasher, type PasswordHasher } from "../password/hash.ts";
import type { PasswordMail, PasswordsConfig } from "../sign_in/password/options.ts";
import { passwords } from "../sign_in/password/provider.ts";
import type { AuthEvent } from "../types/events.ts";
import { createTestApplication, type TestApplication } from "./application.ts";
import type { D1Double } from "./d1_double.ts";

/** A password that every policy of the tests allows. */
export const PASSWORD = "a sentence that only tests use";

/** An application under test whose users have passwords. */
export interface PasswordApplication extends TestApplication {
  /** Mails, the newest last. */
  outbox: PasswordMail[];
  /** Events, the newest last. */
  told: AuthEvent[];
  /** Hashes that were computed, and checks. */
  work: { hashes: number; checks: number };
  /** Waits for what the responses did not wait for. */
  settle(): Promise<void>;
  /** Sends the form of sign-up. */
  signUp(email: string, options?: Partial<Typed>): Promise<Response>;
  /** Presses the button behind a link, with further fields. */
  confirm(
    fields?: Record<string, string>,
    options?: { cookie?: string; mail?: PasswordMail },
  ): Promise<Response>;
  /** Signs up, opens the link in the same browser, and returns the Cookie header of the session. */
  join(email?: string, password?: string): Promise<string>;
  /** Signs in with a password. */
  byPassword(email: string, password: string, cookie?: string): Promise<Response>;
  /** Asks for a link to a new password, waits for the mail and returns its token; "" when there is none. */
  askReset(email: string): Promise<string>;
  /** Rows of a table. */
  rows(table: string): Record<string, unknown>[];
}

interface Typed {
  password: string;
  name: string;
  callbackUrl: string;
  cookie: string;
}

/** A hasher with the strings of scrypt and a derivation that costs nothing. */
export function cheapHasher(work = { hashes: 0, checks: 0 }): PasswordHasher {
  const hasher = createPasswordHasher({
    derive(password, salt, length) {
      const digest = createHash("sha512").update(salt).update(password).digest();
      return Promise.resolve(new Uint8Array(digest.subarray(0, length)));
    },
  });
  return {
    hash(password) {
      work.hashes++;
      return hasher.hash(password);
    },
    verify(password, hash, options) {
      work.checks++;
      return hasher.verify(password, hash, options);
    },
  };
}

/** The token in the link of a mail. */
export function tokenOf({ url }: PasswordMail): string {
  return new URL(url).searchParams.get("token")!;
}

/** The Cookie header of all cookies that a response sets. */
export function everyCookie(response: Response): string {
  return response.headers.getSetCookie()
    .filter((line) => !/max-age=0/i.test(line))
    .map((line) => line.split(";")[0]).join("; ");
}

/** Runs a test with such an application, and closes it. */
export async function withPasswords(
  test: (application: PasswordApplication) => Promise<void>,
  config: Partial<PasswordsConfig> = {},
  options: Partial<AuthOptions> = {},
): Promise<void> {
  const outbox: PasswordMail[] = [];
  const told: AuthEvent[] = [];
  const work = { hashes: 0, checks: 0 };
  const provider = passwords({
    sendMail: (mail) => void outbox.push(mail),
    hasher: cheapHasher(work),
    ...config,
  });
  const application = createTestApplication({
    events: { "*": (event) => void told.push(event) },
    ...options,
    providers: [provider, ...options.providers ?? []],
  });
  const pending: Promise<unknown>[] = [];
  const own = application.send;
  const send: TestApplication["send"] = (path, sent = {}) => {
    const info = {
      clientAddress: "192.0.2.1",
      ...sent.info,
      waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
    };
    return own(path, { ...sent, info });
  };

  async function settle(): Promise<void> {
    while (pending.length > 0) await Promise.all(pending.splice(0));
  }

  const made: PasswordApplication = {
    ...application,
    send,
    outbox,
    told,
    work,
    settle,
    signUp(email, { password = PASSWORD, name = "Ada", callbackUrl, cookie } = {}) {
      const fields = { email, password, name, ...callbackUrl !== undefined && { callbackUrl } };
      return send("/signup", { fields, ...cookie !== undefined && { cookie } });
    },
    confirm(fields = {}, { cookie, mail = outbox.at(-1)! } = {}) {
      return send("/signup/confirm", {
        fields: { token: tokenOf(mail), ...fields },
        ...cookie !== undefined && { cookie },
      });
    },
    async join(email = "ada@example.com", password = PASSWORD) {
      const cookie = everyCookie(await made.signUp(email, { password }));
      const confirmed = await made.confirm({}, { cookie });
      assert.equal(confirmed.status, 303);
      return everyCookie(confirmed);
    },
    byPassword(email, password, cookie) {
      return send("/signin/passwords", {
        fields: { email, password },
        ...cookie !== undefined && { cookie },
      });
    },
    async askReset(email) {
      const before = outbox.length;
      const response = await send("/forgot", { fields: { email } });
      assert.equal(response.status, 303);
      await settle();
      const mail = outbox.slice(before).find(({ kind }) => kind === "reset");
      return mail === undefined ? "" : tokenOf(mail);
    },
    rows(table) {
      const { sqlite } = options.database as D1Double | undefined ?? application.database;
      return sqlite.prepare(`SELECT * FROM ${table}`).all();
    },
  };
  try {
    await test(made);
    await settle();
  } finally {
    application.close();
  }
}
