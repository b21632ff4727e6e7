import { requireMember } from "@framework/auth/tenant";
import type { Middleware } from "@framework/cli/runtime";

/**
 * A team's pages are for its members: without such a team a 404, for visitors a 401, and for everyone else who is
 * signed in a 403.
 */
export const middleware: Middleware<"/t/[tenant]"> = (_request, next) => {
  requireMember();
  return next();
};
