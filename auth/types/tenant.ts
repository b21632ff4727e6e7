/**
 * Tenants, their members, and the ports that store them.
 *
 * @module
 */

import type { AuthError } from "../errors.ts";
import type { Session } from "./session.ts";

/** One of several customers, teams or sites that an application keeps apart. */
export interface Tenant {
  /** Unique, and the same for ever: 1 to 64 letters, digits, `-` or `_`. */
  id: string;
  /** Unique, and what addresses show: 1 to 63 lower-case letters, digits or inner hyphens. */
  slug: string;
  /** Display name; it need not be unique. */
  name: string;
  /** Settings of the application for this tenant, stored as JSON. */
  settings?: Record<string, unknown>;
  /** Time of creation. */
  createdAt: Date;
  /** Time of the last change. */
  updatedAt: Date;
  /** Time of its suspension; left out while it is active. No request finds a suspended tenant. */
  suspendedAt?: Date;
}

/** Attributes of a new tenant; the storage checks `id` and `slug`. */
export interface NewTenant extends Pick<Tenant, "slug" | "name" | "settings"> {
  /** Default: a random UUID. */
  id?: string;
  /** Time of creation, for a tenant that is imported. Default: now. */
  createdAt?: Date;
  /** Default: when it was made. */
  updatedAt?: Date;
}

/** Changes to a tenant; what is `undefined` stays as it is. */
export interface TenantChanges extends Partial<Pick<Tenant, "slug" | "name" | "settings">> {
  /** True suspends it, false ends that. */
  suspended?: boolean;
}

/** Options for a page of a list. */
export interface ListOptions {
  /** Cursor from the previous page. Default: the beginning. */
  cursor?: string;
  /** Maximum number of items, 1 to 100. Default 50. */
  limit?: number;
}

/** A part of the list of tenants, by id. */
export interface TenantPage {
  /** The tenants, suspended ones among them. */
  tenants: Tenant[];
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
}

/** The port to whatever keeps tenants. */
export interface TenantStorage {
  /**
   * Stores a new tenant and gives it back with its id and times.
   *
   * @throws {TenantExistsError} When the id or the slug is taken.
   * @throws {InvalidTenantError} When a field cannot be one.
   */
  create(tenant: NewTenant): Promise<Tenant>;
  /** The tenant with this id, also a suspended one; null when there is none. */
  get(id: string): Promise<Tenant | null>;
  /** The tenant with this slug, also a suspended one; null when there is none. */
  getBySlug(slug: string): Promise<Tenant | null>;
  /**
   * Changes a tenant; null when there is none.
   *
   * @throws {TenantExistsError} When the slug is taken.
   * @throws {InvalidTenantError} When a field cannot be one.
   */
  update(id: string, changes: TenantChanges): Promise<Tenant | null>;
  /** Removes a tenant; false when there was none. */
  delete(id: string): Promise<boolean>;
  /** The tenants in the order of their ids. */
  list(options?: ListOptions): Promise<TenantPage>;
}

/** A user's membership of a tenant. */
export interface Member {
  /** Id of the tenant. */
  tenantId: string;
  /** Id of the user; whether there is such a user, the SQL port alone knows. */
  userId: string;
  /** Roles of the user in this tenant, in addition to those that the user has everywhere. */
  roles: string[];
  /** Start of the membership. */
  createdAt: Date;
}

/** A part of a list of members. */
export interface MemberPage {
  /** At most as many as were asked for. */
  members: Member[];
  /** Cursor of the next page; null at the end. */
  cursor: string | null;
}

