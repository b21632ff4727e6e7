import { requireAuth, requireRole } from "@framework/auth";
import { guard } from "$lib/server/guard.ts";
import type { Actions, PageServerLoad } from "./$types";

export const load: PageServerLoad = () => {
  const { name, email } = guard(() => requireAuth());
  return { name: name ?? email };
};

export const actions: Actions = {
  default: () => {
    guard(() => requireRole("admin"));
  },
};
