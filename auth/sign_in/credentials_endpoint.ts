import { InvalidCredentialsError } from "../errors/access_errors.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import type { Endpoint, EndpointContext } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import type { CheckedCredentials } from "../providers/credentials_config.ts";
import { limitAttempts } from "../rate_limit/sign_in_limits.ts";
import { parseEmailAddress } from "../users/email_address.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { User } from "../users/user.ts";
import { completeSignIn } from "./complete_sign_in.ts";
import { failurePage } from "./failure_page.ts";

/**
 * The declared fields of the form and nothing else of what was sent. An address comes in the one form in
 * which it is checked, so that nothing behind the check reads another one (GHSA-7rqj-j65f-68wh).
 */
function pickFields(
  provider: CheckedCredentials,
  sent: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(provider.fields.map(({ key, type }) => {
    const value = sent.get(key) ?? "";
    return [key, type === "email" ? parseEmailAddress(value)?.address ?? value : value];
  }));
}

/** What may be shown again: no password. */
function withoutPasswords(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): Map<string, string> {
  const visible = fields.filter(({ type }) => type !== "password");
  return new Map(visible.map(({ key }) => [key, values.get(key) ?? ""]));
}

/** What says who it is: the e-mail address, else the first text that was typed. A password says nothing. */
function identifierOf(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): string | null {
  function firstOf(wanted: string): string | undefined {
    return fields.filter(({ type }) => type === wanted).map(({ key }) => values.get(key)!).find(
      Boolean,
    );
  }
  return firstOf("email") ?? firstOf("text") ?? null;
}

function checkFields(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): void {
  for (const { key, type, required } of fields) {
    const value = values.get(key)!;
    if (value === "" && required) throw new RequestError("Fill in every required field");
    if (value === "" || type !== "email") continue;
    if (parseEmailAddress(value) === null) throw new InvalidEmailError();
  }
}

async function authorize(
  provider: CheckedCredentials,
  values: ReadonlyMap<string, string>,
  context: EndpointContext,
): Promise<User> {
  const { env, request } = context.store;
  const user = await provider.authorize(Object.fromEntries(values), { env, request });
  if (user === null || user === undefined) throw new InvalidCredentialsError();
  return user;
}

// What the visitor can mend by trying again, as opposed to what the server must mend.
const REFUSALS = new Set([
  "INVALID_CREDENTIALS",
  "ACCESS_DENIED",
  "BAD_REQUEST",
  "INVALID_EMAIL",
  "USER_UNAVAILABLE",
  "RATE_LIMITED",
]);

/** `POST /signin/<id>`: checks the credentials and begins a session. */
export function credentialsEndpoint(provider: CheckedCredentials): Endpoint {
  return async function signInWithCredentials(context) {
    const { store: { request, auth, report } } = context;
    const sent = await readFields(request, { optional: false });
    const values = pickFields(provider, sent);
    const callbackUrl = sent.get("callbackUrl");
    let userId: string | undefined;

    function reportFailure({ code }: AuthError): void {
      if (code === "RATE_LIMITED") return;
      const who = { provider: provider.id, ...(userId !== undefined && { userId }) };
      report({ type: "sign-in-failed", code, ...who });
    }

    try {
      checkFields(provider, values);
      const identifier = identifierOf(provider, values);
      const refund = await limitAttempts(context, {
        of: "login",
        provider: provider.id,
        identifier,
      });
      // Read before the check: a password that is changed meanwhile was the old one.
      const proofBegunAt = auth.settings.now();
      const user = await authorize(provider, values, context);
      const owner = createUserRecord(user, auth.settings.now(), "authorize()");
      userId = owner.user.id;
      const response = await completeSignIn(context, {
        owner,
        save: { proofBegunAt },
        account: { provider: provider.id, providerAccountId: userId, type: "credentials" },
        credentials: Object.fromEntries(values),
        callbackUrl,
      });
      refund();
      return response;
    } catch (error) {
      if (!isAuthError(error) || error.status >= 500) throw error;
      reportFailure(error);
      if (!REFUSALS.has(error.code) || prefersJson(request)) throw error;
      return await failurePage(error, context, {
        values: withoutPasswords(provider, values),
        callbackUrl,
      });
    }
  };
}
