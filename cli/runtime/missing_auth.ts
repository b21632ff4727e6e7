import {
  ConfigurationError,
  type ContextAuth,
  isAuthError,
  OutsideRequestError,
  UnauthenticatedError,
} from "@framework/auth";

/** `context.auth` of an application without `app/auth`: nobody is signed in or can sign in. */
export const signedOut: ContextAuth = {
  getUser: () => Promise.resolve(null),
  getSession: () => Promise.resolve(null),
  isAuthenticated: () => Promise.resolve(false),
  hasRole: () => Promise.resolve(false),
  requireAuth: () => Promise.reject(new UnauthenticatedError()),
  requireRecentAuth: () => Promise.reject(new UnauthenticatedError()),
  requireRole: () => Promise.reject(new UnauthenticatedError()),
  hasPermission: () => Promise.resolve(false),
  requirePermission: () => Promise.reject(new UnauthenticatedError()),
  tenant: () => Promise.resolve(null),
  startSession: () => Promise.reject(notConfigured()),
  endSession: () => Promise.resolve(),
};

/** Errors by which authentication cannot be set up, by its stand-in. */
const faults = new WeakMap<ContextAuth, unknown>();

/**
 * `context.auth` of an application whose authentication has an invalid configuration: every
 * operation throws the error. Nobody counts as signed out, so that nothing is shown or done on that
 * assumption.
 *
 * @param error What is wrong with it.
 */
export function withoutAuth(error: unknown): ContextAuth {
  const refuse = (): Promise<never> => Promise.reject(error);
  const names = Object.keys(signedOut) as (keyof ContextAuth)[];
  const auth = Object.fromEntries(names.map((name) => [name, refuse])) as unknown as ContextAuth;
  faults.set(auth, error);
  return auth;
}

/**
 * Explains an error of an operation of `@framework/auth` that found no request: in an application
 * without `app/auth`, or with a wrong one, the advice to call it within a request would be wrong.
 *
 * @param error Whatever was thrown; other errors are returned as they are.
 * @param auth `context.auth` of the request.
 */
export function explainMissingAuth(error: unknown, auth: ContextAuth): unknown {
  if (!isAuthError(error) || error.code !== "OUTSIDE_REQUEST") return error;
  if (auth !== signedOut) return faults.get(auth) ?? error;
  const operation = /^Cannot call (\w+)\(\)/.exec(error.message)?.[1];
  // Explained already, or no operation of accounts.
  if (operation === undefined) return error;
  const told = new OutsideRequestError(
    `${operation}() needs accounts, but this application has no app/auth. Run \`framework generate auth\`, which ` +
      "writes one.",
  );
  const frames = error.stack?.indexOf("\n    at ") ?? -1;
  if (frames !== -1) told.stack = `${told.name}: ${told.message}${error.stack!.slice(frames)}`;
  return told;
}

function notConfigured(): ConfigurationError {
  return new ConfigurationError(
    "This application has no sign-in, because neither app/auth/config.ts nor a file in app/auth/providers exists.",
  );
}
