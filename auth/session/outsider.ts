/**
 * Requests of somebody who is signed in, and not admitted to the tenant that they ask for.
 *
 * @module
 */

import { type AuthError, ForbiddenError } from "../errors.ts";
import type { SessionState } from "../types/session.ts";

/**
 * The refusal of somebody whom no sign-in helps: signed in, and no member of the tenant of the request, or without the second
 * factor that it requires. Nothing for everybody else.
 *
 * @param leads True for an error that leads to the page that asks for the second factor. Default false.
 */
export function refuseOutsider(
  state: SessionState | undefined,
  leads: boolean = false,
): AuthError | undefined {
  if (state?.status !== "none" || state.outsider !== "refused") return undefined;
  return state.refusal?.(leads) ?? new ForbiddenError();
}
