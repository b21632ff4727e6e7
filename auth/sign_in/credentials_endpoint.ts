import type { AuthError } from "../errors/auth_error.ts";
import { InvalidCredentialsError } from "../errors/access_errors.ts";
import { RequestError } from "../errors/request_errors.ts";
import {
  type Endpoint,
  type EndpointContext,
  jsonResponse,
  safeCallback,
} from "../http/endpoint.ts";
import { prefersJson } from "../http/negotiate.ts";
import { readFields } from "../http/read_fields.ts";
import { ownRedirect, redirectResponse, type SafeRedirect } from "../http/redirect_guard.ts";
import { signInPage } from "../http/sign_in_page.ts";
import type { CredentialsProvider } from "../providers/provider.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { User } from "../users/user.ts";
import type { MintedSession } from "./mint_session.ts";

/** The declared fields of the form and nothing else of what was sent. */
function pickFields(
  provider: CredentialsProvider,
  sent: ReadonlyMap<string, string>,
): Map<string, string> {
  return new Map(provider.fields.map(({ key }) => [key, sent.get(key) ?? ""]));
}

async function authorize(
  provider: CredentialsProvider,
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

/** A form that was sent. */
interface FilledForm {
  provider: CredentialsProvider;
  values: ReadonlyMap<string, string>;
  callbackUrl: SafeRedirect | null;
}

/** What may be shown again: no password. */
function visibleValues(
  provider: CredentialsProvider,
  values: ReadonlyMap<string, string>,
): [string, string][] {
  return provider.fields.filter(({ type }) => type !== "password")
    .map(({ key }) => [key, values.get(key) ?? ""]);
}

/** Who tries again gets the page of the application, or the built-in one, with the reason and the status. */
async function failurePage(
  error: AuthError,
  context: EndpointContext,
  form: FilledForm,
): Promise<Response> {
  const { provider } = form;
  const { settings, origin } = context.store.auth;
  const { callbackUrl } = form;
  // The application's page fills its form again from this address, which no browser ever sees.
  const address = ownRedirect(settings.pages.signIn, origin(), {
    ...Object.fromEntries(visibleValues(provider, form.values)),
    error: error.code,
    callbackUrl,
  });
  const own = await context.info.renderPage?.(new URL(address), error.status);
  if (own !== null && own !== undefined) return withFailure(own, error.status);
  return signInPage({
    basePath: settings.basePath,
    providers: settings.providers.values(),
    callbackUrl,
    error: error.code,
    values: form.values,
    status: error.status,
    formOrigins: settings.trustedOrigins,
  });
}

/** The application's page, which shows this one visitor's mistake: not a success, and not to be kept. */
function withFailure(page: Response, status: number): Response {
  const headers = new Headers(page.headers);
  headers.set("cache-control", "no-store");
  return new Response(page.body, { status: page.status === 200 ? status : page.status, headers });
}

function successResponse(
  minted: MintedSession,
  context: EndpointContext,
  callbackUrl: SafeRedirect | null,
): Response {
  const { settings, origin } = context.store.auth;
  const { user, expires } = minted.session;
  const welcome = minted.created && settings.pages.newUser !== null
    ? ownRedirect(settings.pages.newUser, origin(), { callbackUrl })
    : null;
  const redirectTo = welcome ?? callbackUrl ?? ownRedirect("/", origin());
  if (prefersJson(context.store.request)) return jsonResponse({ user, expires, redirectTo });
  return redirectResponse(redirectTo, 303);
}

/** `POST /signin/<id>`: checks the credentials and begins a session. */
export function credentialsEndpoint(provider: CredentialsProvider): Endpoint {
  return async function signInWithCredentials(context) {
    const { request, auth } = context.store;
    const { settings } = auth;
    const sent = await readFields(request, { optional: false });
    const values = pickFields(provider, sent);
    const callbackUrl = safeCallback(sent.get("callbackUrl"), context);
    const report = {
      provider: provider.id,
      requestId: context.requestId,
      address: context.info.clientAddress,
    };
    try {
      const user = await authorize(provider, values, context);
      const owner = createUserRecord(user, settings.now(), "authorize()");
      const minted = await auth.start(owner.user.id, owner);
      settings.logger.info("sign-in", { ...report, userId: owner.user.id });
      return successResponse(minted, context, callbackUrl);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      settings.logger.warn("sign-in-failed", { ...report, code: error.code });
      if (prefersJson(request)) throw error;
      return await failurePage(error, context, { provider, values, callbackUrl });
    }
  };
}

/** What the visitor can mend by trying again, as opposed to what the server must mend. */
function isRefusal(error: unknown): error is AuthError {
  const code = (error as Partial<AuthError> | null)?.code;
  return code === "INVALID_CREDENTIALS" || code === "BAD_REQUEST" || code === "USER_UNAVAILABLE";
}
