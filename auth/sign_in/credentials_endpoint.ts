import { InvalidCredentialsError } from "../errors/access_errors.ts";
import { type AuthError, isAuthError } from "../errors/auth_error.ts";
import { RequestError } from "../errors/request_errors.ts";
import type { Endpoint, EndpointContext } from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import type { CheckedCredentials } from "../providers/credentials_config.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { User } from "../users/user.ts";
import { completeSignIn } from "./complete_sign_in.ts";
import { failurePage } from "./failure_page.ts";

/** The declared fields of the form and nothing else of what was sent. */
function pickFields(
  provider: CheckedCredentials,
  sent: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(provider.fields.map(({ key }) => [key, sent.get(key) ?? ""]));
}

/** What may be shown again: no password. */
function withoutPasswords(
  { fields }: CheckedCredentials,
  values: ReadonlyMap<string, string>,
): Map<string, string> {
  const visible = fields.filter(({ type }) => type !== "password");
  return new Map(visible.map(({ key }) => [key, values.get(key) ?? ""]));
}

async function authorize(
  provider: CheckedCredentials,
  values: ReadonlyMap<string, string>,
  context: EndpointContext,
): Promise<User> {
  const { env, request } = context.store;
  const empty = provider.fields.some(({ key, required }) => required && values.get(key) === "");
  if (empty) throw new RequestError("Fill in every required field");
  const user = await provider.authorize(Object.fromEntries(values), { env, request });
  if (user === null || user === undefined) throw new InvalidCredentialsError();
  return user;
}

// What the visitor can mend by trying again, as opposed to what the server must mend.
const REFUSALS = new Set([
  "INVALID_CREDENTIALS",
  "ACCESS_DENIED",
  "BAD_REQUEST",
  "USER_UNAVAILABLE",
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
      const who = { provider: provider.id, ...(userId !== undefined && { userId }) };
      report({ type: "sign-in-failed", code, ...who });
    }

    try {
      const user = await authorize(provider, values, context);
      const owner = createUserRecord(user, auth.settings.now(), "authorize()");
      userId = owner.user.id;
      return await completeSignIn(context, {
        owner,
        account: { provider: provider.id, providerAccountId: userId, type: "credentials" },
        credentials: Object.fromEntries(values),
        callbackUrl,
      });
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
