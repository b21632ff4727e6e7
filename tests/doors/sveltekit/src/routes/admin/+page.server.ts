import { accounts } from "#lib/server/auth.ts";

export const load = () => accounts.requireRole("admin");

export const actions = { default: () => accounts.requireRole("admin") };
