import type { Account } from "../callbacks/callbacks.ts";
import { currentRequest } from "../request/request_store.ts";
import type { Settings } from "../http/contracts.ts";

/** A way to sign in, as a sign-in page shows it. */
export interface ProviderInfo {
  /** Its name in addresses: a form that begins it posts to `/auth/signin/<id>`. */
  id: string;
  /** What a button says, as in "Continue with GitHub". */
  name: string;
  /** Which kind of account it proves. */
  type: Account["type"];
}

/**
 * The ways to sign in, in order: for a sign-in page of your own, so that it has a button for each provider.
 *
 * @throws {OutsideRequestError} When there is no request.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, github, listProviders } from "@framework/auth";
 * import { deepEqual } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [github({ clientId: "id", clientSecret: "secret" })],
 * });
 * const request = new Request("http://localhost/signin");
 * const response = await auth.run(request, {}, undefined, () => Response.json(listProviders()));
 * deepEqual(await response.json(), [{ id: "github", name: "GitHub", type: "oauth" }]);
 * ```
 */
export function listProviders(): ProviderInfo[] {
  return describeProviders(currentRequest("listProviders").auth.settings);
}

/** What everybody may know of the providers. */
export function describeProviders({ providers }: Pick<Settings, "providers">): ProviderInfo[] {
  return [...providers.values()].map(({ id, name, type }) => ({ id, name, type }));
}
