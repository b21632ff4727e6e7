import { toBase64Url } from "../lib/encoding.ts";
import type { CborMap, CborValue } from "../sign_in/passkey/credential.ts";

/** A credential as a browser's `toJSON()` writes it. */
export interface CredentialJson {
  id: string;
  rawId: string;
  type: string;
  response: Record<string, unknown>;
  clientExtensionResults: Record<string, unknown>;
}

/** A key that the authenticator holds. */
export interface SoftwareCredential {
  /** Its id. */
  id: Uint8Array;
  /** For whom it was made, base64url. */
  userHandle: string;
  /** Where it was made. */
  rpId: string;
  /** How often it has signed. */
  counter: number;
  /** The key pair. */
  keys: CryptoKeyPair;
}

/** What a ceremony is made to say. */
export interface CeremonyFaults {
  /** Changes what the browser says; a text is taken as the JSON itself. */
  clientData?(fields: Record<string, unknown>): Record<string, unknown> | string | Uint8Array;
  /** Changes what the authenticator says, before it signs. */
  authenticatorData?(bytes: Uint8Array): Uint8Array;
  /** Changes the public key, in a registration. */
  publicKey?(key: CborMap): CborMap;
  /** Changes the attestation object; bytes are taken as they are. */
  attestation?(object: CborMap): CborMap | Uint8Array;
  /** Changes the signature. */
  signature?(bytes: Uint8Array): Uint8Array;
  /** Changes what is sent in the end. */
  credential?(json: CredentialJson): CredentialJson;
}

/** How an authenticator behaves. */
export interface SoftwareAuthenticatorOptions {
  /** The algorithm of its keys. Default "ES256". */
  algorithm?: "ES256" | "RS256" | "EdDSA";
  /** Whether it knows that its owner is there. Default true. */
  userVerified?: boolean;
  /** Whether its keys can be copied. Default true. */
  backupEligible?: boolean;
  /** Whether its keys have been copied. Default: as `backupEligible`. */
  backedUp?: boolean;
  /** Whether it counts. One that does not says 0. Default true. */
  counts?: boolean;
  /** Bytes of a credential's id. Default 32. */
  idLength?: number;
}

/** An authenticator and the browser around it, in software. */
export interface SoftwareAuthenticator {
  /** The keys that it holds, the newest last. */
  readonly credentials: SoftwareCredential[];
  /** How it behaves from now on. */
  readonly behaviour: Required<SoftwareAuthenticatorOptions>;
  /**
   * Makes a key, as `navigator.credentials.create()` on a page of `origin`.
   *
   * @throws {DOMException} `InvalidStateError` when it has one that is excluded.
   */
  create(options: unknown, origin: string, faults?: CeremonyFaults): Promise<CredentialJson>;
  /**
   * Signs with a key, as `navigator.credentials.get()` on a page of `origin`: the newest that may be used.
   *
   * @throws {DOMException} `NotAllowedError` when it has none.
   */
  get(options: unknown, origin: string, faults?: CeremonyFaults): Promise<CredentialJson>;
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function head(kind: number, size: number): Uint8Array {
  if (size < 24) return Uint8Array.of((kind << 5) | size);
  if (size < 256) return Uint8Array.of((kind << 5) | 24, size);
  if (size < 65536) return Uint8Array.of((kind << 5) | 25, size >> 8, size & 255);
  return Uint8Array.of(
    (kind << 5) | 26,
    size >>> 24,
    (size >> 16) & 255,
    (size >> 8) & 255,
    size & 255,
  );
}

/** Writes CBOR (RFC 8949) of what authenticators say, in the order of the map. */
export function encodeCbor(value: CborValue): Uint8Array {
  if (value === null) return Uint8Array.of(0xf6);
  if (typeof value === "boolean") return Uint8Array.of(value ? 0xf5 : 0xf4);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value);
    return concat(head(3, bytes.length), bytes);
  }
  if (Array.isArray(value)) return concat(head(4, value.length), ...value.map(encodeCbor));
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return concat(head(5, value.size), ...entries);
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

async function sha256(data: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  },
};

async function coseKey({ publicKey }: CryptoKeyPair): Promise<CborMap> {
  const { kty, x, y, n, e } = await crypto.subtle.exportKey("jwk", publicKey);
  if (kty === "EC") {
    const point: [number, CborValue][] = [[-2, fromBase64Url(x!)], [-3, fromBase64Url(y!)]];
    return new Map<number, CborValue>([[1, 2], [3, -7], [-1, 1], ...point]);
  }
  if (kty === "OKP") {
    return new Map<number, CborValue>([[1, 1], [3, -8], [-1, 6], [-2, fromBase64Url(x!)]]);
  }
  const numbers: [number, CborValue][] = [[-1, fromBase64Url(n!)], [-2, fromBase64Url(e!)]];
  return new Map<number, CborValue>([[1, 3], [3, -257], ...numbers]);
}

/** A number of a signature as DER writes it: no zeros before it but the one that keeps it positive. */
function derInteger(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  const positive = trimmed[0]! >= 0x80 ? concat(Uint8Array.of(0), trimmed) : trimmed;
  return concat(Uint8Array.of(0x02, positive.length), positive);
}

