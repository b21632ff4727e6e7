import { authMiddleware } from "@framework/auth/middleware";

/** Admits users who may read messages (`app/auth/rbac.ts`): visitors are asked to sign in, others get a 403. */
export const middleware = authMiddleware({
  permission: "messages:read",
  unauthenticatedRedirect: "/auth/signin",
});
