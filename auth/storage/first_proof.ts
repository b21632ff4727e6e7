/**
 * The first proof of a mailbox, and what ends with it.
 *
 * @module
 */

/** Later than every moment: credentials that count from here on never do. */
export const NEVER = 8.64e15;

/**
 * Tables whose rows of a user end when the user's mailbox is proved for the first time: whoever proves it may
 * not be who put them there, and each is a way to come back, or something that was prepared for the owner to
 * walk into (account pre-hijacking, USENIX Security 2022). Every table with a user's id is either here or in
 * {@linkcode STAYING}, which a test asks of the schema.
 *
 * Passwords of an application's own table are ended by `users.credentials_after`.
 */
export const ENDING = [
  "sessions",
  "accounts",
  "passkeys",
  "known_browsers",
  "password_hashes",
  "trusted_browsers",
  "session_factors",
  "api_keys",
  // Nobody can tell those that the stranger made, to share what the owner will write there, from those that
  // were given to the address while the stranger answered for it. Whoever meant the owner adds them again.
  "tenant_members",
  // The last one: the secret that is the proof stands here.
  "verifications",
] as const;

/** Tables whose rows of a user stay at the first proof, and why. */
export const STAYING: Readonly<Record<string, `stays, because ${string}`>> = {
  ["account_activity"]:
    "stays, because it opens nothing, and shows the owner what was done here before they came",
  ["second_factors"]:
    "stays, because a mailbox removes no factor, and only who had proved their own has turned one on",
  ["audit_entries"]: "stays, because it is the trail of what was done, and opens nothing",
  ["audit_people"]: "stays, because it is a part of the trail, and opens nothing",
  ["tenant_invitations"]:
    "stays, because it is for another mailbox, and counts no longer when its inviter is no member",
  ["user_roles"]:
    "stays, because the application gives the roles, and it says nothing that the user's own row does not",
  ["recovery_codes"]: "stays, because they are part of the factor, and open nothing alone",
};

/**
 * Finds the user who owns a mailbox and may sign in; also by an address stored without its
 * identity, as long as no other user has that. ?1 user, ?2 mailbox.
 */
export const HOLDER = `id = ?1 AND disabled_at IS NULL AND (email_identity = ?2
  OR email_identity IS NULL AND lower(email) = ?2
    AND NOT EXISTS (SELECT 1 FROM users AS others WHERE others.email_identity = ?2))`;

/** Statements of the first proof of a mailbox, to be run in this order, in one transaction. */
export interface ProofTexts {
  /**
   * Deletes every way back in for somebody who never proved the mailbox. Not run when the owner
   * keeps their own.
   */
  ends: string[];
  /** Stores the proof, and gives a row when it is the first. The passwords of before count no longer. */
  prove: string;
  /** The same, and the passwords count as before. */
  proveKeeping: string;
}

/**
 * Writes the statements of a first proof, each with ?1 user, ?2 mailbox; those that prove with ?3 now.
 *
 * @param holds A further condition of each, which may use ?3 in all of them and what comes after. Default: none.
 * @param spares A condition of the rows of `verifications` that end. Default: all do.
 */
export function writeProof(holds = "", spares = ""): ProofTexts {
  const unproved = `${HOLDER} AND email_verified IS NULL${holds}`;
  const prove = (credentials: string) =>
    `UPDATE users SET email_identity = ?2, email_verified = ?3, updated_at = ?3${credentials}
WHERE ${unproved} RETURNING id`;
  return {
    ends: ENDING.map((table) =>
      `DELETE FROM ${table} WHERE user_id = ?1 AND EXISTS (SELECT 1 FROM users WHERE ${unproved})${
        table === "verifications" ? spares : ""
      }`
    ),
    prove: prove(`, credentials_after = ${NEVER}`),
    proveKeeping: prove(""),
  };
}
