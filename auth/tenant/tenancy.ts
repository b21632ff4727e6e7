import type { Session } from "../session/session.ts";
import type { Member, Tenant, TenantMembers, TenantStorage } from "./tenant.ts";

/** A session, as far as tenants are concerned. */
export interface TenantSession {
  /** Id of the tenant that it was made in; left out when it was in none. */
  tenantId?: string;
  /** What the application sees of it. */
  session: Session;
}

/** The tenant of one request: looked up at most once. */
export interface RequestTenant {
  /** Looks it up unless it was, and tells it; null for a request of no tenant. */
  load(): Promise<Tenant | null>;
  /** Looks it up before application code runs; a failure waits for whoever asks. */
  preload(): Promise<void>;
  /** What is known, at once. */
  now(operation: string): Tenant | null;
  /**
   * What a session is worth for this request: null when it belongs to another tenant in which its user is
   * no member. A member has the roles of this tenant too.
   */
  admit<T extends TenantSession>(session: T): Promise<T | null>;
  /** The membership of the user whose session was admitted, at once; null when they are no member. */
  memberNow(userId: string): Member | null;
  /** Which of a user's sessions this request may know of. */
  filter<T extends { userId: string; tenantId?: string | undefined }>(sessions: T[]): Promise<T[]>;
}

/** Tenants, as the rest of the library knows them: it has no code of theirs. */
export interface Tenancy {
  /** The header by which responses differ, or null where addresses do. */
  readonly vary: string | null;
  /** True for an address at which a tenant can have its host; undefined where they have none. */
  readonly isTenantHost: ((url: URL) => boolean) | undefined;
  /** The storage that was configured, or that of the application's database. */
  readonly storage: TenantStorage;
  /** Who is a member where; null when nobody is anywhere. */
  readonly members: TenantMembers | null;
  /** Ends every membership of a user. */
  removeEverywhere(userId: string): Promise<void>;
  /** Begins with a request, whose address is this one. */
  open(request: Request, url: () => URL): RequestTenant;
}
