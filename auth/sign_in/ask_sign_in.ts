import type { SignInParams } from "../callbacks/callbacks.ts";
import { describe } from "../config/check.ts";
import { AccessDeniedError } from "../errors/access_errors.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { redirectBounds } from "../http/endpoint.ts";
import { guardRedirect } from "../http/redirect_guard.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EndpointContext } from "../http/contracts.ts";

/**
 * Asks the application whether a user may sign in. Only `true` lets in. Errors of this library that the
 * callback throws are the answer as they are; any other is a refusal.
 *
 * @returns Null when the user may, else where to send them.
 * @throws {AccessDeniedError} When the user may not.
 * @throws {ConfigurationError} When the callback gave no answer.
 */
export async function askSignIn(
  context: EndpointContext,
  params: SignInParams,
): Promise<SafeRedirect | null> {
  const { settings: { callbacks, logger } } = context.store.auth;
  if (callbacks.signIn === undefined) return null;
  const { requestId } = context;
  let verdict: unknown;
  try {
    verdict = await callbacks.signIn(params);
  } catch (cause) {
    if (isAuthError(cause)) throw cause;
    logger.error("callback-failed", { requestId, callback: "signIn", error: cause });
    throw new AccessDeniedError(undefined, { cause });
  }
  if (verdict === true) return null;
  if (verdict === false) throw new AccessDeniedError();
  if (typeof verdict !== "string") {
    throw new ConfigurationError(
      `The signIn callback gave ${describe(verdict)}: return true, false or an address`,
      { field: "callbacks.signIn" },
    );
  }
  const target = guardRedirect(verdict, redirectBounds(context));
  if (target !== null) return target;
  logger.warn("redirect-refused", { requestId, callback: "signIn" });
  throw new AccessDeniedError();
}
