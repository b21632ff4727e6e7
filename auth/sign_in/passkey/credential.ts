/**
 * Credentials as browsers send them, parsed and checked.
 *
 * @module
 */

import type { ParsedAuthenticatorData } from "@simplewebauthn/server/helpers";
import type { EndpointContext } from "../../core/contracts.ts";
import { isAuthError, PasskeyError, type PasskeyErrorCode } from "../../errors.ts";
import { fromBase64UrlBytes } from "../../lib/encoding.ts";

/** A credential as the browser's `toJSON()` writes it, as far as anybody here reads it. */
export interface CredentialJson {
  /** The credential's id, base64url. */
  id: string;
  /** Fields of `response` by name; only texts. */
  response: ReadonlyMap<string, string>;
  /** Transports of the authenticator that the browser reports. */
  transports: string[];
}

const MAX_ID = 1023;
const MAX_TRANSPORTS = 8;

function fieldsOf(value: unknown): Map<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error("The credential is not an object");
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
function readCredentialJson(text: string): CredentialJson {
  const credential = fieldsOf(JSON.parse(text));
  const response = fieldsOf(credential.get("response"));
  const id = credential.get("id");
  if (typeof id !== "string" || id !== credential.get("rawId")) {
    throw new Error("The credential has no id");
  }
  const { length } = fromBase64UrlBytes(id);
  if (length < 1 || length > MAX_ID) throw new Error("The credential id has a wrong length");
  if (credential.get("type") !== "public-key") throw new Error("The credential is of another type");
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
  if (text === undefined) throw new Error(`The response has no ${name}`);
  return fromBase64UrlBytes(text);
}

