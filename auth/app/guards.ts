/**
 * Guards for frameworks that catch what is thrown before the library can.
 *
 * @module
 */

import {
  requireAuth,
  requirePermission,
  requireRecentAuth,
  requireRole,
} from "../session/operations.ts";
import { noteRefusal } from "./door.ts";

/** Operations that require something, for frameworks that catch what is thrown before the library can. */
export interface Guards {
  /** Calls any operation of the library, and throws its errors as the framework's own. */
  guard<Result>(work: () => Result): Result;
  /** As `requireAuth()`, with the framework's own redirect to the sign-in, which its client follows; with `throwError` its error 401. */
  requireAuth: typeof requireAuth;
  /** As `requireRecentAuth()`, in the same way. */
  requireRecentAuth: typeof requireRecentAuth;
  /** As `requireRole()`, with the framework's own errors 401 and 403. */
  requireRole: typeof requireRole;
  /** As `requirePermission()`, with the framework's own errors 401 and 403. */
  requirePermission: typeof requirePermission;
}

/**
 * Makes `guard()` of a framework.
 *
 * @param translate Throws the framework's own error, or what was thrown.
 */
export function createGuard(translate: (thrown: unknown) => never): Guards["guard"] {
  function refuse(thrown: unknown): never {
    noteRefusal(thrown);
    return translate(thrown);
  }

  return (work) => {
    try {
      const result = work();
      return result instanceof Promise ? result.catch(refuse) as typeof result : result;
    } catch (thrown) {
      return refuse(thrown);
    }
  };
}

/**
 * Makes the guards of a framework.
 *
 * @param translate Throws the framework's own error, or what was thrown.
 */
export function createGuards(translate: (thrown: unknown) => never): Guards {
  const guard = createGuard(translate);
  return {
    guard,
    // Their clients send forms as JSON, and by any method, and go where a redirect leads.
    requireAuth: (options) => guard(() => requireAuth({ throwError: false, ...options })),
    requireRecentAuth: (options) =>
      guard(() => requireRecentAuth({ throwError: false, ...options })),
    requireRole: (role) => guard(() => requireRole(role)),
    requirePermission: (...question) => guard(() => requirePermission(...question)),
  };
}
