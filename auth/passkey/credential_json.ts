import { fromBase64UrlBytes } from "./base64url.ts";

/** A credential as the browser's `toJSON()` writes it, as far as anybody here reads it. */
export interface CredentialJson {
  /** The credential's id, base64url. */
  id: string;
  /** What `response` holds, by name; only texts. */
  response: ReadonlyMap<string, string>;
  /** How the authenticator can be reached, as far as the browser knows. */
  transports: string[];
}

const MAX_ID = 1023;
const MAX_TRANSPORTS = 8;

function fieldsOf(value: unknown): Map<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("Credential that is no object");
  }
  return new Map(Object.entries(value));
}

function readTransports(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const names = value.filter((name) => typeof name === "string" && /^[a-z-]{1,32}$/.test(name));
  return [...new Set<string>(names)].slice(0, MAX_TRANSPORTS);
}

/**
 * Reads the credential that a browser sent. What is not needed is not looked at.
 *
 * @throws {Error} When it is malformed.
 */
export function readCredentialJson(text: string): CredentialJson {
  const credential = fieldsOf(JSON.parse(text));
  const response = fieldsOf(credential.get("response"));
  const id = credential.get("id");
  if (typeof id !== "string" || id !== credential.get("rawId")) {
    throw new Error("Credential without an id");
  }
  const { length } = fromBase64UrlBytes(id);
  if (length < 1 || length > MAX_ID) throw new Error("Credential id of a wrong length");
  if (credential.get("type") !== "public-key") throw new Error("Credential of another type");
  return {
    id,
    response: new Map(
      [...response].filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    transports: readTransports(response.get("transports")),
  };
}

/**
 * The bytes of one part of the response.
 *
 * @throws {Error} When it is not there, or no base64url.
 */
export function responseBytes({ response }: CredentialJson, name: string): Uint8Array {
  const text = response.get(name);
  if (text === undefined) throw new Error(`Response without ${name}`);
  return fromBase64UrlBytes(text);
}
