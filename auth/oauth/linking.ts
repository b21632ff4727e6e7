import type { Settings } from "../config/settings.ts";
import { RequestError } from "../errors/request_errors.ts";
import type { EndpointContext } from "../http/endpoint.ts";
import type { ProvenAtProvider } from "./finish_sign_in.ts";
import type { LinkIntent } from "./transaction.ts";

/** How an account at a provider is linked to a signed-in user. */
export interface Linking {
  /**
   * Says for whom.
   *
   * @throws {ReauthenticationRequiredError} For a session that was left open.
   */
  begin(context: EndpointContext): Promise<LinkIntent>;
  /** Links what the provider has proved: for the session that asked for it, and for no other. */
  finish(
    context: EndpointContext,
    proven: ProvenAtProvider,
    intent: LinkIntent,
  ): Promise<Response>;
}

/**
 * How this application links accounts.
 *
 * @throws {RequestError} When it does not.
 */
export function linkingOf({ modules }: Settings): Linking {
  for (const module of modules) {
    if ("linking" in module && module.linking !== undefined) return module.linking;
  }
  throw new RequestError(
    "This application links no accounts: accountEndpoints() or accountPage() among its `providers` does",
  );
}
