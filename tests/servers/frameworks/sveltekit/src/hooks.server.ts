import { building } from "$app/environment";
import type { Handle } from "@sveltejs/kit";
import { auth } from "./auth.ts";

export const handle: Handle = async ({ event, resolve }) => {
  if (building) return await resolve(event); // pages that are made once know nobody
  const info = { clientAddress: event.getClientAddress() };
  return await auth.handle(event.request, {}, info) ?? // everything below /auth
    await auth.run(event.request, {}, info, () => resolve(event));
};
