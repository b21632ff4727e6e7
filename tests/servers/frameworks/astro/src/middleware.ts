import { defineMiddleware } from "astro:middleware";
import { auth } from "./auth.ts";

export const onRequest = defineMiddleware(async (context, next) => {
  if (context.isPrerendered) return await next(); // pages that are made once know nobody
  const { request, clientAddress } = context;
  return await auth.handle(request, {}, { clientAddress }) ?? // everything below /auth
    await auth.run(request, {}, { clientAddress }, () => next());
});
