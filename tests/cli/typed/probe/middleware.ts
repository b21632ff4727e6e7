import type { Middleware } from "@framework/cli/runtime";

export const middleware: Middleware<"/probe", { started: number }> = (_request, next, context) => {
  context.set("started", 1);
  // @ts-expect-error a number is declared
  context.set("started", "1");
  // @ts-expect-error nothing of this name is declared
  context.get("stared");
  return next();
};
