import assert from "node:assert/strict";
import { toBase64Url } from "../../lib/encoding.ts";
import { ORIGIN, type TestApplication } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser, type PasskeyBrowser } from "../../tests/passkey_browser.ts";
import { encodeCbor } from "../../../testing/sign_in/cbor.ts";
import {
  type CeremonyFaults,
  createSoftwareAuthenticator,
  type SoftwareAuthenticator,
  type SoftwareAuthenticatorOptions,
} from "../../../testing/sign_in/software_authenticator.ts";
import type { CborMap, CborValue } from "./credential.ts";

/** One thing that is wrong, or looks wrong and is not. */
interface Mutation {
  faults?: CeremonyFaults;
  /** Origin of the page. */
  origin?: string;
  authenticator?: SoftwareAuthenticatorOptions;
  /** True for what must be accepted all the same. */
  accepted?: true;
}

type Table = Record<string, Mutation>;

function said(change: Record<string, unknown>): CeremonyFaults {
  return { clientData: (fields) => ({ ...fields, ...change }) };
}

function flags(change: (flags: number) => number): CeremonyFaults {
  return {
    authenticatorData(bytes) {
      bytes[32] = change(bytes[32]!);
      return bytes;
    },
  };
}

function appended(...more: number[]): CeremonyFaults {
  return { authenticatorData: (bytes) => Uint8Array.of(...bytes, ...more) };
}

