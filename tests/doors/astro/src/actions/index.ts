import { endSession, getUser, requireRole } from "@framework/auth";
import { defineAction } from "astro:actions";
import { accounts } from "../lib/auth.ts";

export const server = {
  signOut: defineAction({ accept: "form", handler: () => endSession() }),
  onlyAdmins: defineAction({
    accept: "form",
    handler: () =>
      accounts.guard(() => {
        requireRole("admin");
        return getUser()!.name;
      }),
  }),
};
