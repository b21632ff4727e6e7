import { RequestError } from "../errors/request_errors.ts";
import type { Linking, Settings } from "../http/contracts.ts";

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
