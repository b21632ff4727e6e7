import { ConfigurationError, type ContextAuth, UnauthenticatedError } from "@framework/auth";

/** `context.auth` of an application without `app/auth`: nobody is signed in, and nobody can sign in. */
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

function notConfigured(): ConfigurationError {
  return new ConfigurationError(
    "This application has no sign-in: there is neither app/auth/config.ts nor a file in app/auth/providers.",
  );
}
