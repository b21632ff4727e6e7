import { isOptions } from "../config/check.ts";
import type { Profile } from "../callbacks/callbacks.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import type { UserRecord } from "../storage/storage.ts";
import { parseEmailAddress } from "../users/email_address.ts";
import { createSignInRecord } from "../users/user_record.ts";
import type { UserProfile } from "../users/user_profile.ts";
import type { OAuthClient } from "./oauth_client.ts";

/**
 * The address, where it can be read in one way only. One that becomes another text when it is normalized, such as
 * one with a full-width at sign, is somebody else's mailbox for whoever reads it otherwise: it is nobody's here
 * (GHSA-7rqj-j65f-68wh). Providers have no reason to send one: it is ASCII (OpenID Connect Core, 5.1).
 *
 * @throws {InvalidEmailError} When it is no address.
 */
function readAddress(said: string): string | undefined {
  const parsed = parseEmailAddress(said);
  if (parsed === null) throw new InvalidEmailError();
  return parsed.address === said && parsed.identity === said.toLowerCase() ? said : undefined;
}

/**
 * What the provider's `profile()` makes of what the provider says, as a record. Its id is the one at the
 * provider.
 *
 * @throws {OAuthError} `OAUTH_PROFILE_INVALID` when it throws, or names nobody.
 */
export function readProfile(client: OAuthClient, claims: Profile, at: number): UserRecord {
  try {
    const profile: unknown = client.profile(claims, new Date(at));
    if (!isOptions(profile)) throw new TypeError("profile() gave no object");
    const { id, email: said, name, image, emailVerified } = profile as Partial<UserProfile>;
    const email = said ? readAddress(said) : undefined;
    // Empty texts are how some providers say that there is none.
    const user = {
      id,
      email,
      name: name || undefined,
      image: image || undefined,
      emailVerified: email && emailVerified ? emailVerified : null,
    };
    return createSignInRecord(user, at, "profile()");
  } catch (cause) {
    const told = cause instanceof Error ? cause.message : "";
    throw new OAuthError("OAUTH_PROFILE_INVALID", `profile() of "${client.id}" failed: ${told}`);
  }
}
