import type { Middleware } from "@framework/cli/runtime";

export const middleware: Middleware<"/tree/inner"> = (_request, next, context) => {
  context.get("trail").push("inner");
  return next();
};