/** Client data (WebAuthn Level 3, 5.8.1): the browser's account of a ceremony. */
interface ClientData {
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
function readClientData(
  credential: CredentialJson,
  { decodeClientDataJSON }: Pick<Decoders, "decodeClientDataJSON">,
): ClientData {
  // The decoder puts other letters in the place of bytes that are no UTF-8.
  utf8.decode(responseBytes(credential, "clientDataJSON"));
  const parsed: unknown = decodeClientDataJSON(credential.response.get("clientDataJSON")!);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new Error("The client data is not an object");
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

/** Parsed response of a browser at the end of a ceremony, not yet verified. */
export interface Answer {
  /** The credential. */
  credential: CredentialJson;
  /** Client data of the ceremony. */
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
 * Refuses an authenticator that has not verified its user where that is required.
 *
 * @throws {PasskeyError} `PASSKEY_UNVERIFIED`.
 */
export function assertVerified(
  { userVerification }: { userVerification: string },
  isVerified: boolean,
): void {
  if (isVerified || userVerification !== "required") return;
  const cause = new Error("The authenticator has not verified its user");
  throw new PasskeyError(undefined, { code: "PASSKEY_UNVERIFIED", cause });
}

/** Conditions that the client is told by name. */
const TOLD: readonly string[] = ["PASSKEY_UNKNOWN", "PASSKEY_UNVERIFIED"];

/**
 * Does a step that throws for whatever is wrong with an answer. The client hears only that something was, and
 * the log what.
 *
 * @throws {PasskeyError} With `code`.
 */
export async function orRefuse<T>(
  step: () => T | Promise<T>,
  code: PasskeyErrorCode,
  { store }: EndpointContext,
): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    const isTold = isAuthError(cause) && TOLD.includes(cause.code);
    if (isAuthError(cause) && !isTold) throw cause;
    const told = isTold ? cause.cause : cause;
    const reason = told instanceof Error ? told.message.slice(0, 200) : "unknown";
    store.auth.settings.logger.warn("passkey-refused", { requestId: store.requestId(), reason });
    throw isTold ? cause : new PasskeyError(undefined, { code, cause });
  }
}

/** Authenticator data (WebAuthn Level 3, 6.1), decoded. */
export interface AuthenticatorData {
  /** The fields, as the library decodes them. */
  fields: ParsedAuthenticatorData;
  /** The new key's parameters, in a registration only. */
  key: CborMap | null;
}

/** Writes the fields one behind the other, as they stand in authenticator data. */
function encodeFields(
  { rpIdHash, flagsBuf, counterBuf, ...optional }: ParsedAuthenticatorData,
): number[] {
  const { aaguid = [], credentialID, credentialPublicKey = [], extensionsDataBuffer = [] } =
    optional;
  const id = credentialID === undefined
    ? []
    : [credentialID.length >> 8, credentialID.length & 255, ...credentialID];
  return [
    ...[...rpIdHash, ...flagsBuf, ...counterBuf, ...aaguid],
    ...[...id, ...credentialPublicKey, ...extensionsDataBuffer],
  ];
}

/**
 * Decodes authenticator data to the last byte: the decoder's fields, written again, must be the bytes that came, and
 * the key and the extensions must be CBOR in its one encoding. That leaves out what the decoder mends, such as the
 * keys that Firefox 117 wrote wrongly.
 *
 * Texts in extensions must be ASCII, as all that are registered are: the decoder finds the end of others wrongly.
 *
 * @throws {Error} When it is malformed.
 */
export function readAuthenticatorData(bytes: Uint8Array, decoders: Decoders): AuthenticatorData {
  const fields = decoders.parseAuthenticatorData(bytes.slice());
  if (!equalBytes(encodeFields(fields), bytes)) {
    throw new Error("The authenticator data is not what its fields are written as");
  }
  const { credentialPublicKey, extensionsDataBuffer } = fields;
  if (extensionsDataBuffer !== undefined) decodeCborMap(extensionsDataBuffer, decoders);
  const key = credentialPublicKey && decodeCborMap(credentialPublicKey, decoders);
  return { fields, key: key ?? null };
}

/** Kinds of CBOR that authenticators write. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | CborValue[]
  | CborMap;

/** A map of CBOR; its keys are numbers and texts. */
export type CborMap = Map<number | string, CborValue>;

const MAX_DEPTH = 8;
const encoder = /* @__PURE__ */ new TextEncoder();

/** The head of an item (RFC 8949, section 3), in the shortest form for its number. */
function encodeHead(kind: number, size: number): number[] {
  const first = kind << 5;
  if (size < 24) return [first | size];
  const form = size < 2 ** 8 ? 0 : size < 2 ** 16 ? 1 : size < 2 ** 32 ? 2 : 3;
  const head = [first | (24 + form)];
  // By division, since the operators for bits know no more than 32 of them.
  for (let place = 2 ** form - 1; place >= 0; place--) {
    head.push(Math.floor(size / 256 ** place) % 256);
  }
  return head;
}

/**
 * Writes a value as CTAP2 does (CTAP 2.1, section 8): definite lengths, the shortest form of each number, neither
 * floats nor tags; a map in the order that it has.
 *
 * @throws {Error} For values of other kinds and for lists and maps more than eight deep in each other.
 */
function encodeCbor(value: unknown, depth: number = 0): number[] {
  if (depth > MAX_DEPTH) throw new Error("The CBOR is too deep");
  if (value === null) return [0xf6];
  if (typeof value === "boolean") return [value ? 0xf5 : 0xf4];
  if (typeof value === "number" && Number.isSafeInteger(value)) {
    return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  }
  if (value instanceof Uint8Array) return [...encodeHead(2, value.length), ...value];
  if (typeof value === "string") {
    const bytes = encoder.encode(value);
    return [...encodeHead(3, bytes.length), ...bytes];
  }
  const encodeInner = (inner: unknown): number[] => encodeCbor(inner, depth + 1);
  if (Array.isArray(value)) return [...encodeHead(4, value.length), ...value.flatMap(encodeInner)];
  if (value instanceof Map) {
    return [...encodeHead(5, value.size), ...[...value].flat().flatMap(encodeInner)];
  }
  throw new Error("The CBOR holds a value of a kind that no authenticator writes");
}

/** Compares bytes that are no secret. */
function equalBytes(a: ArrayLike<number>, b: Uint8Array): boolean {
  return a.length === b.length && b.every((byte, index) => byte === a[index]);
}

/**
 * Decodes bytes that are exactly one item of CBOR. The decoder is lenient: it takes numbers longer than they need be,
 * text that is no UTF-8 and bytes behind the item. So the value is encoded again, and bytes that are not its one
 * encoding are refused: whoever reads them, with whatever decoder, reads the same.
 *
 * @throws {Error} For anything else.
 */
export function decodeCbor(bytes: Uint8Array, { isoCBOR }: Pick<Decoders, "isoCBOR">): CborValue {
  const value: unknown = isoCBOR.decodeFirst(bytes.slice());
  if (!equalBytes(encodeCbor(value), bytes)) {
    throw new Error("The CBOR is not the one encoding of what it holds");
  }
  return value as CborValue;
}

/**
 * Decodes bytes that are exactly one map of CBOR, as {@linkcode decodeCbor} does.
 *
 * @throws {Error} For anything else.
 */
export function decodeCborMap(bytes: Uint8Array, decoders: Pick<Decoders, "isoCBOR">): CborMap {
  const value = decodeCbor(bytes, decoders);
  if (!(value instanceof Map)) throw new Error("The CBOR is not a map");
  return value;
}

/** The algorithms that are offered, the preferred one first: ES256, EdDSA and RS256 (RFC 9053, RFC 8812). */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

// The curve P-256 (FIPS 186-4, D.1.2.3): y² = x³ - 3x + b over the integers modulo p.
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

// Beyond this a check costs more than a sign-in may.
const MAX_MODULUS_BYTES = 512;

function toInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

function bytesOf(value: CborValue | undefined, length?: number): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new Error("The public key lacks a parameter");
  if (length !== undefined && value.length !== length) {
    throw new Error("The public key has a wrong size");
  }
  return value;
}

