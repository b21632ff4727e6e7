import { requireRole } from "@framework/auth";

export default defineEventHandler(() => {
  requireRole("admin");
  return "Secret";
});
