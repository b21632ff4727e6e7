import { redirectBounds } from "./endpoint.ts";
import { guardRedirect, isAddressLike } from "./redirect_guard.ts";
import type { SafeRedirect } from "../errors/redirect_error.ts";
import type { EndpointContext } from "./contracts.ts";

/**
 * Decides where a visitor goes now: asks the application's `redirect` callback if there is one, and checks
 * its answer like any other address. A callback that fails must not keep anybody from signing out, so it
 * counts as no answer.
 *
 * @param target Where the visitor asked to go; anything.
 * @returns Null when there is no such place, and the start page is it.
 */
export async function settleRedirect(
  target: unknown,
  context: EndpointContext,
): Promise<SafeRedirect | null> {
  const { settings: { callbacks, logger }, origin } = context.store.auth;
  const bounds = redirectBounds(context);
  if (callbacks.redirect === undefined) return guardRedirect(target, bounds);
  const report = { requestId: context.requestId, callback: "redirect" };
  try {
    const baseUrl = origin();
    const url = isAddressLike(target) ? target : `${baseUrl}/`;
    const chosen = guardRedirect(await callbacks.redirect({ url, baseUrl }), bounds);
    if (chosen === null) logger.warn("redirect-refused", report);
    return chosen;
  } catch (error) {
    logger.error("callback-failed", { ...report, error });
    return null;
  }
}
