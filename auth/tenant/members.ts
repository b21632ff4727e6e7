import { wrongOption } from "../config/check.ts";
import type { ListOptions } from "./tenant.ts";

/** A user's membership of a tenant. */
export interface Member {
  /** Id of the tenant. */
  tenantId: string;
  /** Id of the user; whether there is such a user, the SQL port alone knows. */
  userId: string;
  /** The roles that the user has there, besides those that the user has everywhere. */
  roles: string[];
  /** When the membership began. */
  createdAt: Date;
}

/** A part of a list of members. */
export interface MemberPage {
  /** At most as many as were asked for. */
  members: Member[];
  /** Where to go on; null at the end. */
  cursor: string | null;
}

/** The port to whatever keeps who is a member where. */
export interface TenantMembers {
  /** The membership; null when the user is no member. */
  get(tenantId: string, userId: string): Promise<Member | null>;
  /**
   * Makes a user a member; false when the user is one already, and nothing changes.
   *
   * @throws {UserUnavailableError} When there is no such user, where that is known.
   */
  add(member: Member): Promise<boolean>;
  /** Changes the roles of a member; false when the user is none. */
  setRoles(tenantId: string, userId: string, roles: readonly string[]): Promise<boolean>;
  /** Ends a membership; false when there was none. */
  remove(tenantId: string, userId: string): Promise<boolean>;
  /** Ends all memberships of a tenant; returns how many. */
  removeAll(tenantId: string): Promise<number>;
  /** The members of a tenant, in the order of their ids. */
  listOfTenant(tenantId: string, options?: ListOptions): Promise<MemberPage>;
  /** The memberships of a user, in the order of the tenants' ids. */
  listOfUser(userId: string, options?: ListOptions): Promise<MemberPage>;
}

/** Checks the roles of a member; each counts once. */
export function readRoles(roles: unknown): string[] {
  const isList = Array.isArray(roles) && roles.length <= 100 &&
    roles.every((role) => typeof role === "string" && role !== "" && role.length <= 100);
  if (!isList) throw wrongOption("roles", roles, "a list of at most 100 role ids");
  return [...new Set<string>(roles)];
}
