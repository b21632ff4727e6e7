import { endSession } from "@framework/auth";
import { accounts } from "#lib/server/auth.ts";
import { redirect } from "@sveltejs/kit";

export function load() {
  const { name, email } = accounts.requireAuth();
  return { name: name ?? email };
}

export const actions = {
  default: async () => {
    await endSession();
    redirect(303, "/");
  },
};
