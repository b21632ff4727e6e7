import { isOptions } from "../config/check.ts";
import type { Profile } from "../callbacks/callbacks.ts";
import { OAuthError } from "../errors/oauth_errors.ts";
import type { UserRecord } from "../storage/storage.ts";
import { createUserRecord } from "../users/user_record.ts";
import type { UserProfile } from "../users/user_profile.ts";
import type { OAuthClient } from "./oauth_client.ts";

/**
 * What the provider's `profile()` makes of what the provider says, as a record. Its id is the one at the
 * provider.
 *
 * @throws {OAuthError} `OAUTH_PROFILE_INVALID` when it throws, or names nobody.
 */
export function readProfile(client: OAuthClient, said: Profile, at: number): UserRecord {
  try {
    const profile: unknown = client.profile(said, new Date(at));
    if (!isOptions(profile)) throw new TypeError("profile() gave no object");
    const { id, email, name, image, emailVerified } = profile as Partial<UserProfile>;
    // Empty texts are how some providers say that there is none.
    const user = {
      id,
      email: email || undefined,
      name: name || undefined,
      image: image || undefined,
      emailVerified: email && emailVerified ? emailVerified : null,
    };
    return createUserRecord(user, at, "profile()");
  } catch (cause) {
    const told = cause instanceof Error ? cause.message : "";
    throw new OAuthError("OAUTH_PROFILE_INVALID", `profile() of "${client.id}" failed: ${told}`);
  }
}
