import { requireAuth, startSession } from "@framework/auth";
import { accounts } from "./auth.server.ts";

export function loader() {
  accounts.requireRole("admin");
  return Response.json({ name: requireAuth().name });
}

/** Gives the browser another session. */
export async function action() {
  const { user } = await startSession(accounts.requireAuth().id);
  return Response.json({ name: user.name });
}
