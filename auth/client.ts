/**
 * Sign-in and sign-out from a page, and the session state in all tabs. For browsers; on a server a
 * store shows the session that it is given. It depends on nothing, and keeps nothing where scripts
 * could read it later: the session is in a cookie that no script sees.
 *
 * @example
 * ```ts
 * import { createAuthStore } from "@framework/auth/client";
 * import { equal } from "node:assert/strict";
 *
 * export const auth = createAuthStore();
 *
 * function show(element: { textContent: string | null }): () => void {
 *   return auth.subscribe(({ user }) => {
 *     element.textContent = user === null ? "Sign in" : `Hello ${user.name ?? user.email}`;
 *   });
 * }
 * const element = { textContent: null };
 * const stop = show(element);
 * equal(element.textContent, "Sign in");
 * stop();
 * ```
 *
 * @module
 */

export { signIn, type SignInOptions } from "./client/sign_in.ts";
export type { SignInResult } from "./client/session.ts";
export type { PasskeySignInOptions } from "./client/passkey.ts";
export {
  changePassword,
  type ChangePasswordOptions,
  confirmSignUp,
  type ConfirmSignUpOptions,
  forgotPassword,
  type ForgotPasswordOptions,
  type PasswordCallOptions,
  resetPassword,
  type ResetPasswordOptions,
  signUp,
  type SignUpOptions,
} from "./client/password.ts";
export {
  answerSecondFactor,
  type AnswerSecondFactorOptions,
  endTrustedBrowsers,
  readSecondFactor,
  readSecondFactorStep,
  renewRecoveryCodes,
  type SecondFactorResult,
  type SecondFactorState,
  type SecondFactorStep,
  type TrustedBrowser,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from "./client/second_factor.ts";
export {
  cancelFactorRecovery,
  type FactorRecovery,
  finishFactorRecovery,
  readFactorRecovery,
  requestFactorRecovery,
} from "./client/second_factor_recovery.ts";
export {
  type ApiKeyResult,
  createApiKey,
  listApiKeys,
  type ListedApiKey,
  revokeApiKey,
  rotateApiKey,
  type ShownApiKey,
} from "./client/api_keys.ts";
export { signOut, type SignOutOptions } from "./client/sign_in.ts";
export { getSession, type SerializedSession } from "./client/session.ts";
export {
  type AuthState,
  type AuthStore,
  type AuthStoreOptions,
  createAuthStore,
} from "./client/store.ts";
export {
  AuthClientError,
  type AuthClientFailure,
  type AuthClientOptions,
} from "./client/request.ts";
export type { PermissionOptions, SerializedRbac } from "./rbac/permissions.ts";
export type { Session } from "./types/session.ts";
export type { User } from "./types/user.ts";
