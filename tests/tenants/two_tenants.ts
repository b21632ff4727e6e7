import {
  accountEndpoints,
  type Auth,
  type AuthOptions,
  createAuth,
  credentials,
  defineRBAC,
  type Provider,
} from "@framework/auth";
import { defineTenancy, type TenancyConfig } from "@framework/auth/tenant";
import { watchAnswers } from "../../auth/tests/trips.ts";
import { createD1Double, type D1Double } from "../../auth/tests/d1_double.ts";

/** Way in which requests name their tenant. */
export type Strategy = TenancyConfig["strategy"];

/** The strategies. */
export const STRATEGIES: readonly Strategy[] = ["subdomain", "path", "header", "cookie"];

/** The tenants; their ids are "id-acme" and "id-base". */
export type Slug = "acme" | "base";

/** Request to a tenant. */
export interface Sent {
  method?: string;
  cookie?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** An application with two tenants, and the users ada, bob and cy. */
export interface TwoTenants {
  auth: Auth<unknown>;
  options: AuthOptions;
  database: D1Double;
  clock: { now: number };
  /** A request for a path of a tenant; null for one of no tenant. */
  request(tenant: Slug | null, path: string, sent?: Sent): Request;
  /** Signs a user in at a tenant, and gives the cookie. With 'path' the application does it itself. */
  signIn(tenant: Slug | null, userId: string): Promise<string>;
  close(): void;
}

const ORIGIN = "https://app.example";

/** Signs in whoever is named. */
export const BY_NAME: Provider = credentials({
  credentials: { name: { label: "Name", type: "text" } },
  authorize: ({ name }) => Promise.resolve(name ? { id: name } : null),
});

/** The session cookies of a response, as a browser sends them. */
export function cookieOf(response: Response): string {
  return response.headers.getSetCookie()
    .filter((line) => !/Max-Age=0/i.test(line))
    .map((line) => line.split(";")[0]).join("; ");
}

/** Makes the application. */
export function createTwoTenants(
  strategy: Strategy,
  more: Partial<AuthOptions> = {},
): TwoTenants {
  const database = createD1Double();
  const clock = { now: Date.UTC(2026, 0, 1) };
  for (const slug of ["acme", "base"]) {
    database.sqlite.prepare(
      "INSERT INTO tenants (id, slug, name, created_at, updated_at) VALUES (?, ?, ?, 0, 0)",
    ).run(`id-${slug}`, slug, slug);
  }
  for (const id of ["ada", "bob", "cy"]) {
    database.sqlite.prepare("INSERT INTO users (id, email, email_identity) VALUES (?, ?, ?)")
      .run(id, `${id}@example.com`, `${id}@example.com`);
  }
  const options: AuthOptions = {
    database,
    allowedHosts: ["app.example"],
    rbac: defineRBAC({
      roles: [
        { id: "reader", name: "Reader", permissions: ["posts:read"] },
        { id: "owner", name: "Owner", permissions: ["posts:*"] },
        { id: "global", name: "Global", permissions: ["stats:read"] },
      ],
    }),
    tenancy: defineTenancy({ strategy, baseDomain: "app.example" }),
    now: () => clock.now,
    ...more,
    providers: [...more.providers ?? [BY_NAME], accountEndpoints()],
  };
  const auth = watchAnswers(createAuth(options));

  function request(tenant: Slug | null, path: string, sent: Sent = {}): Request {
    const { method = "GET", cookie, json } = sent;
    const origin = strategy === "subdomain" && tenant !== null
      ? `https://${tenant}.app.example`
      : ORIGIN;
    const below = strategy === "path" && tenant !== null ? `/t/${tenant}${path}` : path;
    const headers = new Headers({ accept: "application/json", ...sent.headers });
    if (!["GET", "HEAD"].includes(method)) headers.set("origin", origin);
    if (strategy === "header" && tenant !== null) headers.set("x-tenant-id", tenant);
    const cookies = [
      ...(strategy === "cookie" && tenant !== null ? [`tenant=${tenant}`] : []),
      ...(cookie === undefined ? [] : [cookie]),
    ];
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
    if (json !== undefined) headers.set("content-type", "application/json");
    const body = json === undefined ? null : JSON.stringify(json);
    return new Request(origin + below, { method, headers, body });
  }

  return {
    auth,
    options,
    database,
    clock,
    request,
    async signIn(tenant, userId) {
      if (strategy === "path" && tenant !== null) {
        // The endpoints are below /auth, which is no tenant's path: the application signs in by itself.
        const { startSession } = await import("@framework/auth");
        return cookieOf(
          await auth.run(request(tenant, "/in", { method: "POST" }), {}, undefined, async () => {
            await startSession(userId);
            return new Response();
          }),
        );
      }
      const sent = { method: "POST", json: { name: userId } };
      const response = await auth.handle(request(tenant, "/auth/signin/credentials", sent), {});
      if (response?.status !== 200) throw new Error(`Not signed in: ${await response?.text()}`);
      return cookieOf(response);
    },
    close: () => database.close(),
  };
}
