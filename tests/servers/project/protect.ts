import { getUser, hasPermission } from "@framework/auth";
import { authMiddleware, type AuthMiddlewareOptions } from "@framework/auth/middleware";
import type { MiddlewareHandler } from "hono";

/** The part of a context that `authMiddleware` reads. */
const context = {
  auth: {
    getUser: () => Promise.resolve(getUser()),
    hasPermission: (permission: string | string[]) => Promise.resolve(hasPermission(permission)),
  },
};

export function protect(options: AuthMiddlewareOptions): MiddlewareHandler {
  const middleware = authMiddleware(options);
  return async (c, next) => {
    const pass = async () => (await next(), c.res);
    const response = await middleware(c.req.raw, pass, context);
    if (response !== c.res) c.res = response;
  };
}
