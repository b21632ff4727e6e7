/**
 * Second factors that come from another library.
 *
 * @module
 */

import { reportChange } from "../../core/report.ts";
import { currentRequest } from "../../core/request.ts";
import { RequestError } from "../../errors.ts";
import { verifiedEmail } from "../../types/user.ts";
import { factorsOf, placeOfSecret, sealFor } from "./factor.ts";
import { assertGate } from "./require.ts";
import { stepAt, toBase32 } from "./totp.ts";

/** Options for `importSecondFactor()`. */
export interface ImportSecondFactorOptions {
  /**
   * Shared secret of the user's authenticator app: base32, in whatever way it is written, or its bytes. 10 to 128 bytes, of
   * which the app makes six digits every 30 seconds with SHA-1.
   */
  secret: string | Uint8Array;
}

// RFC 4226, 4, R6 asks for 16 bytes; some libraries made 10.
const BYTES = { least: 10, most: 128 };
const BASE32 = /^[A-Z2-7]{16,205}$/;

/** The secret in base32, as it is stored; null for what is none. */
function readSecret(secret: unknown): string | null {
  if (secret instanceof Uint8Array) {
    const { length } = secret;
    return length < BYTES.least || length > BYTES.most ? null : toBase32(secret);
  }
  const text = typeof secret === "string" ? secret.toUpperCase().replace(/[\s=-]/g, "") : "";
  return BASE32.test(text) ? text : null;
}

/**
 * Turns the second factor of a user on with the secret that an authenticator app has from another library, sealed by the
 * application's `secret`. The app goes on as before; a code of the present half minute or of an earlier one counts no more.
 * There are no recovery codes: the user makes them on the page of the second factor. For a migration, before anybody signs
 * in: until then a password alone opens the account, and whoever has it can turn on a factor of their own.
 *
 * @param userId Whose second factor it is.
 * @param options `secret`: the shared secret.
 * @returns False, and nothing is changed, when there is no such user, the user is disabled, has no proved address, or has a
 * second factor. Whoever proves the address of an account keeps the factor that is on.
 * @throws {RequestError} When the secret is no base32 of 10 to 128 bytes.
 * @throws {ConfigurationError} Without `secondFactor()` among the providers.
 * @throws {OutsideRequestError} When there is no request: a script runs it in `auth.run()`.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, importSecondFactor, secondFactor } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   secret: "a secret of at least thirty-two bytes",
 *   providers: [secondFactor({ sendMail: () => {} })],
 * });
 * await auth.run(new Request("http://localhost/"), {}, undefined, async () => {
 *   await createUser({ id: "ada", email: "ada@example.com", emailVerified: new Date() });
 *   equal(await importSecondFactor("ada", { secret: "JBSW Y3DP EHPK 3PXP" }), true);
 *   return new Response();
 * });
 * ```
 */
export async function importSecondFactor(
  userId: string,
  { secret: given }: ImportSecondFactorOptions,
): Promise<boolean> {
  const store = currentRequest("importSecondFactor");
  const secret = readSecret(given);
  if (secret === null) {
    throw new RequestError(
      `The secret of a second factor is base32 of ${BYTES.least} to ${BYTES.most} bytes, or the bytes themselves`,
    );
  }
  const { settings } = store.auth;
  assertGate(settings, "importSecondFactor");
  const user = await settings.storage.getActiveUser(userId);
  // Else whoever had signed up with the address of somebody else would leave them a factor that they cannot show.
  if (user === null || verifiedEmail(user) === null) return false;
  const createdAt = settings.now();
  const factor = {
    userId,
    secret: await sealFor(settings, secret, placeOfSecret(userId)),
    // The other library may have accepted the code of this step: it counts once (RFC 6238, 5.2).
    lastStep: stepAt(createdAt),
    createdAt,
    codes: [],
    replaces: null,
  };
  return await reportChange(
    store,
    { events: [{ type: "second-factor-added", userId }] },
    () => factorsOf(settings).putFactor(factor),
  );
}
