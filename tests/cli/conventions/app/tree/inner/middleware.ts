import type { Middleware } from "@framework/cli/runtime";

export const middleware: Middleware = (_request, next, context) => {
  context.get<string[]>("trail")!.push("inner");
  return next();
};