/** A role that a member is to have no more. */
export interface GiveUpRole {
  /** The role, which another member must have. */
  role: string;
  /** Roles in place of all present ones; null ends the membership. */
  roles: readonly string[] | null;
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
  /**
   * Tells if a member other than this user has a role there, leaving out who is disabled where users are known. Default: the
   * members are read, a page at a time.
   */
  hasOther?(tenantId: string, userId: string, role: string): Promise<boolean>;
  /**
   * Takes a role from a member, but never from the last one who has it: of any number at once somebody keeps it.
   * False, and nothing changes, when no other member has it, leaving out who is disabled where users are known. Default:
   * the library asks before and afterwards, so that a crash between may leave nobody with the role.
   */
  giveUp?(tenantId: string, userId: string, change: GiveUpRole): Promise<boolean>;
  /** The members of a tenant, in the order of their ids. */
  listOfTenant(tenantId: string, options?: ListOptions): Promise<MemberPage>;
  /** The memberships of a user, in the order of the tenants' ids. */
  listOfUser(userId: string, options?: ListOptions): Promise<MemberPage>;
}

/** A session, as far as tenants are concerned. */
export interface TenantSession {
  /** Id of the tenant that it was made in; left out when it was in none. */
  tenantId?: string;
  /** Session as the application sees it. */
  session: Session;
}

/** The tenant of one request: looked up at most once. */
export interface RequestTenant {
  /** Looks it up unless it was, and tells it; null for a request of no tenant. */
  load(): Promise<Tenant | null>;
  /** Looks it up before application code runs; a failure waits for whoever asks. */
  preload(): Promise<void>;
  /** Tenant of the request if it is known without waiting. */
  now(operation: string): Tenant | null;
  /** True when it was looked up and there is none; throws when that failed. */
  isNone(): boolean;
  /**
   * Admits a session to this request: null when it belongs to another tenant in which its user is
   * no member. A member has the roles of this tenant too.
   */
  admit<T extends TenantSession>(session: T): Promise<T | null>;
  /**
   * The state of a request whose session was not admitted.
   *
   * @param refusal What says that a second factor is missing. Default: its user is no member.
   */
  turnAway(
    refusal?: (leads: boolean) => AuthError,
  ): Promise<{
    status: "none";
    outsider?: "asked" | "refused";
    refusal?: (leads: boolean) => AuthError;
  }>;
  /** The membership of the user whose session was admitted, at once; null when they are no member. */
  memberNow(userId: string): Member | null;
  /** Sessions of a user that this request may see: those that count for its tenant; in a request of none, all. */
  filter<T extends { userId: string; tenantId?: string | undefined }>(sessions: T[]): Promise<T[]>;
}

/** Source of the tenant of a request. */
export interface TenantNaming {
  /** Kind of the source. */
  strategy: "subdomain" | "path" | "header" | "cookie";
  /** Domain below which tenants have their hosts; "" for none. */
  baseDomain: string;
  /** Path prefix before the tenant. */
  pathPrefix: string;
  /** Name of the cookie. */
  cookieName: string;
}

/** Tenants, as the rest of the library knows them: it has no code of theirs. */
export interface Tenancy {
  /** The header by which responses differ, or null where addresses do. */
  readonly vary: string | null;
  /** True for an address at which a tenant can have its host; undefined where they have none. */
  readonly isTenantHost: ((url: URL) => boolean) | undefined;
  /** The storage that was configured, or that of the application's database. */
  readonly storage: TenantStorage;
  /** Storage of memberships; null for none. */
  readonly members: TenantMembers | null;
  /**
   * Makes the roles of members a list of their own, which counts in no other place: a member's role "editor" is
   * "team:editor" among the roles of the user. Before it is the site's role of that name.
   */
  scopeRoles(): void;
  /** Names under which roles of a member count in requests of the tenant. */
  rolesHere(roles: readonly string[]): string[];
  /** Source of the tenant of a request, by which somebody is led to another one. Default: not known. */
  readonly naming?: TenantNaming;
  /** Ends every membership of a user. */
  removeEverywhere(userId: string): Promise<void>;
  /** Begins with a request, whose address is this one. */
  open(request: Request, url: () => URL): RequestTenant;
}