/** Faults of either ceremony. */
function commonMutations(type: string): Table {
  const other = type === "webauthn.get" ? "webauthn.create" : "webauthn.get";
  const json = (fields: Record<string, unknown>) => JSON.stringify(fields);
  return {
    // R110
    "type of the other ceremony": { faults: said({ type: other }) },
    "type in upper case": { faults: said({ type: type.toUpperCase() }) },
    "type that is a list": { faults: said({ type: [type] }) },
    "no type": { faults: said({ type: undefined }) },
    "payment": { faults: said({ type: "payment.get" }) },
    "challenge of nobody": { faults: said({ challenge: toBase64Url(new Uint8Array(32)) }) },
    "challenge with padding": {
      faults: { clientData: (fields) => ({ ...fields, challenge: `${fields.challenge}=` }) },
    },
    "challenge that is a prefix": {
      faults: {
        clientData: (fields) => ({ ...fields, challenge: String(fields.challenge).slice(0, 42) }),
      },
    },
    "empty challenge": { faults: said({ challenge: "" }) },
    "no challenge": { faults: said({ challenge: undefined }) },
    "challenge that is an object": { faults: said({ challenge: { toString: "x" } }) },
    // R111
    "http": { origin: "http://app.example" },
    "another port": { origin: "https://app.example:8443" },
    "the port of https": { origin: "https://app.example:443" },
    "a subdomain": { origin: "https://evil.app.example" },
    "a domain with ours before it": { origin: "https://app.example.evil.example" },
    "a domain with ours behind it": { origin: "https://evilapp.example" },
    "a dot at the end": { origin: "https://app.example." },
    "a slash at the end": { origin: "https://app.example/" },
    "upper case": { origin: "https://APP.example" },
    "a letter that looks like ours": { origin: "https://аpp.example" },
    "its A-label": { origin: "https://xn--pp-7cd.example" },
    "null": { origin: "null" },
    "an app": { origin: "android:apk-key-hash:47DEQpj8HBSa" },
    "origins in a list": { faults: said({ origin: [ORIGIN] }) },
    // R112
    "crossOrigin": { faults: said({ crossOrigin: true }) },
    "crossOrigin with topOrigin": {
      faults: said({ crossOrigin: true, topOrigin: "https://evil.example" }),
    },
    "topOrigin alone": { faults: said({ topOrigin: "https://evil.example" }) },
    "our own topOrigin": { faults: said({ crossOrigin: true, topOrigin: ORIGIN }) },
    "crossOrigin that is a text": { faults: said({ crossOrigin: "false" }) },
    "crossOrigin left out": { faults: said({ crossOrigin: undefined }), accepted: true },
    // R113
    "another rpId": {
      faults: {
        authenticatorData(bytes) {
          bytes[0]! ^= 1;
          return bytes;
        },
      },
    },
    // R114
    "nobody present": { faults: flags((value) => value & ~0x01) },
    "not verified, where that is only preferred": {
      authenticator: { userVerified: false },
      accepted: true,
    },
    // R115
    "backed up without being eligible": {
      authenticator: { backupEligible: false, backedUp: true },
    },
    "eligible and not backed up": {
      authenticator: { backupEligible: true, backedUp: false },
      accepted: true,
    },
    "for one device": { authenticator: { backupEligible: false }, accepted: true },
    // R119
    "authenticator data of 36 bytes": {
      faults: { authenticatorData: (bytes) => bytes.slice(0, 36) },
    },
    "no authenticator data": { faults: { authenticatorData: () => new Uint8Array() } },
    "a byte behind it": { faults: appended(0) },
    "extensions without their flag": { faults: appended(0xa0) },
    "the flag of extensions without them": { faults: flags((value) => value | 0x80) },
    "extensions that are no map": {
      faults: {
        authenticatorData(bytes) {
          bytes[32]! |= 0x80;
          return Uint8Array.of(...bytes, 0x80);
        },
      },
    },
    "extensions": {
      faults: {
        authenticatorData(bytes) {
          bytes[32]! |= 0x80;
          return Uint8Array.of(...bytes, ...encodeCbor(new Map([["credProtect", 2]])));
        },
      },
      accepted: true,
    },
    // R123
    "further fields": {
      faults: said({ other_keys_can_be_added_here: "x", y: {} }),
      accepted: true,
    },
    "a byte order mark": {
      faults: {
        clientData: (fields) =>
          Uint8Array.of(0xef, 0xbb, 0xbf, ...new TextEncoder().encode(json(fields))),
      },
      accepted: true,
    },
    "no UTF-8": {
      faults: {
        clientData: (fields) =>
          Uint8Array.of(...new TextEncoder().encode(json({ ...fields, x: "" })), 0xff),
      },
    },
    "origin twice, the second foreign": {
      faults: {
        clientData: (fields) => `${json(fields).slice(0, -1)},"origin":"https://evil.example"}`,
      },
    },
    "type only in __proto__": {
      faults: {
        clientData: ({ type, ...fields }) =>
          `${json(fields).slice(0, -1)},"__proto__":{"type":"${type}"}}`,
      },
    },
    "__proto__ beside": {
      faults: {
        clientData: (fields) => `${json(fields).slice(0, -1)},"__proto__":{"crossOrigin":true}}`,
      },
      accepted: true,
    },
    "client data that is a list": { faults: { clientData: () => "[]" } },
    "client data that is null": { faults: { clientData: () => "null" } },
    "credential of another type": {
      faults: { credential: (credential) => ({ ...credential, type: "password" }) },
    },
    "rawId of another credential": {
      faults: { credential: (credential) => ({ ...credential, rawId: "AAAA" }) },
    },
    "no response": { faults: { credential: (credential) => ({ ...credential, response: {} }) } },
    "base64 instead of base64url": {
      faults: {
        credential: ({ response, ...credential }) => ({
          ...credential,
          response: { ...response, clientDataJSON: `${response.clientDataJSON}+/` },
        }),
      },
    },
  };
}

function key(change: (key: CborMap) => void): CeremonyFaults {
  return {
    publicKey(given) {
      change(given);
      return given;
    },
  };
}

function attestation(entries: [string, CborValue][]): CeremonyFaults {
  return { attestation: (object) => new Map([...object, ...entries]) };
}