async function sign(
  { privateKey }: CryptoKeyPair,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const { name } = privateKey.algorithm;
  const algorithm = name === "ECDSA" ? { name, hash: "SHA-256" } : { name };
  const signature = new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, data));
  if (name !== "ECDSA") return signature;
  const numbers = concat(derInteger(signature.subarray(0, 32)), derInteger(signature.subarray(32)));
  return concat(Uint8Array.of(0x30, numbers.length), numbers);
}

interface Descriptor {
  id: string;
}

interface Options {
  challenge: string;
  rpId: string;
  rp: { id: string };
  user: { id: string };
  excludeCredentials?: Descriptor[];
  allowCredentials?: Descriptor[];
}

/** Makes an authenticator. It has no keys yet. */
export function createSoftwareAuthenticator(
  options: SoftwareAuthenticatorOptions = {},
): SoftwareAuthenticator {
  const credentials: SoftwareCredential[] = [];
  const { backupEligible = true } = options;
  const behaviour: Required<SoftwareAuthenticatorOptions> = {
    algorithm: "ES256",
    userVerified: true,
    backupEligible,
    backedUp: backupEligible,
    counts: true,
    idLength: 32,
    ...options,
  };

  function clientDataOf(
    type: string,
    { challenge }: Options,
    { origin, faults }: { origin: string; faults: CeremonyFaults },
  ): Uint8Array<ArrayBuffer> {
    const fields = { type, challenge, origin, crossOrigin: false };
    const said = faults.clientData?.(fields) ?? fields;
    if (said instanceof Uint8Array) return concat(said);
    return new TextEncoder().encode(typeof said === "string" ? said : JSON.stringify(said));
  }

  async function dataOf(rpId: string, counter: number, key?: Uint8Array): Promise<Uint8Array> {
    const { userVerified, backupEligible, backedUp } = behaviour;
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (backupEligible ? 0x08 : 0) |
      (backedUp ? 0x10 : 0) | (key === undefined ? 0 : 0x40);
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, counter);
    return concat(await sha256(rpId), Uint8Array.of(flags), count, key ?? new Uint8Array());
  }

  return {
    credentials,
    behaviour,
    async create(given, origin, faults = {}) {
      const asked = given as Options;
      const excluded = new Set(asked.excludeCredentials?.map(({ id }) => id));
      if (credentials.some(({ id }) => excluded.has(toBase64Url(id)))) {
        throw new DOMException("It has one already", "InvalidStateError");
      }
      const { algorithm, counts, idLength } = behaviour;
      const keys = await crypto.subtle.generateKey(ALGORITHMS[algorithm], true, [
        "sign",
        "verify",
      ]) as CryptoKeyPair;
      const id = crypto.getRandomValues(new Uint8Array(idLength));
      const counter = counts ? 1 : 0;
      credentials.push({ id, userHandle: asked.user.id, rpId: asked.rp.id, counter, keys });
      const cose = await coseKey(keys);
      const length = Uint8Array.of(id.length >> 8, id.length & 255);
      const key = encodeCbor(faults.publicKey?.(cose) ?? cose);
      const attested = concat(new Uint8Array(16), length, id, key);
      const data = await dataOf(asked.rp.id, counter, attested);
      const object: CborMap = new Map<string, CborValue>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", faults.authenticatorData?.(data) ?? data],
      ]);
      const attestation = faults.attestation?.(object) ?? object;
      const bytes = attestation instanceof Uint8Array ? attestation : encodeCbor(attestation);
      const json: CredentialJson = {
        id: toBase64Url(id),
        rawId: toBase64Url(id),
        type: "public-key",
        response: {
          clientDataJSON: toBase64Url(clientDataOf("webauthn.create", asked, { origin, faults })),
          attestationObject: toBase64Url(bytes),
          transports: ["internal"],
        },
        clientExtensionResults: {},
      };
      return faults.credential?.(json) ?? json;
    },
    async get(given, origin, faults = {}) {
      const asked = given as Options;
      const allowed = new Set(asked.allowCredentials?.map(({ id }) => id));
      const usable = credentials.filter(({ id, rpId }) =>
        rpId === asked.rpId && (allowed.size === 0 || allowed.has(toBase64Url(id)))
      );
      const credential = usable.at(-1);
      if (credential === undefined) throw new DOMException("It has none", "NotAllowedError");
      if (behaviour.counts) credential.counter++;
      const data = await dataOf(asked.rpId, credential.counter);
      const said = faults.authenticatorData?.(data) ?? data;
      const client = clientDataOf("webauthn.get", asked, { origin, faults });
      const signature = await sign(credential.keys, concat(said, await sha256(client)));
      const id = toBase64Url(credential.id);
      const json: CredentialJson = {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: toBase64Url(client),
          authenticatorData: toBase64Url(said),
          signature: toBase64Url(faults.signature?.(signature) ?? signature),
          userHandle: credential.userHandle,
        },
        clientExtensionResults: {},
      };
      return faults.credential?.(json) ?? json;
    },
  };
}
