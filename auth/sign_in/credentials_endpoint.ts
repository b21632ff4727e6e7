import { InvalidCredentialsError } from "../errors/access_errors.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import { UserUnavailableError } from "../errors/storage_errors.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import type { CheckedCredentials } from "../providers/credentials_config.ts";
import { accountOf } from "../rate_limit/account_guard.ts";
import { limitAttempts } from "../rate_limit/sign_in_limits.ts";
import { d1Error } from "../storage/sql_errors.ts";
import { parseEmailAddress } from "../users/email_address.ts";
import { createSignInRecord } from "../users/user_record.ts";
import { completeSignIn } from "./complete_sign_in.ts";
import { failurePage } from "./failure_page.ts";
import type { Endpoint, Settings } from "../http/contracts.ts";

/** What was typed into the form. */
interface Typed {
  /** The declared fields and nothing else of what was sent. */
  values: ReadonlyMap<string, string>;
  /** What is wrong with them; null when nothing is. */
  problem: AuthError | null;
}

/**
 * Reads the form. An address comes in the one form in which it is checked, so that nothing behind the check
 * reads another one (GHSA-7rqj-j65f-68wh).
 */
function readTyped({ fields }: CheckedCredentials, sent: ReadonlyMap<string, string>): Typed {
  const values = new Map<string, string>();
  let problem: AuthError | null = null;
  for (const { key, type, required } of fields) {
    const value = sent.get(key) ?? "";
    const email = type === "email" && value !== "" ? parseEmailAddress(value) : undefined;
    values.set(key, email?.address ?? value);
    if (email === null) problem ??= new InvalidEmailError();
    if (required && value === "") problem ??= new RequestError("Fill in every required field");
  }
  return { values, problem };
}

/** What may be shown again: no password. */
function withoutPasswords(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): Map<string, string> {
  const visible = fields.filter(({ type }) => type !== "password");
  return new Map(visible.map(({ key }) => [key, values.get(key)!]));
}

/** What says who it is: the e-mail address, else the first text that was typed. A password says nothing. */
function identifierOf(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): string | null {
  const typed = (wanted: string) =>
    fields.find(({ key, type }) => type === wanted && values.get(key) !== "");
  const field = typed("email") ?? typed("text");
  return field === undefined ? null : values.get(field.key)!;
}

// What the visitor can mend by trying again, as opposed to what the server must mend.
const REFUSALS = new Set([
  "INVALID_CREDENTIALS",
  "ACCESS_DENIED",
  "BAD_REQUEST",
  "INVALID_EMAIL",
  "RATE_LIMITED",
]);

/**
 * Refuses who is shut out before the application is asked about them. Asked about nobody too, when the credentials
 * are wrong: neither the answer nor its time may tell that a password is right which has ended, for it may still
 * be right elsewhere.
 */
async function assertCounts(
  { hasDatabase, storage }: Settings,
  userId: string,
  proofBegunAt: number,
): Promise<void> {
  if (hasDatabase && !await storage.credentialsCount(userId, proofBegunAt)) {
    throw new UserUnavailableError();
  }
}

/** `POST /signin/<id>`: checks the credentials and begins a session. */
export function credentialsEndpoint(provider: CheckedCredentials): Endpoint {
  return async function signInWithCredentials(context) {
    const { store: { request, env, auth, report } } = context;
    const sent = await readFields(request, { optional: false });
    const { values, problem } = readTyped(provider, sent);
    const callbackUrl = sent.get("callbackUrl");
    const identifier = identifierOf(provider, values);
    let userId: string | undefined;

    try {
      if (problem !== null) throw problem;
      const refund = await limitAttempts(context, {
        of: "login",
        provider: provider.id,
        identifier,
      });
      // Read before the check: a password that is changed meanwhile was the old one.
      const proofBegunAt = auth.settings.now();
      const user = await provider.authorize(Object.fromEntries(values), { env, request });
      const owner = user === null || user === undefined
        ? null
        : createSignInRecord(user, auth.settings.now(), "authorize()");
      userId = owner?.user.id;
      await assertCounts(auth.settings, userId ?? crypto.randomUUID(), proofBegunAt);
      if (owner === null) throw new InvalidCredentialsError();
      const response = await completeSignIn(context, {
        owner,
        save: { proofBegunAt },
        identifier: identifier ?? "",
        account: { provider: provider.id, providerAccountId: owner.user.id, type: "credentials" },
        credentials: Object.fromEntries(values),
        callbackUrl,
      });
      refund();
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw d1Error(error);
      const { code } = error;
      if (code !== "RATE_LIMITED") {
        const who = { provider: provider.id, ...(userId !== undefined && { userId }) };
        const account = await accountOf(auth.settings, identifier);
        report({ type: "sign-in-failed", code, ...who, ...account });
      }
      const shown = code === "USER_UNAVAILABLE" ? new InvalidCredentialsError() : error;
      if (!REFUSALS.has(shown.code) || prefersJson(request)) throw shown;
      return await failurePage(shown, context, {
        values: withoutPasswords(provider, values),
        callbackUrl,
      });
    }
  };
}
