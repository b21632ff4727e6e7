/**
 * The check and the hash of a password that is to be set.
 *
 * @module
 */

import type { EndpointContext, Look } from "../../core/contracts.ts";
import { type AuthError, InvalidPasswordError } from "../../errors.ts";
import type { Html } from "../../lib/html.ts";
import { lookOf, say, sayOwn } from "../../pages/frame.ts";
import type { PageText } from "../../pages/texts.ts";
import { errorText, knownError } from "../../pages/trouble.ts";
import { isBreached } from "../../password/breached.ts";
import { isCommonPassword } from "../../password/common.ts";
import { checkPassword } from "../../password/policy.ts";
import type { CheckedPasswords } from "./options.ts";

/** A password that is refused, with the sentence that pages translate. */
class RefusedPasswordError extends InvalidPasswordError {
  constructor(readonly text: PageText, readonly values: Readonly<Record<string, number>> = {}) {
    super(text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name])));
  }
}

/** The words that an application and its user are known by: no password of theirs is made of them. */
function contextOf(
  { store }: EndpointContext,
  { email, name }: { email?: string | null | undefined; name?: string | null | undefined },
): string[] {
  const { host } = new URL(store.auth.origin());
  return [host, lookOf(store).name, email, name].filter((word) => typeof word === "string");
}

/**
 * Checks what costs nothing: length, characters, the blocklist, and what is guessed first.
 *
 * @param of The user, or who is to be one, as stored or as typed.
 * @throws {InvalidPasswordError} With what is wrong with it.
 */
export async function assertAllowed(
  context: EndpointContext,
  { policy }: CheckedPasswords,
  { password = "", of }: {
    password: string | undefined;
    of: { email?: string | null | undefined; name?: string | null | undefined };
  },
): Promise<string> {
  const problem = await checkPassword(password, policy);
  if (problem === null) {
    if (!isCommonPassword(password, contextOf(context, of))) return password;
    throw new RefusedPasswordError("This password is too common. Choose another.");
  }
  switch (problem.code) {
    case "TOO_SHORT":
      throw new RefusedPasswordError("That’s {n} characters. Use at least {min}.", {
        n: [...password.normalize("NFC")].length,
        min: policy.minLength,
      });
    case "BLOCKED":
      throw new RefusedPasswordError("This password is too common. Choose another.");
    default:
      throw new RefusedPasswordError("This password is too long or contains invalid characters.");
  }
}

/**
 * Hashes a password that is allowed, unless it is on the list of leaked ones. Where the list cannot be asked the
 * password is taken: nobody is kept out by somebody else's outage.
 *
 * @throws {InvalidPasswordError} When it is on the list.
 */
export async function hashNew(
  { store }: EndpointContext,
  { id: provider, breached, hasher }: CheckedPasswords,
  password: string,
): Promise<string> {
  if (breached) {
    const { settings } = store.auth;
    try {
      if (await isBreached(password, settings)) {
        throw new RefusedPasswordError(
          "This password is on a list of leaked passwords. Choose another.",
        );
      }
    } catch (error) {
      if (error instanceof InvalidPasswordError) throw error;
      settings.logger.warn("leaked-passwords-unavailable", { requestId: store.requestId(), error });
      store.report({ type: "password-unchecked", provider });
    }
  }
  return await hasher.hash(password);
}

/** Says on a page what was wrong: in the words of its code, or in the error's own. */
export function describeProblem(look: Look, error: AuthError | null): Html | null {
  if (error instanceof RefusedPasswordError) return say(look, error.text, error.values);
  if (error === null) return null;
  // One code for whatever is wrong with a request: its own words say more.
  if (error.code === "BAD_REQUEST") return errorText(look, error);
  return knownError(look, error.code) ?? sayOwn(look, error.message);
}
