import { DatabaseSync } from "node:sqlite";
import { accountPage } from "../account/page.ts";
import type { ApiKeysConfig } from "../api_key/options.ts";
import { apiKeys } from "../api_key/provider.ts";
import type { AuthOptions } from "../app/options.ts";
import type { RequestInfo } from "../core/client_address.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { getActor } from "../session/actor.ts";
import { authMiddleware, type AuthMiddlewareOptions } from "../session/auth_middleware.ts";
import type { ContextAuth } from "../session/context_auth.ts";
import { getUser, hasPermission } from "../session/operations.ts";
import { authSchema } from "../storage/schema.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { sqlite } from "../storage/sqlite.ts";
import { createMemoryTenantMembers, createMemoryTenantStorage } from "../tenant/memory.ts";
import { defineTenancy } from "../tenant/tenancy.ts";
import type { AuthEvent } from "../types/events.ts";
import type { TenantMembers, TenantStorage } from "../types/tenant.ts";
import {
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "./application.ts";

/** Roles of the applications under test. */
export const RBAC = defineRBAC({
  roles: [
    { id: "reader", name: "Reader", permissions: ["posts:read"] },
    { id: "author", name: "Author", permissions: ["posts:read", "posts:update:own"] },
    { id: "admin", name: "Administrator", permissions: ["*"] },
    { id: "keeper", name: "Keeper", permissions: ["keys:manage", "posts:read", "posts:update"] },
    { id: "clerk", name: "Clerk", permissions: ["keys:manage", "posts:read"] },
  ],
  defaultRole: "reader",
});

/** Databases on which keys are tested. */
export const KEY_DATABASES: Record<string, () => AuthOptions["database"] | undefined> = {
  "D1": () => undefined,
  "SQLite": () => {
    const file = new DatabaseSync(":memory:");
    file.exec(authSchema.up);
    return sqlite(file);
  },
  "memory": createMemoryStorage,
};

/** The user, the actor and the permissions that a route of the application saw. */
export interface Seen {
  user: unknown;
  actor: unknown;
  may: boolean[];
}

/** An application with API keys. */
export interface KeyApplication extends TestApplication {
  told: AuthEvent[];
  tenants: TenantStorage;
  members: TenantMembers;
  /** Makes a key over the endpoint, signed in as somebody. */
  make(fields?: Record<string, string>, cookie?: string): Promise<{ id: string; key: string }>;
  /** Asks a guarded route, which answers by what it sees. */
  ask(key: string | null, options?: AskOptions): Promise<Response>;
}

/** Options of `ask()`. */
export interface AskOptions {
  guard?: AuthMiddlewareOptions | null;
  /** Permissions that the route asks for. */
  may?: string[];
  ownerId?: string;
  headers?: Record<string, string>;
  path?: string;
  info?: RequestInfo;
  work?: (auth: ContextAuth) => Response | Promise<Response>;
}

/** Makes an application with API keys. */
export function createKeyApplication(
  options: Partial<AuthOptions> = {},
  config: Partial<ApiKeysConfig> = {},
): KeyApplication {
  const told: AuthEvent[] = [];
  const tenants = createMemoryTenantStorage();
  const members = createMemoryTenantMembers();
  const application = createTestApplication({
    rbac: RBAC,
    events: { "*": (event) => void told.push(event) },
    tenancy: defineTenancy({ strategy: "header", storage: tenants, members }),
    ...options,
    providers: [
      passwordProvider(),
      accountPage(),
      apiKeys({ prefix: "acme", teamPermission: "keys:manage", ...config }),
      ...options.providers ?? [],
    ],
  });
  return {
    ...application,
    told,
    tenants,
    members,
    async make(fields = {}, cookie) {
      const response = await application.send("/api-keys", {
        cookie: cookie ?? await application.signIn(),
        json: { name: "Export", ...fields },
        headers: { accept: "application/json" },
      });
      const body = await response.json();
      if (response.status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    ask(key, { guard = { apiKey: true }, may = [], ownerId, headers = {}, path, info, work } = {}) {
      const request = new Request(`${ORIGIN}${path ?? "/api/posts"}`, {
        headers: {
          accept: "application/json",
          ...key !== null && { authorization: `Bearer ${key}` },
          ...headers,
        },
      });
      const about = { clientAddress: "192.0.2.7", ...info };
      return application.auth.run(request, {}, about, (context) => {
        const answer = async () =>
          await work?.(context.auth) ?? Response.json(
            {
              user: getUser(),
              actor: getActor(),
              may: may.map((one) =>
                hasPermission(one, ownerId === undefined ? undefined : { ownerId })
              ),
            } satisfies Seen,
          );
        return guard === null ? answer() : authMiddleware(guard)(request, answer, context);
      });
    },
  };
}

/** Makes a test that runs over each storage. */
export function overEach(
  test: (application: KeyApplication) => Promise<void>,
  ...[options, config]: Parameters<typeof createKeyApplication>
): () => Promise<void> {
  return async function runOverEach() {
    for (const [name, open] of Object.entries(KEY_DATABASES)) {
      const database = open();
      const application = createKeyApplication(
        { ...options, ...database !== undefined && { database } },
        config,
      );
      try {
        await test(application);
      } catch (error) {
        throw new Error(`Over ${name}`, { cause: error });
      } finally {
        application.close();
      }
    }
  };
}

/** Status and code of an error. */
export async function codeOf(response: Response): Promise<[status: number, code: string]> {
  return [response.status, (await response.json()).code];
}

/** Answers to a key that does not count. */
export const INVALID = [401, "API_KEY_INVALID"];
/** Answer to a key where none counts. */
export const REFUSED = [403, "API_KEY_REFUSED"];
/** Answer to a key beside other credentials. */
export const CONFLICT = [400, "API_KEY_CONFLICT"];

/** Statements that a request sends. */
export async function statementsOf(
  app: KeyApplication,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = app.database.trips;
  await work();
  return app.database.trips - before;
}