function assertOnCurve(x: bigint, y: bigint): void {
  const onCurve = x < P && y < P && (y * y - (x * x * x - 3n * x + B)) % P === 0n;
  if (!onCurve) throw new Error("The public key is not a point of its curve");
}

function assertRsa(modulus: Uint8Array, exponent: Uint8Array): void {
  const n = modulus.length <= MAX_MODULUS_BYTES ? toInteger(modulus) : 0n;
  if (n >> 2047n === 0n || n % 2n === 0n) {
    throw new Error("The RSA modulus is too small, too large or even");
  }
  const e = exponent.length <= 4 ? toInteger(exponent) : 0n;
  if (e < 65537n || e % 2n === 0n) {
    throw new Error("The RSA exponent is too small, too large or even");
  }
}

/**
 * Checks that a COSE key is of an algorithm that was offered, that its parts fit that algorithm, that it has no other
 * ones and that it is a key at all (WebAuthn Level 3, 7.1 step 19, 5.8.5 and 6.5.1.1). The platforms find some of that
 * out only when they verify, which would be long after the registration.
 *
 * @throws {Error} When it is not.
 */
export function assertPublicKey(key: CborMap): void {
  const [type, algorithm, curve] = [key.get(1), key.get(3), key.get(-1)];
  if (key.size !== (type === 2 ? 5 : 4)) {
    throw new Error("The public key has other parameters than its algorithm needs");
  }
  if (algorithm === -7 && type === 2 && curve === 1) {
    return assertOnCurve(toInteger(bytesOf(key.get(-2), 32)), toInteger(bytesOf(key.get(-3), 32)));
  }
  if (algorithm === -8 && type === 1 && curve === 6) return void bytesOf(key.get(-2), 32);
  if (algorithm === -257 && type === 3) {
    return assertRsa(bytesOf(key.get(-1)), bytesOf(key.get(-2)));
  }
  throw new Error(
    "The public key's algorithm was not offered, or is not the one it claims",
  );
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;

/** Takes one element from the front: what is in it, and what is behind it. */
function takeElement(bytes: Uint8Array, tag: number): [content: Uint8Array, behind: Uint8Array] {
  if (bytes[0] !== tag) throw new Error("The signature is not in the expected DER form");
  // The long form, in one byte more, is for what the short form cannot say.
  const isLong = bytes[1] === 0x81;
  const start = isLong ? 3 : 2;
  const length = bytes[start - 1];
  if (length === undefined || isLong !== length >= 0x80 || bytes.length < start + length) {
    throw new Error("The signature has a wrong length, or not the shortest form of it");
  }
  return [bytes.subarray(start, start + length), bytes.subarray(start + length)];
}

function assertPositive([first, second = 0]: Uint8Array): void {
  const isPositive = first !== undefined && first < 0x80 && (first !== 0 || second >= 0x80);
  if (!isPositive) {
    throw new Error(
      "The signature has an integer that is not positive, or not in its shortest form",
    );
  }
}

/**
 * Checks that an ECDSA signature is written in DER (X.690, 10 and 11; RFC 3279, 2.2.3): two positive integers, in the
 * shortest form there is, and nothing behind them. The verifier's own parser reads BER, in which one signature has many
 * spellings.
 *
 * @throws {Error} When it is not.
 */
export function assertDerSignature(signature: Uint8Array): void {
  const [numbers, behind] = takeElement(signature, SEQUENCE);
  const [r, rest] = takeElement(numbers, INTEGER);
  const [s, more] = takeElement(rest, INTEGER);
  if (behind.length + more.length > 0) {
    throw new Error("The signature is followed by further bytes");
  }
  assertPositive(r);
  assertPositive(s);
}

/** Checks the signature that a key makes, where the key is one of ECDSA: others have no structure. */
export function assertSignature(key: Pick<CborMap, "get">, signature: Uint8Array): void {
  if (key.get(1) === 2) assertDerSignature(signature);
}

/** Formats of attestations that name a maker (WebAuthn Level 3, 8, and the registry of IANA). */
const MAKERS: readonly unknown[] = [
  "packed",
  "tpm",
  "android-key",
  "android-safetynet",
  "fido-u2f",
  "apple",
  "compound",
];

/** Tests if a value is the statement of a maker, with certificates where it has a list of them. */
function isStatement(format: CborValue | undefined, statement: CborValue | undefined): boolean {
  if (format === "compound") return Array.isArray(statement);
  if (!(statement instanceof Map) || statement.size === 0) return false;
  const certificates = statement.get("x5c");
  return certificates === undefined || Array.isArray(certificates) && certificates.length > 0;
}

/**
 * Attestation object without the word of a maker (WebAuthn Level 3, 7.1 step 24: nobody asked for it, and it decides
 * nothing). The verifier would read the certificates of a stranger: it fetches what they call their list of revoked
 * ones, from whatever address they name, and tries every order of their chain.
 *
 * No attestation and that by the new key itself stay as they are.
 *
 * @returns The bytes of the object for the verifier.
 * @throws {Error} When the attestation is malformed, or its format is unknown.
 */
export function withoutMaker(object: CborMap): Uint8Array {
  const [format, statement] = [object.get("fmt"), object.get("attStmt")];
  const ofKey = format === "packed" && statement instanceof Map && !statement.has("x5c");
  if (format === "none" || ofKey) {
    if (!(statement instanceof Map)) throw new Error("The attestation has no statement");
    const signature = statement.get("sig");
    const isEcdsa = statement.get("alg") === -7;
    if (isEcdsa && signature instanceof Uint8Array) assertDerSignature(signature);
    return Uint8Array.from(encodeCbor(object));
  }
  if (!MAKERS.includes(format) || !isStatement(format, statement)) {
    throw new Error("The attestation is malformed, or its format is unknown");
  }
  return Uint8Array.from(
    encodeCbor(new Map<unknown, unknown>([...object, ["fmt", "none"], ["attStmt", new Map()]])),
  );
}

/** The library that verifies ceremonies and signatures. */
export type Verifier = typeof import("@simplewebauthn/server");

/** The same library's decoders: the only ones that read what an authenticator wrote. */
export type Decoders = typeof import("@simplewebauthn/server/helpers");

/**
 * Loads the library that verifies, when a passkey is to be verified: it is large, and an application without
 * passkeys is to have none of it, neither in its bundle nor at its start.
 */
export function loadVerifier(): Promise<Verifier> {
  return import("@simplewebauthn/server");
}

/** Loads the decoders, when the first answer of a browser is read. */
export function loadDecoders(): Promise<Decoders> {
  return import("@simplewebauthn/server/helpers");
}
