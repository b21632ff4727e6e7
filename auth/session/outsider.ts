/**
 * Requests of somebody who is signed in, and no member of the tenant that they ask for.
 *
 * @module
 */

import { ForbiddenError } from "../errors.ts";
import type { SessionState } from "../types/session.ts";

/**
 * The refusal of somebody whom no sign-in helps: signed in, and no member of the tenant of the request.
 * Nothing for everybody else.
 */
export function refuseOutsider(state: SessionState | undefined): ForbiddenError | undefined {
  return (state as { outsider?: string })?.outsider === "refused"
    ? new ForbiddenError()
    : undefined;
}