/** Puts bytes in place of the map that an attestation object is. */
function raw(change: (bytes: Uint8Array) => number[]): CeremonyFaults {
  return { attestation: (object) => Uint8Array.from(change(encodeCbor(object))) };
}

const REGISTRATION: Table = {
  ...commonMutations("webauthn.create"),
  // WebAuthn Level 3, 6.5.1.1
  "a key with a further parameter": {
    faults: key((given) => given.set(-70_000, new Uint8Array(16_000))),
  },
  "a key with an optional parameter": { faults: key((given) => given.set(2, Uint8Array.of(1))) },
  // R116
  "ES384": { faults: key((given) => given.set(3, -35)) },
  "no algorithm": { faults: key((given) => given.delete(3)) },
  "algorithm of a list": { faults: key((given) => given.set(3, [-7])) },
  "RSA that says ES256": {
    faults: key((given) => given.set(3, -7)),
    authenticator: { algorithm: "RS256" },
  },
  "EC that says RS256": { faults: key((given) => given.set(3, -257)) },
  "the curve P-384": { faults: key((given) => given.set(-1, 2)) },
  "the curve secp256k1": { faults: key((given) => given.set(-1, 8)) },
  "no curve": { faults: key((given) => given.delete(-1)) },
  "a point beside the curve": { faults: key((given) => given.set(-2, new Uint8Array(32).fill(7))) },
  "the point at infinity": {
    faults: key((given) => given.set(-2, new Uint8Array(32)).set(-3, new Uint8Array(32))),
  },
  "x above the modulus": { faults: key((given) => given.set(-2, new Uint8Array(32).fill(255))) },
  "a compressed point": { faults: key((given) => given.set(-3, true)) },
  "x of 33 bytes": {
    faults: key((given) => given.set(-2, Uint8Array.of(0, ...given.get(-2) as Uint8Array))),
  },
  "RSA of 1,024 bits": {
    faults: key((given) => given.set(-1, (given.get(-1) as Uint8Array).slice(128))),
    authenticator: { algorithm: "RS256" },
  },
  "RSA with exponent 1": {
    faults: key((given) => given.set(-2, Uint8Array.of(1))),
    authenticator: { algorithm: "RS256" },
  },
  "RSA of 32,768 bits": {
    faults: key((given) => given.set(-1, new Uint8Array(4096).fill(255))),
    authenticator: { algorithm: "RS256" },
  },
  "Ed448": { faults: key((given) => given.set(-1, 7)), authenticator: { algorithm: "EdDSA" } },
  // R117
  "format that nobody knows": { faults: attestation([["fmt", "x"]]) },
  "no format": { faults: attestation([["fmt", null]]) },
  "none with a statement": { faults: attestation([["attStmt", new Map([["x", 1]])]]) },
  "packed without a signature": { faults: attestation([["fmt", "packed"]]) },
  "packed with a wrong signature": {
    faults: attestation([
      ["fmt", "packed"],
      ["attStmt", new Map<string, CborValue>([["alg", -7], ["sig", new Uint8Array(70)]])],
    ]),
  },
  "fido-u2f without certificates": {
    faults: attestation([["fmt", "fido-u2f"], [
      "attStmt",
      new Map<string, CborValue>([["sig", new Uint8Array(70)], ["x5c", []]]),
    ]]),
  },
  // R118
  "credential id of 1,023 bytes": { authenticator: { idLength: 1023 }, accepted: true },
  "credential id of 1,024 bytes": { authenticator: { idLength: 1024 } },
  "empty credential id": { authenticator: { idLength: 0 } },
  "id of another credential": {
    faults: { credential: (credential) => ({ ...credential, id: "AAAA", rawId: "AAAA" }) },
  },
  // R119
  "no key": { faults: { authenticatorData: (bytes) => bytes.slice(0, 37) } },
  "a key without its flag": { faults: flags((value) => value & ~0x40) },
  "key cut off": { faults: { authenticatorData: (bytes) => bytes.slice(0, -1) } },
  "length of the id that lies": {
    faults: {
      authenticatorData(bytes) {
        bytes[53] = 0xff;
        bytes[54] = 0xff;
        return bytes;
      },
    },
  },
  "further entry in the attestation object": { faults: attestation([["x", 1]]) },
  "a byte behind the attestation object": { faults: raw((bytes) => [...bytes, 0]) },
  "attestation object cut off": { faults: raw((bytes) => [...bytes.slice(0, -1)]) },
  "attestation object that is a list": { faults: raw((bytes) => [0x81, ...bytes]) },
  "map of indefinite length": { faults: raw((bytes) => [0xbf, ...bytes.slice(1), 0xff]) },
  "map of 2^32 entries": { faults: raw((bytes) => [0xba, 255, 255, 255, 255, ...bytes.slice(1)]) },
  "fmt twice": {
    faults: raw((
      bytes,
    ) => [0xa4, ...encodeCbor("fmt"), ...encodeCbor("packed"), ...bytes.slice(1)]),
  },
  "a tag before it": { faults: raw((bytes) => [0xd9, 0xd9, 0xf7, ...bytes]) },
  "a thousand lists in each other": { faults: raw(() => Array(1000).fill(0x81)) },
  "nothing": { faults: raw(() => []) },
};

