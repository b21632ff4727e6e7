import type { TestContext } from "../context/types.ts";
import { TestingError } from "../errors.ts";
import { base64url, concat, fromBase64url, sha256 } from "./bytes.ts";
import { encodeCbor } from "./cbor.ts";

/** A credential as a browser's `toJSON()` writes it. */
export interface TestCredentialJson {
  /** The id of the credential, base64url. */
  id: string;
  /** The same once more, as the standard has it. */
  rawId: string;
  /** Always `public-key`. */
  type: string;
  /**
   * What the authenticator signed: client data with attestation, or with authenticator data and
   * signature.
   */
  response: Record<string, unknown>;
  /** What extensions gave: nothing. */
  clientExtensionResults: Record<string, unknown>;
}

/** How an authenticator behaves. */
export interface TestAuthenticatorOptions {
  /** Whether it knows that its owner is there. Default true. */
  userVerified?: boolean;
}

/** An authenticator with the browser around it, in software. */
export interface TestAuthenticator {
  /**
   * Adds a passkey to whoever is signed in in a context, or makes an account with one, by the application's
   * own endpoints.
   *
   * @param name Display name of an account that is to be made; left out for who is signed in.
   * @returns The application's answer.
   */
  register(context: Pick<TestContext, "fetch" | "origin">, name?: string): Promise<Response>;
  /**
   * Signs in by the newest passkey that may be used, by the application's own endpoints.
   *
   * @returns The application's answer; the context's cookies are signed in then.
   */
  signIn(
    context: Pick<TestContext, "fetch" | "origin">,
    options?: { id?: string; callbackUrl?: string },
  ): Promise<Response>;
  /**
   * Makes a passkey, as `navigator.credentials.create()` on a page of `origin`.
   *
   * @throws {DOMException} `InvalidStateError` when it has one that is excluded.
   */
  create(publicKey: unknown, origin: string): Promise<TestCredentialJson>;
  /**
   * Signs with a passkey, as `navigator.credentials.get()` on a page of `origin`.
   *
   * @throws {DOMException} `NotAllowedError` when it has none.
   */
  get(publicKey: unknown, origin: string): Promise<TestCredentialJson>;
}

interface Passkey {
  id: Uint8Array;
  userHandle: string;
  rpId: string;
  counter: number;
  keys: CryptoKeyPair;
}

interface Asked {
  challenge: string;
  rpId: string;
  rp: { id: string };
  user: { id: string };
  excludeCredentials?: { id: string }[];
  allowCredentials?: { id: string }[];
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Makes an authenticator for passkeys. It has none yet.
 *
 * @param options How it behaves.
 * @example
 * ```ts
 * import { createTestAuthenticator } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * // What an application answers where a passkey is to be made.
 * const asked = { challenge: "AAAA", rp: { id: "localhost" }, user: { id: "YWRh" } };
 * const authenticator = createTestAuthenticator();
 * const credential = await authenticator.create(asked, "http://localhost");
 *
 * const proof = await authenticator.get({ challenge: "AAAB", rpId: "localhost" }, "http://localhost");
 * assert.equal(proof.id, credential.id);
 * ```
 */
export function createTestAuthenticator(
  { userVerified = true }: TestAuthenticatorOptions = {},
): TestAuthenticator {
  const passkeys: Passkey[] = [];

  async function dataOf(rpId: string, counter: number, key?: Uint8Array): Promise<Uint8Array> {
    // User present, verified, backup eligible and backed up, attested data (WebAuthn, 6.1).
    const flags = 0x19 | (userVerified ? 0x04 : 0) | (key === undefined ? 0 : 0x40);
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, counter);
    return concat(await sha256(rpId), Uint8Array.of(flags), count, key ?? new Uint8Array());
  }

