import { fileURLToPath } from "node:url";

// What an application writes: the same job with each library, for what depends on the code and not on the work.

/** Path of the least that an application needs, whose size has a budget. */
export const MINIMAL_WORKER: string = fileURLToPath(
  new URL("../budgets/minimal_worker.ts", import.meta.url),
);

const OWN =
  `import { createAuth, credentials, getUser, github, jwtSessions } from "@framework/auth";
const auth = createAuth({
  baseUrl: "https://app.example",
  secret: "a secret of the benchmark, 32 bytes or more",
  session: { strategy: jwtSessions },
  providers: [
    credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    }),
    github({ clientId: "id", clientSecret: "a secret" }),
  ],
});
export default {
  async fetch(request) {
    return await auth.handle(request, undefined) ??
      await auth.run(request, undefined, undefined, () => Response.json(getUser()));
  },
};`;

const BETTER_AUTH = `
  baseURL: "https://app.example",
  secret: "a secret of the benchmark, 32 bytes or more",
  telemetry: { enabled: false },
  emailAndPassword: { enabled: true },
  socialProviders: { github: { clientId: "id", clientSecret: "a secret" } },`;

function askedOf(auth: string): string {
  return `
export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/auth/")) return ${auth}.handler(request);
    return Response.json(await ${auth}.api.getSession({ headers: request.headers }));
  },
};`;
}

/** Workers with a way to sign in and a page that knows who is signed in, by name. */
export const WORKERS: Readonly<Record<string, string>> = {
  "an empty worker": 'export default { fetch: () => new Response("hello") };',
  "the library, sessions in a database": `export { default } from ${
    JSON.stringify(MINIMAL_WORKER)
  };`,
  "the library, sessions in tokens": OWN,
  "iron-session": `import { getIronSession } from "iron-session";
export default {
  async fetch(request) {
    const options = { password: "a secret of the benchmark, 32 bytes or more", cookieName: "session" };
    return Response.json(await getIronSession(request, new Response(), options));
  },
};`,
  "hono/jwt": `import { Hono } from "hono";
import { jwt } from "hono/jwt";
const app = new Hono();
app.use("/private/*", jwt({ secret: "a secret of the benchmark", cookie: "session", alg: "HS256" }));
app.get("/", (context) => context.json(null));
export default app;`,
  "Auth.js core": `import { Auth } from "@auth/core";
import Credentials from "@auth/core/providers/credentials";
import GitHub from "@auth/core/providers/github";
const config = {
  secret: "a secret of the benchmark, 32 bytes or more",
  trustHost: true,
  basePath: "/auth",
  providers: [
    Credentials({ credentials: { pin: {} }, authorize: ({ pin }) => pin === "1234" ? { id: "ada" } : null }),
    GitHub({ clientId: "id", clientSecret: "a secret" }),
  ],
};
export default {
  fetch(request) {
    const url = new URL(request.url);
    return Auth(url.pathname === "/" ? new Request(new URL("/auth/session", url), request) : request, config);
  },
};`,
  "Better Auth, minimal, in memory": `import { betterAuth } from "better-auth/minimal";
// From its own package: esbuild drops what the module of Better Auth does to make it, in bundles of one file.
import { memoryAdapter } from "@better-auth/memory-adapter";
const auth = betterAuth({
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),${BETTER_AUTH}
});${askedOf("auth")}`,
  "Better Auth, with D1": `import { betterAuth } from "better-auth";
const auth = (env) => betterAuth({
  database: env.DB,${BETTER_AUTH}
});${askedOf("auth(env)")}`,
};

/** Client code of a page that signs in, signs out and shows who is signed in. */
export const CLIENTS: Readonly<Record<string, string>> = {
  "the library":
    `export { createAuthStore, getSession, signIn, signOut } from "@framework/auth/client";`,
  "the library, without the store":
    `export { getSession, signIn, signOut } from "@framework/auth/client";`,
  "the library, with passkeys": `export * from "@framework/auth/client";
  export * from "@framework/auth/client-passkey";`,
  "Better Auth": `import { createAuthClient } from "better-auth/client";
export const { signIn, signOut, getSession, useSession } = createAuthClient();`,
  "next-auth, React":
    `export { getSession, SessionProvider, signIn, signOut, useSession } from "next-auth/react";`,
};

/** Imports whose time is measured. */
export const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "the library": ["@framework/auth"],
  "the library, client": ["@framework/auth/client"],
  jose: ["jose"],
  "hono, hono/jwt": ["hono", "hono/jwt"],
  "iron-session": ["iron-session"],
  "Auth.js core, two providers": [
    "@auth/core",
    "@auth/core/providers/github",
    "@auth/core/providers/credentials",
  ],
  "Better Auth, minimal": ["better-auth/minimal"],
  "Better Auth": ["better-auth"],
};

