/**
 * Whoever acts in a request in the place of its user.
 *
 * @module
 */

import type { RequestStore } from "../core/contracts.ts";
import { currentRequest } from "../core/request.ts";

/** An API key that acts for its owner. */
export interface KeyActor {
  /** Tells it from other actors. */
  kind: "key";
  /** Public id of the key, for logs: it opens nothing. */
  id: string;
  /** Name that its maker gave it. */
  name: string;
  /** Id of the user whose key it is; null for a key of a team. */
  userId: string | null;
  /** Id of the tenant whose key it is; null for a key of a user. */
  tenantId: string | null;
}

/** An administrator who acts for a user. */
export interface AdministratorActor {
  /** Tells it from other actors. */
  kind: "administrator";
  /** Id of the administrator. */
  id: string;
  /** Name of the administrator, else the email address, else the id. */
  name: string;
  /** Reason that the administrator gave. */
  reason: string;
  /** Time at which it ends by itself. */
  expires: Date;
}

/** Actor in the place of a user, by its kind. */
export type Actor = KeyActor | AdministratorActor;

const actors = new WeakMap<RequestStore, Actor>();

/** Notes who acts in a request. */
export function setActor(store: RequestStore, actor: Actor): void {
  actors.set(store, actor);
}

/** Finds out who acts in a request in the place of its user; null for nobody. */
export function findActor(store: RequestStore): Actor | null {
  return actors.get(store) ?? null;
}

/**
 * Returns who acts in this request in the place of its user: the API key that it came with, or the
 * administrator of {@linkcode impersonate}. Null where users act themselves, and where a key came that does not count.
 *
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, getActor } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * await auth.run(new Request("http://localhost/"), {}, undefined, () => {
 *   equal(getActor(), null);
 *   return new Response();
 * });
 * ```
 */
export function getActor(): Actor | null {
  return findActor(currentRequest("getActor"));
}
