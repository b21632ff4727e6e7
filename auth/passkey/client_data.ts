import { type CredentialJson, responseBytes } from "./credential_json.ts";
import type { Decoders } from "./load_verifier.ts";

/** Client data (WebAuthn Level 3, 5.8.1): the browser's account of a ceremony. */
export interface ClientData {
  /** The kind of ceremony: "webauthn.create" or "webauthn.get". */
  type: string;
  /** The challenge that was signed. */
  challenge: string;
  /** The origin of the page that asked for it. */
  origin: string;
}

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes the client data of a credential. A page in a frame of another site is refused: its visitor does not see
 * where a click leads.
 *
 * @throws {Error} When it is malformed, or the ceremony happened in such a frame.
 */
export function readClientData(
  credential: CredentialJson,
  { decodeClientDataJSON }: Pick<Decoders, "decodeClientDataJSON">,
): ClientData {
  // The decoder puts other letters in the place of bytes that are no UTF-8.
  utf8.decode(responseBytes(credential, "clientDataJSON"));
  const parsed: unknown = decodeClientDataJSON(credential.response.get("clientDataJSON")!);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error("The client data is no object");
  }
  // A map, in which no name can be one that objects have already.
  const fields = new Map<string, unknown>(Object.entries(parsed));
  const [type, challenge, origin] = ["type", "challenge", "origin"].map((name) => fields.get(name));
  if (typeof type !== "string" || typeof challenge !== "string" || typeof origin !== "string") {
    throw new Error("The client data lacks its type, challenge or origin");
  }
  const embedded = (fields.get("crossOrigin") ?? false) !== false ||
    (fields.get("topOrigin") ?? null) !== null;
  if (embedded) throw new Error("The ceremony happened in a frame of another site");
  return { type, challenge, origin };
}
