import * as decoders from "@simplewebauthn/server/helpers";
import assert from "node:assert/strict";
import { fromBase64UrlBytes, toBase64Url } from "../../lib/encoding.ts";
import { encodeCbor } from "../../../testing/sign_in/cbor.ts";
import document from "../../tests/webauthn_vectors.json" with { type: "json" };
import {
  type CborMap,
  type CborValue,
  decodeCbor,
  decodeCborMap,
  readAuthenticatorData,
} from "./credential.ts";

/** An attestation object without a statement, and one with a signature in it. */
const ATTESTATIONS = ["none-es256", "packed-self-es256"]
  .map((name) => {
    const { registration } = document.vectors.find((vector) => vector.name === name)!;
    const bytes = fromBase64UrlBytes(registration.attestationObject);
    return { name, bytes, data: decodeCborMap(bytes, decoders).get("authData") as Uint8Array };
  });

/** Bytes that begin something else in CBOR: indefinite lengths, a tag, undefined, floats, a stop. */
const HEADS = [0x00, 0x18, 0x5f, 0x7f, 0x9f, 0xbf, 0xc0, 0xf7, 0xf9, 0xfa, 0xfb, 0xff];

/** Every bit changed, every byte in another's place, left out, doubled, and bytes put in before it. */
function* mutants(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) {
    const put = (...middle: number[]) =>
      Uint8Array.of(...bytes.subarray(0, at), ...middle, ...bytes.subarray(at + 1));
    const byte = bytes[at]!;
    for (let bit = 0; bit < 8; bit++) yield put(byte ^ (1 << bit));
    for (const head of HEADS) if (head !== byte) yield put(head);
    yield put();
    yield put(byte, byte);
    yield put(0, byte);
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    assert.ok(error instanceof Error);
    return null;
  }
}

/** Authenticator data with the flag of extensions and these behind it. */
function extended(data: Uint8Array, extensions: number[] | Uint8Array): Uint8Array {
  const bytes = Uint8Array.of(...data, ...extensions);
  bytes[32]! |= 0x80;
  return bytes;
}

// Tracks: R119
Deno.test("an attestation object with any byte changed, doubled or left out is refused or is its own encoding", () => {
  for (const { name, bytes } of ATTESTATIONS) {
    assert.deepEqual(encodeCbor(decodeCbor(bytes, decoders)), bytes, name);
    for (const mutant of mutants(bytes)) {
      const read = orNull(() => decodeCbor(mutant, decoders));
      if (read !== null) assert.equal(toBase64Url(encodeCbor(read)), toBase64Url(mutant), name);
    }
  }
});

// Tracks: R119
Deno.test("authenticator data with any byte changed, doubled or left out is refused or is what its fields say", () => {
  const [{ data: given }] = ATTESTATIONS as [typeof ATTESTATIONS[0]];
  const extensions = encodeCbor(new Map<string, CborValue>([["credProtect", 2], ["appid", true]]));
  let [taken, refused] = [0, 0];
  for (const bytes of [given, extended(given, extensions)]) {
    for (const mutant of mutants(bytes)) {
      const read = orNull(() => readAuthenticatorData(mutant, decoders));
      if (read === null) {
        refused++;
        continue;
      }
      taken++;
      const { fields, key } = read;
      const view = new DataView(mutant.buffer);
      const keyAt = 55 + (fields.credentialID?.length ?? 0);
      assert.equal(fields.counter, view.getUint32(33));
      assert.equal((mutant[32]! & 0x40) !== 0, key !== null);
      assert.equal((mutant[32]! & 0x80) !== 0, fields.extensionsDataBuffer !== undefined);
      if (key === null) continue;
      assert.equal(view.getUint16(53), fields.credentialID!.length);
      const rest = Uint8Array.of(...encodeCbor(key), ...fields.extensionsDataBuffer ?? []);
      assert.equal(toBase64Url(rest), toBase64Url(mutant.subarray(keyAt)));
    }
  }
  assert.ok(taken > 500 && refused > 500, `${taken} taken, ${refused} refused`);
});

// Tracks: R119
Deno.test("extensions as authenticators write them are taken, in any number, and in no second spelling", () => {
  const [{ data }] = ATTESTATIONS as [typeof ATTESTATIONS[0]];
  const many: CborMap = new Map();
  for (let index = 0; index < 300; index++) many.set(`extension-${index}`, new Uint8Array(index));
  const taken: CborMap[] = [
    new Map([["credProtect", 3]]),
    new Map([["hmac-secret", true]]),
    new Map<string, CborValue>([["credProps", new Map([["rk", true]])], ["minPinLength", 4]]),
    new Map([["prf", new Map<string, CborValue>([["enabled", true]])]]),
    new Map([["hmac-secret-mc", new Uint8Array(80)]]),
    new Map([["uvm", [[2, 4, 2], [1024, 1, 1]]]]),
    new Map([["thirdPartyPayment", false]]),
    many,
    new Map(),
  ];
  for (const extensions of taken) {
    const bytes = encodeCbor(extensions);
    const read = readAuthenticatorData(extended(data, bytes), decoders);
    assert.deepEqual(read.fields.extensionsDataBuffer, bytes);
  }
  const refused = {
    "a key twice": "a2616101616102",
    "an indefinite length": "bf616101ff",
    "a number in more bytes than it needs": "a161611801",
    "a length in more bytes than it needs": "a178016101",
    "a map's length in more bytes than it needs": "b801616101",
    "a float": "a16161fa3fc00000",
    "a float that is whole": "a16161fa3f800000",
    "a float that is minus zero": "a16161fa80000000",
    "no number": "a16161f97e00",
    "a double": "a16161fb3ff199999999999a",
    "undefined": "a16161f7",
    "a tag": "a16161c101",
    "a tag before the map": "d9d9f7a0",
    "text that is no UTF-8": "a161ff01",
    "text with a byte order mark before it": "a164efbbbf6101",
    "a list": "8101",
    "lists in each other": `a16161${"81".repeat(9)}01`,
    "a byte behind it": "a000",
    "a second map behind it": "a0a0",
    "nothing": "",
  };
  for (const [what, hex] of Object.entries(refused)) {
    const bytes = extended(data, Uint8Array.fromHex(hex));
    assert.throws(() => readAuthenticatorData(bytes, decoders), Error, what);
  }
});

// Tracks: R119
Deno.test("a key that the decoder mends is refused, since its bytes say something else", () => {
  const [{ data }] = ATTESTATIONS as [typeof ATTESTATIONS[0]];
  const idEnd = 55 + new DataView(data.buffer, data.byteOffset).getUint16(53);
  // As Firefox 117 wrote it: a map of three entries that has four.
  const firefox = Uint8Array.fromHex(
    `a301634f4b500327206745643235353139215820${"07".repeat(32)}`,
  );
  const bytes = Uint8Array.of(...data.subarray(0, idEnd), ...firefox);
  assert.ok(decoders.parseAuthenticatorData(bytes.slice()).credentialPublicKey);
  assert.throws(() => readAuthenticatorData(bytes, decoders), /not what its fields/);
});

// Tracks: R119
Deno.test("twenty thousand lists in each other are refused like any other bytes", () => {
  for (const head of [0x81, 0xa1, 0xc1]) {
    assert.throws(() => decodeCbor(new Uint8Array(20_000).fill(head), decoders), Error);
  }
});