  async function create(publicKey: unknown, origin: string): Promise<TestCredentialJson> {
    const { challenge, user, rp, excludeCredentials = [] } = publicKey as Asked;
    const excluded = excludeCredentials.map(({ id }) => id);
    if (passkeys.some(({ id }) => excluded.includes(base64url(id)))) {
      throw new DOMException("The authenticator has a passkey already.", "InvalidStateError");
    }
    const usages: KeyUsage[] = ["sign", "verify"];
    const keys = await crypto.subtle.generateKey(ALGORITHM, true, usages) as CryptoKeyPair;
    const id = crypto.getRandomValues(new Uint8Array(32));
    passkeys.push({ id, userHandle: user.id, rpId: rp.id, counter: 1, keys });
    const key = concat(new Uint8Array(16), Uint8Array.of(0, id.length), id, await coseKey(keys));
    const attestation = encodeCbor(
      new Map<string, unknown>([
        ["fmt", "none"],
        ["attStmt", new Map()],
        ["authData", await dataOf(rp.id, 1, key)],
      ]),
    );
    return credentialOf(id, {
      clientDataJSON: base64url(clientData("webauthn.create", challenge, origin)),
      attestationObject: base64url(attestation),
      transports: ["internal"],
    });
  }

  async function get(publicKey: unknown, origin: string): Promise<TestCredentialJson> {
    const { challenge, rpId, allowCredentials = [] } = publicKey as Asked;
    const allowed = allowCredentials.map(({ id }) => id);
    const passkey = passkeys.findLast((one) =>
      one.rpId === rpId && (allowed.length === 0 || allowed.includes(base64url(one.id)))
    );
    if (passkey === undefined) {
      throw new DOMException(
        "The authenticator has no passkey that may be used.",
        "NotAllowedError",
      );
    }
    passkey.counter++;
    const data = await dataOf(rpId, passkey.counter);
    const client = clientData("webauthn.get", challenge, origin);
    return credentialOf(passkey.id, {
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(await sign(passkey.keys, concat(data, await sha256(client)))),
      userHandle: passkey.userHandle,
    });
  }

  return {
    create,
    get,
    async register(context, name) {
      const options = await ask(context, "register", name === undefined ? {} : { name });
      const credential = JSON.stringify(await create(options, context.origin));
      const body = new URLSearchParams({ credential });
      return await context.fetch("/auth/passkey/register", { method: "POST", body });
    },
    async signIn(context, { id = "passkey", callbackUrl } = {}) {
      const options = await ask(context, "authenticate", {});
      const credential = JSON.stringify(await get(options, context.origin));
      const body = new URLSearchParams({
        credential,
        ...(callbackUrl !== undefined && { callbackUrl }),
      });
      return await context.fetch(`/auth/signin/${id}`, { method: "POST", body });
    },
  };
}

async function ask(
  { fetch }: Pick<TestContext, "fetch">,
  ceremony: string,
  fields: Record<string, string>,
): Promise<unknown> {
  const response = await fetch(`/auth/passkey/options/${ceremony}`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  if (response.ok) return await response.json();
  throw new TestingError(
    "PASSKEY",
    `The application answered /auth/passkey/options/${ceremony} with ${response.status}: ` +
      `${await response.text()}. Registering needs a user who has just signed in (withAuth), ` +
      "or signUp: true and a name.",
  );
}

function clientData(type: string, challenge: string, origin: string): Uint8Array<ArrayBuffer> {
  return concat(
    new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin: false })),
  );
}

function credentialOf(id: Uint8Array, response: Record<string, unknown>): TestCredentialJson {
  const text = base64url(id);
  return { id: text, rawId: text, type: "public-key", response, clientExtensionResults: {} };
}

/** The public key as COSE has it (RFC 9053, section 7.1). */
async function coseKey({ publicKey }: CryptoKeyPair): Promise<Uint8Array> {
  const { x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  return encodeCbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, fromBase64url(x!)],
      [-3, fromBase64url(y!)],
    ]),
  );
}

/** A signature as DER, which WebAuthn has and Web Crypto has not (WebAuthn, 6.5.5). */
async function sign(
  { privateKey }: CryptoKeyPair,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  const signature = new Uint8Array(await crypto.subtle.sign(ALGORITHM, privateKey, data));
  const numbers = concat(derInteger(signature.subarray(0, 32)), derInteger(signature.subarray(32)));
  return concat(Uint8Array.of(0x30, numbers.length), numbers);
}

function derInteger(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const trimmed = bytes.subarray(start);
  const positive = trimmed[0]! >= 0x80 ? concat(Uint8Array.of(0), trimmed) : trimmed;
  return concat(Uint8Array.of(0x02, positive.length), positive);
}
