import type { Definition } from "../config/definition.ts";
import type { User } from "../users/user.ts";
import type { AuthCallbacks } from "./callbacks.ts";
import { readCallbacks } from "./read_callbacks.ts";

/**
 * Declares the application's say in who signs in, where redirects lead and what a session holds: the
 * default export of `app/auth/callbacks.ts`.
 *
 * @typeParam AppUser The application's own user type, when it knows more about its users.
 * @param callbacks The callbacks, or a function that makes them from the environment.
 * @throws {ConfigurationError} For an unknown callback; of a function, at the first request.
 *
 * @example
 * ```ts
 * import { verifiedEmail } from "@framework/auth";
 * import { defineAuthCallbacks } from "@framework/auth/convention";
 * import { equal } from "node:assert/strict";
 *
 * const callbacks = defineAuthCallbacks({
 *   signIn: ({ user }) => verifiedEmail(user)?.endsWith("@example.com") ?? false,
 *   redirect: ({ url, baseUrl }) => url === `${baseUrl}/` ? "/dashboard" : url,
 *   jwt: ({ token, user }) => user === undefined ? token : { ...token, plan: "free" },
 *   session: ({ session, token }) => ({ ...session, plan: token?.plan }),
 * });
 * equal(typeof callbacks, "object");
 * ```
 */
export function defineAuthCallbacks<AppUser extends User = User, Env = never>(
  callbacks: Definition<AuthCallbacks<AppUser>, Env>,
): Definition<AuthCallbacks<AppUser>, Env> {
  if (typeof callbacks !== "function") readCallbacks(callbacks);
  return callbacks;
}
