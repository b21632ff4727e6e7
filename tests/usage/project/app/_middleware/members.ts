import type { Middleware } from "@framework/cli/runtime";

export const middleware: Middleware = async (_request, next, context) => {
  const user = await context.auth.getUser();
  return user === null ? new Response("Unauthorized", { status: 401 }) : await next();
};
