/**
 * The other libraries: which modules of them are measured, what is used of each, and how they get here. They are
 * pinned in `peers/`, installed into a folder that later runs find again, and no dependency of anything else.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNodes, installNpm } from "../../tests/support/node.ts";
import { run } from "../run_command.ts";
import { exists, readJson, repositoryRoot } from "../workspace.ts";

/** Import specifiers of what programs load of the peers. */
export const PEER_MODULES = {
  accesscontrol: "accesscontrol",
  authCore: "@auth/core",
  authCoreCredentials: "@auth/core/providers/credentials",
  authCoreGitHub: "@auth/core/providers/github",
  authCoreJwt: "@auth/core/jwt",
  betterAuth: "better-auth",
  betterAuthMemory: "better-auth/adapters/memory",
  betterAuthMinimal: "better-auth/minimal",
  casbin: "casbin",
  casl: "@casl/ability",
  hono: "hono",
  honoJwt: "hono/jwt",
  ironSession: "iron-session",
  jose: "jose",
  rateLimiterFlexible: "rate-limiter-flexible",
} as const;

/** The same for modules that are measured in processes alone, and that no bundle of a worker has. */
export const PROCESS_PEER_MODULES = {
  betterAuthApiKey: "@better-auth/api-key",
  betterAuthPlugins: "better-auth/plugins",
} as const;

/** Configuration, whose type is the business of the peer. */
type Config = Record<string, unknown>;

/** Part of `accesscontrol` that the benchmarks use. */
export interface AccessControlModule {
  AccessControl: new () => {
    grant(role: string): AccessControlGrant;
    can(role: string): AccessControlQuery;
  };
}

/** A grant of accesscontrol that is being made. */
export interface AccessControlGrant {
  readAny(resource: string): AccessControlGrant;
  updateAny(resource: string): AccessControlGrant;
  deleteAny(resource: string): AccessControlGrant;
  extend(role: string): AccessControlGrant;
}

/** A question to accesscontrol. */
export interface AccessControlQuery {
  readAny(resource: string): { granted: boolean };
  updateAny(resource: string): { granted: boolean };
  deleteAny(resource: string): { granted: boolean };
}

/** Part of `@auth/core` that the benchmarks use. */
export interface AuthCoreModule {
  Auth(request: Request, config: Config): Promise<Response>;
}

/** Part of `@auth/core/jwt` that the benchmarks use. */
export interface AuthCoreJwtModule {
  encode(params: { token: Config; secret: string; salt: string; maxAge: number }): Promise<string>;
  getToken(params: Config): Promise<Config | null>;
}

/** A factory of a provider of `@auth/core`. */
export interface AuthCoreProviderModule {
  default(config: Config): unknown;
}

/** An instance of Better Auth. */
export interface BetterAuth {
  handler(request: Request): Promise<Response>;
  api: {
    getSession(input: { headers: Headers }): Promise<{ user: { name: string } } | null>;
  };
  $context: Promise<{
    internalAdapter: { createSession(userId: string): Promise<{ token: string }> };
    runMigrations(): Promise<void>;
  }>;
}

/** Part of `better-auth` and `better-auth/minimal` that the benchmarks use. */
export interface BetterAuthModule {
  betterAuth(config: Config): BetterAuth;
}

/** Part of `better-auth/adapters/memory` that the benchmarks use. */
export interface BetterAuthMemoryModule {
  memoryAdapter(tables: Record<string, unknown[]>): unknown;
}

/** Part of `@better-auth/api-key` that the benchmarks use. */
export interface BetterAuthApiKeyModule {
  apiKey(): unknown;
}

/** Part of `better-auth/plugins` that the benchmarks use. */
export interface BetterAuthPluginsModule {
  organization(options: Config): unknown;
  twoFactor(options: Config): unknown;
}

/** Part of `casbin` that the benchmarks use. */
export interface CasbinModule {
  newModelFromString(text: string): unknown;
  StringAdapter: new (policy: string) => unknown;
  newEnforcer(model: unknown, policy: unknown): Promise<Enforcer>;
  newCachedEnforcer(model: unknown, policy: unknown): Promise<Enforcer>;
}

/** An enforcer of casbin. */
export interface Enforcer {
  enforce(...request: string[]): Promise<boolean>;
  enforceSync(...request: string[]): boolean;
}

/** Part of `@casl/ability` that the benchmarks use. */
export interface CaslModule {
  createMongoAbility(rules: { action: string; subject: string }[]): {
    can(action: string, subject: string): boolean;
  };
}

