import { authMiddleware } from "@framework/auth/middleware";

/** Administrators only: a visitor is asked to sign in, any other user gets a 403. */
export const middleware = authMiddleware({ role: "admin", unauthenticatedRedirect: "/signin" });