const ASSERTION: Table = {
  ...commonMutations("webauthn.get"),
  // R115
  "eligible where it was not": { faults: flags((value) => value & ~0x18) },
  // R119
  "a key in an assertion": { faults: flags((value) => value | 0x40) },
  // R120
  "handle of somebody else": {
    faults: {
      credential: ({ response, ...credential }) => ({
        ...credential,
        response: { ...response, userHandle: toBase64Url(new Uint8Array(32)) },
      }),
    },
  },
  "no handle": {
    faults: {
      credential({ response: { userHandle: _, ...response }, ...credential }) {
        return { ...credential, response };
      },
    },
  },
  "passkey that nobody has": {
    faults: { credential: (credential) => ({ ...credential, id: "AAAA", rawId: "AAAA" }) },
  },
  // R121
  "signature with a bit changed": {
    faults: {
      signature(bytes) {
        bytes[bytes.length - 1]! ^= 1;
        return bytes;
      },
    },
  },
  "empty signature": { faults: { signature: () => new Uint8Array() } },
  "signature of zeros": {
    faults: { signature: () => Uint8Array.of(0x30, 6, 2, 1, 0, 2, 1, 0) },
  },
  "signature of other client data": {
    faults: {
      credential: ({ response, ...credential }) => ({
        ...credential,
        response: {
          ...response,
          // The same object, written with a blank: a hash of the parsed fields would not notice.
          clientDataJSON: toBase64Url(
            new TextEncoder().encode(
              atob(String(response.clientDataJSON).replaceAll("-", "+").replaceAll("_", "/"))
                .replace(",", ", "),
            ),
          ),
        },
      }),
    },
  },
};

interface World {
  application: TestApplication;
  browser: PasskeyBrowser;
  authenticator: SoftwareAuthenticator;
}

async function withWorld(
  options: SoftwareAuthenticatorOptions,
  work: (world: World) => Promise<void>,
): Promise<void> {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  await work({ application, browser, authenticator: createSoftwareAuthenticator(options) });
  application.close();
}

function reasonOf({ log }: TestApplication): unknown {
  return log.find(({ event }) => event === "passkey-refused")?.fields.reason;
}

