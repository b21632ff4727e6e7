import { requireAuth, requireRole, startSession } from "@framework/auth";
import { accounts } from "../../../auth";

export const GET = accounts.route(() => {
  requireRole("admin");
  return Response.json({ name: requireAuth().name });
});

/** Gives the browser another session. */
export const POST = accounts.route(async () => {
  const { user } = await startSession(requireAuth().id);
  return Response.json({ name: user.name });
});
