import { isAuthError } from "../errors/auth_error.ts";
import { PasskeyError, type PasskeyErrorCode } from "../errors/passkey_errors.ts";
import { type ClientData, readClientData } from "./client_data.ts";
import { type CredentialJson, readCredentialJson } from "./credential_json.ts";
import type { EndpointContext } from "../http/contracts.ts";
import { loadDecoders } from "./load_verifier.ts";

/** What a browser sent as the end of a ceremony. Nothing of it has been verified. */
export interface Answer {
  /** The credential. */
  credential: CredentialJson;
  /** What the browser says about the ceremony. */
  client: ClientData;
}

/**
 * Reads the field `credential` of a form: JSON as the browser's `toJSON()` makes it.
 *
 * @throws {Error} When it is malformed.
 */
export async function readAnswer(text: string | undefined): Promise<Answer> {
  const credential = readCredentialJson(text ?? "");
  return { credential, client: readClientData(credential, await loadDecoders()) };
}

/**
 * Does a step that throws for whatever is wrong with an answer. The client hears only that something was, and
 * the log what.
 *
 * @throws {PasskeyError} With `code`.
 */
export async function orRefuse<T>(
  step: () => T | Promise<T>,
  code: PasskeyErrorCode,
  { store, requestId }: EndpointContext,
): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (isAuthError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : "unknown";
    store.auth.settings.logger.warn("passkey-refused", { requestId, reason });
    throw new PasskeyError(undefined, { code, cause });
  }
}
