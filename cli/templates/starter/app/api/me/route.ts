import { requireAuth } from "@framework/auth";

/** `GET /api/me`: the signed-in user, or 401. */
export function GET(): Response {
  const { id, email, name, role } = requireAuth({ throwError: true });
  return Response.json({ id, email, name, role: role ?? "member" });
}
