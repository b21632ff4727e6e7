import { optionsOf } from "../config/check.ts";
import { readClientId, readScope } from "../oauth/client_options.ts";
import type { CommonClient } from "../oauth/oauth_client.ts";
import { readProviderId } from "./provider_id.ts";

/** What the built-in providers take. */
export interface BuiltInProviderConfig {
  /** The id of the application at the provider. */
  clientId: string;
  /** The secret of the application there: from the environment, never from the source. */
  clientSecret: string;
  /** What is asked for, separated by blanks. Default: see the provider. */
  scope?: string;
  /** Its name in addresses and in the list of providers. Default: see the provider. */
  id?: string;
}

const KEYS = ["id", "clientId", "clientSecret", "scope"];

/** What a built-in provider is by itself. */
export interface BuiltInProvider {
  /** Its name in addresses, unless the options give it another one. */
  id: string;
  /** Its name on the sign-in page. */
  name: string;
  /** What is asked for, unless the options say it. */
  scope?: string;
  /** Whether the answer comes as a form that the browser posts. Default false. */
  formPost?: boolean;
}

/** Checks the options of a built-in provider. Its secret is read with the way in which it is used. */
export function readBuiltIn(
  config: Omit<BuiltInProviderConfig, "clientSecret">,
  { name, formPost = false, ...itself }: BuiltInProvider,
): Omit<CommonClient, "authenticate"> {
  const { id = itself.id, clientId, scope = itself.scope } = optionsOf(config, "provider", KEYS);
  return {
    id: readProviderId(id),
    name,
    clientId: readClientId(clientId),
    formPost,
    parameters: { ...readScope(scope), ...formPost && { response_mode: "form_post" } },
    trustEmail: true,
  };
}
