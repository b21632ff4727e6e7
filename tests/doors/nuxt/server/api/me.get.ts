import { requireAuth, requireRole } from "@framework/auth";

export default defineEventHandler(() => {
  requireRole("admin");
  return { name: requireAuth().name };
});
