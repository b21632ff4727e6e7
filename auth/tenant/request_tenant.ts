import { ConfigurationError } from "../errors/configuration_error.ts";
import type { NamingRequest } from "./read_name.ts";
import type { FindTenant } from "./resolver.ts";
import type { RequestTenant } from "./tenancy.ts";
import type { Member, Tenant, TenantMembers } from "./tenant.ts";

/** What a {@linkcode RequestTenant} is made of. */
export interface RequestTenantOptions {
  /** Finds the tenant. */
  find: FindTenant;
  /** Who is a member where; null when nobody is anywhere. */
  members: TenantMembers | null;
  /** The request; a function, because its address may be wrong. */
  request: () => NamingRequest;
}

/** Whether a session of this tenant, or of none, counts for a request of that tenant, or of none. */
function isOf(tenant: Tenant | null, tenantId: string | null | undefined): boolean {
  // A storage of the application's own may say null where there is none.
  return (tenantId ?? null) === (tenant?.id ?? null);
}

/** Makes the tenant of one request; nothing is looked up yet. */
export function createRequestTenant(options: RequestTenantOptions): RequestTenant {
  const { find, members, request } = options;
  let reading: Promise<Tenant | null> | undefined;
  let known: { tenant: Tenant | null } | { error: unknown } | undefined;
  const reads = new Map<string, Promise<Member | null>>();
  const knownMembers = new Map<string, Member>();

  async function read(): Promise<Tenant | null> {
    try {
      const tenant = await find(request());
      known = { tenant };
      return tenant;
    } catch (error) {
      known = { error };
      throw error;
    }
  }

  function load(): Promise<Tenant | null> {
    return reading ??= read();
  }

  /** The membership of a user in the tenant of the request; null when the user is no member. Asked once. */
  async function memberOf(tenantId: string | undefined, userId: string): Promise<Member | null> {
    if (members === null || tenantId === undefined) return null;
    const reading = reads.get(userId) ?? members.get(tenantId, userId);
    reads.set(userId, reading);
    const member = await reading;
    if (member !== null) knownMembers.set(userId, member);
    return member;
  }

  return {
    load,
    async preload() {
      await load().catch(() => {});
    },
    now(operation) {
      if (known === undefined) {
        throw new ConfigurationError(
          `Cannot answer ${operation}() at once: the tenant of this request was not looked up. ` +
            "Write await context.auth.tenant().",
        );
      }
      if ("error" in known) throw known.error;
      return known.tenant;
    },
    async admit(state) {
      const tenant = await load();
      const { session, session: { user } } = state;
      const member = await memberOf(tenant?.id, user.id);
      if (member === null) return isOf(tenant, state.tenantId) ? state : null;
      const { roles } = member;
      if (roles.length === 0) return state;
      // For this request only: what is stored of the user stays as it is.
      const own = Array.isArray(user.roles) ? user.roles : [];
      const both = { ...user, roles: [...new Set([...own, ...roles])] };
      return { ...state, session: { ...session, user: both } };
    },
    memberNow(userId) {
      return knownMembers.get(userId) ?? null;
    },
    async filter(sessions) {
      const tenant = await load();
      const seen = await Promise.all(
        sessions.map(async ({ userId, tenantId }) =>
          isOf(tenant, tenantId) || await memberOf(tenant?.id, userId) !== null
        ),
      );
      return sessions.filter((_, index) => seen[index]);
    },
  };
}
