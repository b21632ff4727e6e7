import { wrongOption } from "../config/check.ts";

/** Checks the roles of a member; each counts once. */
export function readRoles(roles: unknown): string[] {
  const isList = Array.isArray(roles) && roles.length <= 100 &&
    roles.every((role) => typeof role === "string" && role !== "" && role.length <= 100);
  if (!isList) throw wrongOption("roles", roles, "a list of at most 100 role ids");
  return [...new Set<string>(roles)];
}
