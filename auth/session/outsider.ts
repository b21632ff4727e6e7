/**
 * Requests of somebody who is signed in, and no member of the tenant that they ask for.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { ownRedirect, returnPath } from "../core/redirect.ts";
import { gateOf } from "../core/request.ts";
import { ForbiddenError, SecondFactorRequiredError } from "../errors.ts";
import type { SessionState } from "../types/session.ts";

/**
 * The refusal of somebody whom no sign-in helps: signed in, and no member of the tenant of the request, or without the second
 * factor that it requires. Nothing for everybody else.
 *
 * @param store The request, whose page the second factor leads back to. Default: it leads nowhere.
 */
export function refuseOutsider(
  state: SessionState | undefined,
  store?: Pick<RequestStore, "request" | "auth">,
): ForbiddenError | SecondFactorRequiredError | undefined {
  const outsider = state?.status === "none" ? state.outsider : undefined;
  if (outsider === "refused") return new ForbiddenError();
  if (outsider !== "factor") return undefined;
  if (store === undefined) return new SecondFactorRequiredError();
  const { auth: { settings, origin }, request } = store;
  const path = settings.basePath + gateOf(settings)!.path;
  const callbackUrl = returnPath(request, origin());
  return new SecondFactorRequiredError(undefined, {
    redirectTo: ownRedirect(path, origin(), { callbackUrl }),
  });
}
