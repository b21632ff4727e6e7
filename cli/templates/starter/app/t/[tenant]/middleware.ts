import { requireMember } from "@framework/auth/tenant";
import type { Middleware } from "@framework/cli/runtime";

/**
 * A team's pages are for its members: without such a team a 404, and for everyone else a 401, also for
 * users who are signed in elsewhere: here they are nobody.
 */
export const middleware: Middleware<"/t/[tenant]"> = (_request, next) => {
  requireMember();
  return next();
};
