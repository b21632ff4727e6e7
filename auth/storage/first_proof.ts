/**
 * Tables whose rows of a user end when the user's mailbox is proved for the first time: whoever proves it may
 * not be who put them there, and each is a way to come back, or something that was prepared for the owner to
 * walk into (account pre-hijacking, USENIX Security 2022). Every table with a user's id is either here or in
 * {@linkcode STAYING}, which a test asks of the schema.
 *
 * The passwords are the application's: `users.credentials_after` ends them.
 */
export const ENDING = [
  "sessions",
  "accounts",
  "passkeys",
  "known_browsers",
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
};
