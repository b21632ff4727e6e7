import { requireAuth, requireRole, startSession } from "@framework/auth";
import type { APIRoute } from "astro";

export const GET: APIRoute = () => {
  requireRole("admin");
  return Response.json({ name: requireAuth().name });
};

/** Gives the browser another session. */
export const POST: APIRoute = async () => {
  const { user } = await startSession(requireAuth().id);
  return Response.json({ name: user.name });
};