/** Part of `hono` that the benchmarks use. */
export interface HonoModule {
  Hono: new () => {
    use(middleware: unknown): unknown;
    get(path: string, handler: (context: HonoContext) => Response): unknown;
    post(path: string, handler: (context: HonoContext) => Promise<Response>): unknown;
    fetch(request: Request): Response | Promise<Response>;
  };
}

/** Part of a context of Hono that the benchmarks use. */
export interface HonoContext {
  get(key: string): unknown;
  text(text: string): Response;
}

/** Part of `hono/jwt` that the benchmarks use. */
export interface HonoJwtModule {
  jwt(options: { secret: string; cookie: string; alg: string }): unknown;
  sign(payload: Config, secret: string, alg: string): Promise<string>;
}

/** Part of `iron-session` that the benchmarks use. */
export interface IronSessionModule {
  getIronSession(
    request: Request,
    response: Response,
    options: { password: string; cookieName: string },
  ): Promise<{ name?: string; email?: string; save(): Promise<void> }>;
  sealData(data: Config, options: { password: string }): Promise<string>;
}

/** Part of `jose` that the benchmarks use. */
export interface JoseModule {
  jwtVerify(
    token: string,
    key: CryptoKey,
    options: { algorithms: string[]; audience: string },
  ): Promise<{ payload: Config }>;
  SignJWT: new (payload: Config) => JoseSigner;
}

/** Signer of a token with jose. */
export interface JoseSigner {
  setProtectedHeader(header: { alg: string; typ: string }): JoseSigner;
  sign(key: CryptoKey): Promise<string>;
}

/** Part of `rate-limiter-flexible` that the benchmarks use. */
export interface RateLimiterFlexibleModule {
  RateLimiterMemory: new (options: { points: number; duration: number }) => {
    consume(key: string): Promise<unknown>;
  };
}

/** Loads modules of peers, each when a contender needs it. */
export interface Peers {
  accesscontrol(): Promise<AccessControlModule>;
  authCore(): Promise<AuthCoreModule>;
  authCoreCredentials(): Promise<AuthCoreProviderModule>;
  authCoreGitHub(): Promise<AuthCoreProviderModule>;
  authCoreJwt(): Promise<AuthCoreJwtModule>;
  betterAuth(): Promise<BetterAuthModule>;
  betterAuthApiKey(): Promise<BetterAuthApiKeyModule>;
  betterAuthMemory(): Promise<BetterAuthMemoryModule>;
  betterAuthMinimal(): Promise<BetterAuthModule>;
  betterAuthPlugins(): Promise<BetterAuthPluginsModule>;
  casbin(): Promise<CasbinModule>;
  casl(): Promise<CaslModule>;
  hono(): Promise<HonoModule>;
  honoJwt(): Promise<HonoJwtModule>;
  ironSession(): Promise<IronSessionModule>;
  jose(): Promise<JoseModule>;
  rateLimiterFlexible(): Promise<RateLimiterFlexibleModule>;
}

// Under other names: as package.json the file would make the folder a project of its own, also for Deno.
const PINNED = join(repositoryRoot, "scripts", "bench", "peers");

/** Exact versions of the peers, by name. */
export async function peerVersions(): Promise<Record<string, string>> {
  const { dependencies } = await readJson(join(PINNED, "manifest.json"));
  return dependencies as Record<string, string>;
}

/** Installs the peers unless they are there; their folder, in which they can be resolved. */
export function installPeers(): Promise<string> {
  return installPinned(PINNED);
}

/**
 * Installs pinned packages unless they are there.
 *
 * @param pinned Folder with `manifest.json` and `lock.json`.
 * @returns The folder in which they can be resolved.
 */
export async function installPinned(pinned: string): Promise<string> {
  const lock = await Deno.readFile(join(pinned, "lock.json"));
  const hash = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(repositoryRoot, "tests", "output", "bench", `${basename(pinned)}-${hash}`);
  if (await exists(join(folder, "complete"))) return folder;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.copyFile(join(pinned, "manifest.json"), join(folder, "package.json"));
  await Deno.copyFile(join(pinned, "lock.json"), join(folder, "package-lock.json"));
  const npm = join(await installNpm(), "bin", "npm-cli.js");
  const { newest } = await findNodes();
  // Without the packages that these would only like to have beside them, and without their programs.
  const how = ["--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund"];
  // Not `ci`, which refuses a lock without packages for other systems that a registry does not have.
  await run(newest, [npm, "install", ...how], {
    cwd: folder,
    env: { PATH: `${dirname(newest)}:${Deno.env.get("PATH") ?? ""}` },
  });
  await Deno.writeTextFile(join(folder, "complete"), "");
  return folder;
}

/** The folder of this file, for modules that bundles are made of. */
export const benchFolder: string = fileURLToPath(new URL(".", import.meta.url));
