import type { User } from "../users/user.ts";
import type { NamedIdentity } from "./choose_owner.ts";
import type { EndpointContext } from "../http/contracts.ts";

/** Whether a provider's address is kept with a user without being proved. */
export function isKeptUnproved({ email, emailVerified }: User): boolean {
  return Boolean(email) && !emailVerified;
}

/**
 * Logs that the address of a first sign-in is kept unproved, and by which word that is decided: before the callbacks
 * are asked, since one that asks `verifiedEmail()` sees none, may refuse for it, and nothing else would say why.
 */
export function reportKept(
  { requestId, store: { auth: { settings: { logger } } } }: EndpointContext,
  { provider, trustEmail, emailVerified }: Omit<
    NamedIdentity,
    "user" | "providerAccountId" | "type"
  >,
): void {
  logger.warn("email-kept-unproved", { requestId, provider, trustEmail, emailVerified });
}
