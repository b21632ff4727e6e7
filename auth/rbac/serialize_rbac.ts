import { currentRequest } from "../request/request_store.ts";
import { rulesFor, type SerializedRbac } from "./serialized_rbac.ts";
import { userOf } from "../session/resolve_session.ts";

/**
 * The roles of the user who is signed in and what they permit, for a browser that shows or hides by them.
 * Other roles are left out; without a user, and without the option `rbac`, there is nothing.
 *
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, serializeRbac } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({ database: createMemoryStorage() });
 * const request = new Request("http://localhost/rules");
 * const response = await auth.run(request, {}, undefined, () => Response.json(serializeRbac()));
 * deepEqual(await response.json(), { roles: [], defaultRole: null });
 * ```
 */
export function serializeRbac(): SerializedRbac {
  const { auth } = currentRequest("serializeRbac");
  const user = userOf(auth.state("serializeRbac"));
  return rulesFor(auth.settings.rbac?.toJSON() ?? { roles: [], defaultRole: null }, user);
}
