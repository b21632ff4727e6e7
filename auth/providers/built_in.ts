import { checkKeys, isOptions, wrongOption } from "../config/check.ts";

/** What the built-in providers take. */
export interface BuiltInProviderConfig {
  /** The id of the application at the provider. */
  clientId: string;
  /** Its secret there. */
  clientSecret: string;
  /** What is asked for, separated by blanks. Default: see the provider. */
  scope?: string;
  /** Its name in addresses and in the list of providers. Default: see the provider. */
  id?: string;
}

/** The options of a built-in provider, checked for others, together with what it is by itself. */
export function readBuiltIn<Config extends object>(
  config: Config,
  itself: { id: string; name: string },
): Config & { id: string; name: string; trustEmail: true } {
  if (!isOptions(config)) throw wrongOption("provider", config, "an object");
  checkKeys(config, ["id", "clientId", "clientSecret", "scope"], "");
  return { ...itself, trustEmail: true, ...config };
}