/** Configurations in TypeScript, each with a use of what it says about users. */
export const CONFIGURATIONS: Readonly<Record<string, string>> = {
  nothing: "export const nothing = 1;\n",
  "the library": `import { createAuth, credentials, getUser, github } from "@framework/auth";
import type { SqlDatabase } from "@framework/auth";
interface Env { DB: SqlDatabase; AUTH_SECRET: string; GITHUB_ID: string; GITHUB_SECRET: string }
export const auth = createAuth<Env>((env) => ({
  database: env.DB,
  secret: env.AUTH_SECRET,
  session: { strategy: "database", maxAge: 86_400 },
  providers: [
    credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    }),
    github({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET }),
  ],
}));
export async function nameOf(request: Request, env: Env): Promise<string | null | undefined> {
  let name: string | null | undefined;
  await auth.run(request, env, undefined, () => {
    name = getUser()?.name;
    return new Response();
  });
  return name;
}
`,
  "the library, with everything": `import {
  accountPage, adminPage, apiKeys, auditTrail, automaticPasskeys, createAuth, credentials, defaultTheme, defineRBAC,
  deviceBound, email, github, google, impersonation, outbox, passkey, passwords, readAuth, secondFactor, teamPage,
} from "@framework/auth";
import type { SendMail, SqlDatabase } from "@framework/auth";
import { createSqlTenantMembers, createSqlTenantStorage, defineTenancy } from "@framework/auth/tenant";
import { webhook } from "@framework/auth/webhooks";
interface Env { DB: SqlDatabase; AUTH_SECRET: string; WEBHOOK_SECRET: string; CLIENT_ID: string; CLIENT_SECRET: string }
declare const sendMail: SendMail;
export const auth = createAuth<Env>((env) => ({
  database: env.DB,
  secret: env.AUTH_SECRET,
  session: { strategy: "database", maxAge: 86_400, bearer: true, deviceBound: deviceBound() },
  pages: { theme: defaultTheme },
  rbac: defineRBAC({
    roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }],
    teamRoles: [{ id: "owner", name: "Owner", permissions: ["posts:*"] }],
  }),
  tenancy: defineTenancy({
    strategy: "path",
    storage: createSqlTenantStorage(env.DB),
    members: createSqlTenantMembers(env.DB),
  }),
  providers: [
    passwords({ sendMail }),
    passkey({ automatic: automaticPasskeys({ sendMail }) }),
    email({ sendMail, code: true }),
    github({ clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET }),
    google({ clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET }),
    credentials({
      id: "pin",
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada" } : null),
    }),
    secondFactor({ sendMail, recovery: { after: 86_400 } }),
    apiKeys({ prefix: "acme" }),
    accountPage({ sendEmailChange: sendMail }),
    teamPage({ sendMail, canCreate: true }),
    adminPage({ permission: "users:manage" }),
    impersonation({ permission: "users:impersonate" }),
    auditTrail(),
    outbox({ destinations: [webhook({ url: "https://crm.example.com", secret: env.WEBHOOK_SECRET })] }),
  ],
}));
export async function nameOf(request: Request, env: Env): Promise<string | null | undefined> {
  return (await readAuth(auth, request, env).requireAuth()).name;
}
`,
  "Better Auth": `import { betterAuth } from "better-auth";
interface Env { DB: never; AUTH_SECRET: string; GITHUB_ID: string; GITHUB_SECRET: string }
export const auth = (env: Env) => betterAuth({
  database: env.DB,
  secret: env.AUTH_SECRET,
  session: { expiresIn: 86_400 },
  emailAndPassword: { enabled: true },
  socialProviders: { github: { clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET } },
});
export async function nameOf(request: Request, env: Env): Promise<string | undefined> {
  const session = await auth(env).api.getSession({ headers: request.headers });
  return session?.user.name;
}
`,
  "Better Auth, with its plugins": `import { betterAuth } from "better-auth";
import { admin, bearer, emailOTP, magicLink, organization, twoFactor } from "better-auth/plugins";
interface Env { DB: never; AUTH_SECRET: string; CLIENT_ID: string; CLIENT_SECRET: string }
declare const sendMail: (message: unknown) => Promise<void>;
export const auth = (env: Env) => betterAuth({
  database: env.DB,
  secret: env.AUTH_SECRET,
  session: { expiresIn: 86_400 },
  emailAndPassword: { enabled: true },
  socialProviders: {
    github: { clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET },
    google: { clientId: env.CLIENT_ID, clientSecret: env.CLIENT_SECRET },
  },
  plugins: [
    admin(),
    bearer(),
    emailOTP({ sendVerificationOTP: sendMail }),
    magicLink({ sendMagicLink: sendMail }),
    organization(),
    twoFactor(),
  ],
});
export async function nameOf(request: Request, env: Env): Promise<string | undefined> {
  const session = await auth(env).api.getSession({ headers: request.headers });
  return session?.user.name;
}
`,
  "Auth.js core": `import { Auth, type AuthConfig } from "@auth/core";
import Credentials from "@auth/core/providers/credentials";
import GitHub from "@auth/core/providers/github";
interface Env { AUTH_SECRET: string; GITHUB_ID: string; GITHUB_SECRET: string }
const config = (env: Env): AuthConfig => ({
  secret: env.AUTH_SECRET,
  session: { strategy: "jwt", maxAge: 86_400 },
  providers: [
    Credentials({
      credentials: { pin: {} },
      authorize: ({ pin }) => pin === "1234" ? { id: "ada" } : null,
    }),
    GitHub({ clientId: env.GITHUB_ID, clientSecret: env.GITHUB_SECRET }),
  ],
});
export async function nameOf(request: Request, env: Env): Promise<string | null | undefined> {
  const response = await Auth(request, config(env));
  return (await response.json() as { user?: { name?: string | null } }).user?.name;
}
`,
};
