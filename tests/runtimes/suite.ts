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
import { hashAtLowCost } from "./low_cost.ts";

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

/** Request to a runtime. */
export type Command =
  /** Run every case, or those of some names, over one of the runtime's databases. */
  | { run: string; names?: string[]; rounds: number }
  /** Hash passwords. */
  | { hash: string[] }
  /** Verify passwords; the answer lists those whose hash is not believed. */
  | { verify: Hashed[] };

/** Response of a runtime. */
export interface Answer {
  results?: CaseResult[];
  hashed?: Hashed[];
  refused?: string[];
}

/** The databases of a runtime by name. */
export type Databases = Readonly<Record<string, World["createDatabase"]>>;

// One takes a fifth of a second, to be made and to be verified. How a password becomes a hash does not depend on it.
const AT_FULL_COST = 1;
/** Does what a command says. */
export async function answer(command: Command, databases: Databases): Promise<Answer> {
  if ("run" in command) {
    const createDatabase = databases[command.run];
    if (createDatabase === undefined) throw new Error(`No database "${command.run}" here`);
    const { names, rounds } = command;
    const chosen = Object.entries(CASES).filter(([name]) => names?.includes(name) ?? true);
    return { results: await runCases(Object.fromEntries(chosen), { createDatabase, rounds }) };
  }
  // What is asked is whether hashes agree: of 50 at once none is too late, however slow the machine is.
  configurePasswordHashing({ maxWait: 600 });
  if ("hash" in command) {
    const hashed = await Promise.all(command.hash.map(async (password, index) => ({
      password,
      hash: await (index < AT_FULL_COST ? hashPassword(password) : hashAtLowCost(password)),
    })));
    return { hashed };
  }
  // One after the other: more at once than may wait are refused.
  const refused: string[] = [];
  for (const { password, hash } of command.verify) {
    if (!await verifyPassword(password, hash)) refused.push(hash);
  }
  return { refused };
}
