/**
 * Signs in with passkeys from a page of your own, and registers them; apart from `@framework/auth/client`, so that
 * pages without passkeys do not load it.
 *
 * @example
 * ```ts
 * import { isPasskeySupported, signInWithPasskey } from "@framework/auth/client-passkey";
 * import { equal } from "node:assert/strict";
 *
 * async function onClick(): Promise<string | null> {
 *   if (!isPasskeySupported()) return "Your browser has no passkeys";
 *   const result = await signInWithPasskey({ redirectTo: "/dashboard" });
 *   return result.ok ? null : result.error.message;
 * }
 * equal(await onClick(), "Your browser has no passkeys"); // outside of one
 * ```
 *
 * @module
 */

export {
  createPasskeyAfterSignIn,
  type PasskeyRegistrationOptions,
  type PasskeyRegistrationResult,
  type PasskeySignInOptions,
  registerPasskey,
  signalPasskeys,
  signInWithPasskey,
} from "./client/passkey.ts";
export { isConditionalSupported, isPasskeySupported } from "./sign_in/passkey/browser/ceremony.ts";
export type { SignInResult } from "./client/session.ts";
export type { AuthClientFailure, AuthClientOptions } from "./client/request.ts";
export type { UserPasskey } from "./sign_in/passkey/operations.ts";
export type { Session } from "./types/session.ts";
export type { User } from "./types/user.ts";
