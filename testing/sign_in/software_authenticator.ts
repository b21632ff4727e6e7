import { base64url, concat, fromBase64url, sha256 } from "./bytes.ts";
import { type CborMap, type CborValue, encodeCbor } from "./cbor.ts";

/** A credential as a browser's `toJSON()` writes it. */
export interface TestCredentialJson {
  /** The id of the credential, base64url. */
  id: string;
  /** The same id, which the standard repeats. */
  rawId: string;
  /** Always `public-key`. */
  type: string;
  /** Client data with attestation, or with authenticator data and signature. */
  response: Record<string, unknown>;
  /** Results of extensions: none. */
  clientExtensionResults: Record<string, unknown>;
}

/** Key of the authenticator. */
export interface SoftwareCredential {
  /** Its id. */
  id: Uint8Array;
  /** User handle, base64url. */
  userHandle: string;
  /** Id of the relying party. */
  rpId: string;
  /** Number of signatures made. */
  counter: number;
  /** The key pair. */
  keys: CryptoKeyPair;
}

/** Manipulations of a ceremony, for tests of refusals. */
export interface CeremonyFaults {
  /** Changes the client data; a text replaces the JSON. */
  clientData?(fields: Record<string, unknown>): Record<string, unknown> | string | Uint8Array;
  /** Changes the authenticator data before it is signed. */
  authenticatorData?(bytes: Uint8Array): Uint8Array;
  /** Changes the public key, in a registration. */
  publicKey?(key: CborMap): CborMap;
  /** Changes the attestation object; bytes replace its encoding. */
  attestation?(object: CborMap): CborMap | Uint8Array;
  /** Changes the signature. */
  signature?(bytes: Uint8Array): Uint8Array;
  /** Changes the resulting credential. */
  credential?(json: TestCredentialJson): TestCredentialJson;
}

/** Options for `createSoftwareAuthenticator()`. */
export interface SoftwareAuthenticatorOptions {
  /** The algorithm of its keys. Default "ES256". */
  algorithm?: "ES256" | "RS256" | "EdDSA";
  /** True when it verifies its user. Default true. */
  userVerified?: boolean;
  /** True when its keys can be backed up. Default true. */
  backupEligible?: boolean;
  /** True when its keys are backed up. Default: as `backupEligible`. */
  backedUp?: boolean;
  /** True when it counts its signatures; otherwise the counter is 0. Default true. */
  counts?: boolean;
  /** Bytes of a credential's id. Default 32. */
  idLength?: number;
}

/** Software authenticator together with its browser. */
export interface SoftwareAuthenticator {
  /** The keys that it holds, the newest last. */
  readonly credentials: SoftwareCredential[];
  /** Current options, which a test may change. */
  readonly behaviour: Required<SoftwareAuthenticatorOptions>;
  /**
   * Creates a key, as `navigator.credentials.create()` does on a page of `origin`.
   * @throws {DOMException} `InvalidStateError` when the authenticator has an excluded key.
   */
  create(options: unknown, origin: string, faults?: CeremonyFaults): Promise<TestCredentialJson>;
  /**
   * Signs with the newest allowed key, as `navigator.credentials.get()` does on a page of `origin`.
   * @throws {DOMException} `NotAllowedError` when the authenticator has no allowed key.
   */
  get(options: unknown, origin: string, faults?: CeremonyFaults): Promise<TestCredentialJson>;
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
    const point: [number, CborValue][] = [[-2, fromBase64url(x!)], [-3, fromBase64url(y!)]];
    return new Map<number, CborValue>([[1, 2], [3, -7], [-1, 1], ...point]);
  }
  if (kty === "OKP") {
    return new Map<number, CborValue>([[1, 1], [3, -8], [-1, 6], [-2, fromBase64url(x!)]]);
  }
  const numbers: [number, CborValue][] = [[-1, fromBase64url(n!)], [-2, fromBase64url(e!)]];
  return new Map<number, CborValue>([[1, 3], [3, -257], ...numbers]);
}

/**
 * Encodes an integer of a signature in DER: without leading zeros except the one that keeps it
 * positive.
 */
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

/** Creates an authenticator without keys. */
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
      if (credentials.some(({ id }) => excluded.has(base64url(id)))) {
        throw new DOMException("The authenticator has a passkey already.", "InvalidStateError");
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
      const json: TestCredentialJson = {
        id: base64url(id),
        rawId: base64url(id),
        type: "public-key",
        response: {
          clientDataJSON: base64url(clientDataOf("webauthn.create", asked, { origin, faults })),
          attestationObject: base64url(bytes),
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
        rpId === asked.rpId && (allowed.size === 0 || allowed.has(base64url(id)))
      );
      const credential = usable.at(-1);
      if (credential === undefined) {
        throw new DOMException(
          "The authenticator has no passkey that may be used.",
          "NotAllowedError",
        );
      }
      if (behaviour.counts) credential.counter++;
      const data = await dataOf(asked.rpId, credential.counter);
      const said = faults.authenticatorData?.(data) ?? data;
      const client = clientDataOf("webauthn.get", asked, { origin, faults });
      const signature = await sign(credential.keys, concat(said, await sha256(client)));
      const id = base64url(credential.id);
      const json: TestCredentialJson = {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(said),
          signature: base64url(faults.signature?.(signature) ?? signature),
          userHandle: credential.userHandle,
        },
        clientExtensionResults: {},
      };
      return faults.credential?.(json) ?? json;
    },
  };
}
