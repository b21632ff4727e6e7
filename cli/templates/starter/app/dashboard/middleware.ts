import { authMiddleware } from "@framework/auth/middleware";

/** Only signed-in users reach this folder; everyone else is asked to sign in and then brought back. */
export const middleware = authMiddleware({ unauthenticatedRedirect: "/auth/signin" });