// Tracks: R110, R111, R112, R113, R114, R115, R116, R117, R118, R119, R123, GHSA-6hxq-p678-4hr2
Deno.test("a registration is refused for each thing that is wrong with it", async () => {
  for (const [what, { faults, origin, authenticator, accepted }] of Object.entries(REGISTRATION)) {
    await withWorld(authenticator ?? {}, async (world) => {
      const { application, browser } = world;
      const how = { ...(faults && { faults }), ...(origin !== undefined && { origin }) };
      const response = await browser.register(world.authenticator, how);
      const { code } = await response.json();
      const why = `${what}: ${response.status} ${code} ${reasonOf(application)}`;
      if (accepted) return assert.equal(response.status, 200, why);
      assert.equal(response.status, 400, why);
      assert.match(code, /^PASSKEY_(NOT_ADDED|EXPIRED)$/, why);
      const stored = await (await browser.send("/passkeys")).json();
      assert.deepEqual(stored, [], why);
    });
  }
});

// Tracks: R110, R111, R112, R113, R114, R115, R119, R120, R121, R123
Deno.test("a sign-in is refused for each thing that is wrong with it", async () => {
  for (const [what, { faults, origin, authenticator, accepted }] of Object.entries(ASSERTION)) {
    const { backupEligible = true } = authenticator ?? {};
    await withWorld({ backupEligible, backedUp: backupEligible }, async (world) => {
      const { application, browser } = world;
      assert.equal((await browser.register(world.authenticator)).status, 200, what);
      Object.assign(world.authenticator.behaviour, authenticator);
      const visitor = createPasskeyBrowser(application);
      const how = { ...(faults && { faults }), ...(origin !== undefined && { origin }) };
      const response = await visitor.prove(world.authenticator, how);
      const { code } = await response.json();
      const why = `${what}: ${response.status} ${code} ${reasonOf(application)}`;
      if (accepted) return assert.equal(response.status, 200, why);
      // The one that says more, to the script of a browser whose own challenge it was.
      if (what === "passkey that nobody has") assert.equal(code, "PASSKEY_UNKNOWN");
      else assert.match(code, /^PASSKEY_(REFUSED|EXPIRED)$/, why);
      assert.equal(response.status, code === "PASSKEY_EXPIRED" ? 400 : 401, why);
      assert.equal(await visitor.user(), null, why);
      const failures = application.log.filter(({ event }) => event === "sign-in-failed");
      assert.deepEqual(failures.map(({ fields }) => fields.code), [code], why);
    });
  }
});

// Tracks: R114
Deno.test("userVerification required refuses who was not verified, in both ceremonies", async () => {
  const application = createPasskeyApplication({ userVerification: "required" });
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const authenticator = createSoftwareAuthenticator({ userVerified: false });
  assert.equal((await browser.register(authenticator)).status, 401);
  authenticator.behaviour.userVerified = true;
  assert.equal((await browser.register(authenticator)).status, 200);
  assert.equal((await browser.prove(authenticator)).status, 200);
  authenticator.behaviour.userVerified = false;
  assert.equal((await browser.prove(authenticator)).status, 401);
  const options = await browser.signInOptions();
  assert.equal(options.userVerification, "required");
  application.close();
});

// Tracks: R115, F34
Deno.test("a passkey that becomes one that can be copied is refused, and one that was copied is not", async () => {
  const application = createPasskeyApplication();
  const browser = createPasskeyBrowser(application);
  await browser.signIn();
  const fixed = createSoftwareAuthenticator({ backupEligible: false });
  assert.equal((await browser.register(fixed)).status, 200);
  Object.assign(fixed.behaviour, { backupEligible: true });
  assert.equal((await browser.prove(fixed)).status, 401);
  const synced = createSoftwareAuthenticator({ backedUp: false });
  await browser.signIn();
  assert.equal((await browser.register(synced)).status, 200);
  for (const backedUp of [true, false, true]) {
    Object.assign(synced.behaviour, { backedUp });
    assert.equal((await browser.prove(synced)).status, 200);
    const passkeys = await (await browser.send("/passkeys")).json();
    assert.equal(
      passkeys.find((one: { deviceType: string }) => one.deviceType === "multiDevice").backedUp,
      backedUp,
    );
  }
  application.close();
});
