/**
 * The check of an application when a server starts, and the hint about its base URL in development.
 *
 * @module
 */

import { ConfigurationError } from "../errors.ts";
import { isWorkerPlatform, processEnvironment, runMode } from "../lib/runtime.ts";
import type { Auth } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";

/**
 * Checks an application when a server starts, so that what is missing is said there and not to the first visitor. In
 * production only: elsewhere the environment may be one that a test hands in with each request.
 *
 * @param auth What `createAuth()` returned.
 * @throws {ConfigurationError} For a wrong option, and where nothing says what the own address is: behind a server's
 * port any client can send any `Host`.
 */
export function checkAtStart<Env>(auth: Auth<Env>): void {
  if (isWorkerPlatform() || runMode() !== "production") return;
  const { address } = settingsOf(auth, processEnvironment() as Env);
  const { baseOrigin, allowedHosts, platformRoutesByHost } = address;
  if (baseOrigin !== null || allowedHosts !== null || platformRoutesByHost) return;
  throw new ConfigurationError(
    'Nothing says the address of this server: write baseUrl: "https://app.example" into createAuth(), or ' +
      "allowedHosts for several. In production it is not taken from requests",
    { field: "baseUrl" },
  );
}

const told = new WeakSet<object>();

/**
 * Says once, outside of production, that loopback addresses stand in for a base URL.
 *
 * @param auth What `createAuth()` returned.
 * @param url Address of the first request.
 */
export function sayBaseUrl<Env>(auth: Auth<Env>, env: Env, url: string): void {
  if (told.has(auth)) return;
  told.add(auth);
  if (isWorkerPlatform() || runMode() === "production") return;
  const { baseOrigin, allowedHosts, isTenantHost } = settingsOf(auth, env).address;
  if (baseOrigin !== null || allowedHosts !== null || !URL.canParse(url)) return;
  // deno-lint-ignore no-console -- whoever develops is to know what production needs
  console.info(
    `auth: no baseUrl: this server answers on loopback addresses such as ${new URL(url).origin}, ` +
      `and needs ${isTenantHost ? 'allowedHosts: ["…"]' : 'baseUrl: "https://…"'} in production`,
  );
}
