import { configurePasswordHashing, hashPassword, verifyPassword } from "@framework/auth";
import { type Case, type CaseResult, runCases, type World } from "./behaviour.ts";
import { CONFIGURATION_CASES } from "./cases/configuration_cases.ts";
import { COOKIE_CASES } from "./cases/cookie_cases.ts";
import { EMAIL_CASES } from "./cases/email_cases.ts";
import { ISOLATION_CASES } from "./cases/isolation_cases.ts";
import { JWT_CASES } from "./cases/jwt_cases.ts";
import { MIDDLEWARE_CASES } from "./cases/middleware_cases.ts";
import { OAUTH_CASES } from "./cases/oauth_cases.ts";
import { PASSKEY_CASES } from "./cases/passkey_cases.ts";
import { PASSWORD_CASES } from "./cases/password_cases.ts";
import { REQUEST_SAFETY_CASES } from "./cases/request_safety_cases.ts";
import { SESSION_CASES } from "./cases/session_cases.ts";
import { SIGN_IN_CASES } from "./cases/sign_in_cases.ts";

const CASES: Readonly<Record<string, Case>> = {
  ...SIGN_IN_CASES,
  ...EMAIL_CASES,
  ...SESSION_CASES,
  ...JWT_CASES,
  ...COOKIE_CASES,
  ...ISOLATION_CASES,
  ...OAUTH_CASES,
  ...PASSKEY_CASES,
  ...PASSWORD_CASES,
  ...CONFIGURATION_CASES,
  ...REQUEST_SAFETY_CASES,
  ...MIDDLEWARE_CASES,
};

/** A password and a hash of it. */
export interface Hashed {
  password: string;
  hash: string;
}

/** What a runtime is asked to do. */
export type Command =
  /** Run every case over one of the runtime's databases. */
  | { run: string }
  /** Hash passwords. */
  | { hash: string[] }
  /** Verify passwords; the answer lists those whose hash is not believed. */
  | { verify: Hashed[] };

/** What it answers. */
export interface Answer {
  results?: CaseResult[];
  hashed?: Hashed[];
  refused?: string[];
}

/** The databases of a runtime by name. */
export type Databases = Readonly<Record<string, World["createDatabase"]>>;

/** Does what a command says. */
export async function answer(command: Command, databases: Databases): Promise<Answer> {
  if ("run" in command) {
    const createDatabase = databases[command.run];
    if (createDatabase === undefined) throw new Error(`No database "${command.run}" here`);
    return { results: await runCases(CASES, { createDatabase }) };
  }
  // What is asked is whether hashes agree: of 50 at once none is too late, however slow the machine is.
  configurePasswordHashing({ maxWait: 600 });
  if ("hash" in command) {
    const hashed = await Promise.all(command.hash.map(async (password) => ({
      password,
      hash: await hashPassword(password),
    })));
    return { hashed };
  }
  const verdicts = await Promise.all(
    command.verify.map(({ password, hash }) => verifyPassword(password, hash)),
  );
  return { refused: command.verify.map(({ hash }) => hash).filter((_, index) => !verdicts[index]) };
}
