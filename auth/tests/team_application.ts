import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { startSession } from "../session/operations.ts";
import { createUser } from "../session/users.ts";
import { teamPage, type TeamPageOptions } from "../team/page.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import { createSqlTenantMembers, createSqlTenantStorage } from "../tenant/sql.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";
import type { Mail } from "../types/application.ts";
import type { AuthEvent } from "../types/events.ts";
import type { TenantMembers, TenantStorage } from "../types/tenant.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "./application.ts";
import { createD1Double } from "./d1_double.ts";

/** An application under test with the team acme, whose owner is ada. */
export interface TeamApplication extends TestApplication {
  /** Mails, the newest last. */
  outbox: Mail[];
  /** Events, the newest last. */
  told: AuthEvent[];
  tenants: TenantStorage;
  members: TenantMembers;
  /** Id of the team. */
  tenantId: string;
  /** Makes a user with the address `<id>@example.com`, and a member with these roles. */
  addUser(
    id: string,
    options?: { roles?: string[]; proved?: boolean; name?: string },
  ): Promise<void>;
  /** Begins a session and returns its Cookie header. */
  enter(id: string): Promise<string>;
  /** Sends a form of the page in the team. */
  post(path: string, cookie: string, fields?: Record<string, string>): Promise<Response>;
  /** Invites, and returns the token of the mail. */
  invite(email: string, options?: { cookie?: string; role?: string }): Promise<string>;
  /** Roles of a member; null for none. */
  rolesOf(userId: string): Promise<string[] | null>;
}

/** Roles of teams in the tests. */
export const TEAM_ROLES = [
  { id: "owner", name: "Owner", permissions: ["team:*", "posts:*"] },
  { id: "lead", name: "Lead", permissions: ["team:invite", "team:manage", "posts:write"] },
  { id: "editor", name: "Editor", permissions: ["posts:write"] },
  { id: "deleter", name: "Deleter", permissions: ["posts:delete"] },
];

/** The token in the link of a mail. */
export function tokenIn(mail: Mail | undefined): string {
  return new URL(mail!.url).searchParams.get("token")!;
}

/** Makes such an application. */
export async function createTeamApplication(
  { team = {}, strategy = "path", wrap = (database) => database, ...options }:
    & Partial<AuthOptions>
    & {
      team?: Partial<TeamPageOptions>;
      strategy?: "path" | "cookie";
      /** Puts something between the application and its database. */
      wrap?: (database: SqlDatabase) => SqlDatabase;
    } = {},
): Promise<TeamApplication> {
  const outbox: Mail[] = [];
  const told: AuthEvent[] = [];
  const database = createD1Double();
  const application = createTestApplication({
    database: wrap(database),
    rateLimit: false,
    rbac: defineRBAC({
      roles: [{ id: "owner", name: "Site owner", permissions: ["*"] }],
      teamRoles: TEAM_ROLES,
    }),
    tenancy: defineTenancy({ strategy }),
    events: { "*": (event) => void told.push(event) },
    ...options,
    providers: [
      passwordProvider(),
      teamPage({ sendMail: (mail) => void outbox.push(mail), ...team }),
      ...options.providers ?? [],
    ],
  });
  const { auth, send } = application;
  const tenants = createSqlTenantStorage(database);
  const members = createSqlTenantMembers(database);
  const { id: tenantId } = await tenants.create({ slug: "acme", name: "Acme Ltd" });

  async function run(work: () => Promise<unknown>): Promise<Response> {
    return await auth.run(
      new Request(`${ORIGIN}/`, { method: "POST" }),
      {},
      undefined,
      async () => {
        await work();
        return new Response();
      },
    );
  }

  const made: TeamApplication = {
    ...application,
    database,
    close() {
      application.close();
      database.close();
    },
    outbox,
    told,
    tenants,
    members,
    tenantId,
    async addUser(id, { roles, proved = true, name = id } = {}) {
      const emailVerified = proved ? new Date(application.clock.now) : null;
      await run(() => createUser({ id, name, email: `${id}@example.com`, emailVerified }));
      const createdAt = new Date(application.clock.now - 7 * 86_400_000);
      if (roles) await members.add({ tenantId, userId: id, roles, createdAt });
    },
    async enter(id) {
      return cookieOf(await run(() => startSession(id)));
    },
    post(path, cookie, fields = {}) {
      return send(`/team${path}`, { cookie, fields: { team: "acme", ...fields } });
    },
    async invite(email, { cookie, role = "editor" } = {}) {
      const before = outbox.length;
      const by = cookie ?? await made.enter("ada");
      const response = await made.post("/invite", by, { email, role });
      assert.equal(response.status, 303, await response.text());
      assert.equal(outbox.length, before + 1);
      return tokenIn(outbox.at(-1));
    },
    async rolesOf(userId) {
      return (await members.get(tenantId, userId))?.roles ?? null;
    },
  };
  await made.addUser("ada", { roles: ["owner"] });
  return made;
}
