import * as decoders from "@simplewebauthn/server/helpers";
import assert from "node:assert/strict";
import { fromBase64UrlBytes, toBase64Url } from "../../lib/encoding.ts";
import type { PasskeyRecord } from "../../storage/passkeys.ts";
import document from "../../tests/webauthn_vectors.json" with { type: "json" };
import {
  assertDerSignature,
  type CborMap,
  type CborValue,
  decodeCborMap,
  readAnswer,
  readAuthenticatorData,
  withoutMaker,
} from "./credential.ts";
import { verifyAssertion } from "./sign_in.ts";

const vector = document.vectors.find(({ name }) => name === "none-es256")!;
const SIGNATURE = fromBase64UrlBytes(vector.authentication.signature);
const CONFIG = {
  origin: [document.origin],
  rpId: document.rpId,
  userVerification: "preferred",
} as const;

/** Verifies the vector's answer with another signature. */
async function verify(signature: Uint8Array): Promise<void> {
  const { challenge, ...response } = vector.authentication;
  const { credentialId: id, attestationObject } = vector.registration;
  const object = decodeCborMap(fromBase64UrlBytes(attestationObject), decoders);
  const { fields } = readAuthenticatorData(object.get("authData") as Uint8Array, decoders);
  const sent = { ...response, signature: toBase64Url(signature) };
  const text = JSON.stringify({ id, rawId: id, type: "public-key", response: sent });
  const passkey = {
    id,
    publicKey: toBase64Url(fields.credentialPublicKey!),
    deviceType: fields.flags.be ? "multiDevice" : "singleDevice",
  } as PasskeyRecord;
  const { credential } = await readAnswer(text);
  await verifyAssertion(credential, challenge, { passkey, config: CONFIG });
}

function hex(text: string): Uint8Array {
  return Uint8Array.from(text.replaceAll(" ", "").match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** The two numbers of a signature, as DER has them. */
function numbersOf(signature: Uint8Array): [r: number[], s: number[]] {
  const s = 4 + signature[3]!;
  return [[...signature.subarray(4, s)], [...signature.subarray(s + 2)]];
}

function integer(bytes: number[]): number[] {
  return [0x02, bytes.length, ...bytes];
}

function withoutZero(bytes: number[]): number[] {
  return bytes[0] === 0 ? bytes.slice(1) : bytes;
}

const [R, S] = numbersOf(SIGNATURE);
const BODY = [...integer(R), ...integer(S)];
const sequence = (...body: number[]): number[] => [0x30, body.length, ...body];

/** The right numbers in spellings of BER and of none, as the vectors of Wycheproof have them. */
const SPELLINGS: Record<string, number[]> = {
  "the sequence's length in the long form": [0x30, 0x81, BODY.length, ...BODY],
  "the sequence's length in two bytes": [0x30, 0x82, 0, BODY.length, ...BODY],
  "the sequence's length with zeros before it": [0x30, 0x85, 0, 0, 0, 0, BODY.length, ...BODY],
  "a sequence of indefinite length": [0x30, 0x80, ...BODY, 0, 0],
  "a length of r in the long form": sequence(0x02, 0x81, R.length, ...R, ...integer(S)),
  "a length of s in the long form": sequence(...integer(R), 0x02, 0x81, S.length, ...S),
  "a length of s in two bytes": sequence(...integer(R), 0x02, 0x82, 0, S.length, ...S),
  "r of indefinite length": sequence(0x02, 0x80, ...R, 0, 0, ...integer(S)),
  "a length that is reserved": [0x30, 0xff, ...BODY],
  "a length that is too long": [0x30, BODY.length + 1, ...BODY],
  "a length that is too short": [0x30, BODY.length - 1, ...BODY],
  "a length of r that is too long": sequence(0x02, R.length + 1, ...R, ...integer(S)),
  "a zero before r": sequence(...integer([0, ...R]), ...integer(S)),
  "a zero before s": sequence(...integer(R), ...integer([0, ...S])),
  "two zeros before r": sequence(...integer([0, 0, ...R]), ...integer(S)),
  "a negative number: the zero before it is missing": sequence(
    ...integer(withoutZero(R)),
    ...integer(withoutZero(S)),
  ),
  "zeros behind the numbers": sequence(...BODY, 0, 0),
  "an empty element behind the numbers": sequence(...BODY, 0x05, 0x00),
  "a third number": sequence(...BODY, ...integer([1])),
  "zeros behind the sequence": [...sequence(...BODY), 0, 0],
  "a byte behind the sequence": [...sequence(...BODY), 0x05],
  "a sequence in a sequence": sequence(...sequence(...BODY)),
  "one number": sequence(...integer(R)),
  "numbers without a sequence": BODY,
  "bytes in place of a number": sequence(0x04, R.length, ...R, ...integer(S)),
  "a set in place of the sequence": [0x31, BODY.length, ...BODY],
  "r and s behind one another, as WebCrypto has them": [...R.slice(-32), ...S.slice(-32)],
};

Deno.test("a passkey's signature has one spelling, that of DER", async () => {
  // Tracks: A-14, R121
  await verify(SIGNATURE);
  for (const [name, bytes] of Object.entries(SPELLINGS)) {
    const signature = Uint8Array.from(bytes);
    assert.throws(() => assertDerSignature(signature), /^Error: The signature /, name);
    await assert.rejects(verify(signature), name);
  }
});

Deno.test("a passkey's signature with one bit changed is refused, whichever it is", async () => {
  // Tracks: A-14, R121
  const frame = new Set([0, 1, 2, 3, 4 + R.length, 5 + R.length]);
  for (let bit = 0; bit < SIGNATURE.length * 8; bit++) {
    const changed = SIGNATURE.slice();
    changed[bit >> 3]! ^= 1 << (bit & 7);
    await assert.rejects(verify(changed), `bit ${bit}`);
    if (frame.has(bit >> 3)) assert.throws(() => assertDerSignature(changed), `bit ${bit}`);
  }
});

Deno.test("assertDerSignature() takes the shortest form of positive numbers, and nothing else", () => {
  // Tracks: A-14
  const taken = [
    "30 06 02 01 01 02 01 7f",
    "30 08 02 02 00 80 02 02 00 ff",
    "30 07 02 01 01 02 02 01 00",
    // P-521: as long as only the long form can say.
    `30 81 88 02 42 01 ${"ab".repeat(65)} 02 42 01 ${"cd".repeat(65)}`,
  ];
  for (const text of taken) assertDerSignature(hex(text));
  const refused = [
    "",
    "30",
    "30 00",
    "30 02 02 00",
    "30 05 02 00 02 01 01",
    "30 06 02 01 00 02 01 01",
    "30 06 02 01 01 02 01 00",
    "30 06 02 01 80 02 01 01",
    "30 06 02 01 01 02 01 ff",
    "30 07 02 02 00 7f 02 01 01",
    "30 07 02 01 01 02 02 00 01",
    "30 07 02 02 ff 80 02 01 01",
    "30 06 02 01 01 02 01",
    "30 06 02 01 01 02 7f 01",
    `30 81 7f ${"00".repeat(127)}`,
  ];
  for (const text of refused) assert.throws(() => assertDerSignature(hex(text)), text);
});

Deno.test("withoutMaker() looks at the signature of the new key itself, and at nothing that others say", () => {
  // Tracks: A-14, GHSA-6hxq-p678-4hr2
  const loose = Uint8Array.from(SPELLINGS["zeros behind the sequence"]!);
  const strict = SIGNATURE;
  const authData = Uint8Array.of(1);
  function object(fmt: CborValue, entries: [string, CborValue][]): CborMap {
    return new Map<string, CborValue>([["fmt", fmt], ["attStmt", new Map(entries)], [
      "authData",
      authData,
    ]]);
  }
  function read(fmt: CborValue, entries: [string, CborValue][]) {
    const { isoCBOR } = decoders;
    const found = decodeCborMap(withoutMaker(object(fmt, entries)), { isoCBOR });
    assert.deepEqual(found.get("authData"), authData);
    return [found.get("fmt"), (found.get("attStmt") as CborMap).size];
  }
  assert.deepEqual(read("none", []), ["none", 0]);
  assert.deepEqual(read("packed", [["alg", -7], ["sig", strict]]), ["packed", 2]);
  assert.deepEqual(read("packed", [["alg", -257], ["sig", loose]]), ["packed", 2]);
  assert.throws(() => read("packed", [["alg", -7], ["sig", loose]]));
  const certificates: [string, CborValue] = ["x5c", [Uint8Array.of(0)]];
  for (const fmt of ["packed", "tpm", "android-key", "fido-u2f", "apple"]) {
    assert.deepEqual(read(fmt, [["alg", -7], ["sig", loose], certificates]), ["none", 0]);
    assert.throws(() => read(fmt, [["alg", -7], ["sig", strict], ["x5c", []]]));
    assert.throws(() => read(fmt, [["alg", -7], ["sig", strict], ["x5c", 0]]));
  }
  assert.deepEqual(read("android-safetynet", [["ver", "1"]]), ["none", 0]);
  const parts = new Map([...object("compound", []), ["attStmt", []]] as [string, CborValue][]);
  assert.equal(decodeCborMap(withoutMaker(parts), decoders).get("fmt"), "none");
  for (const statement of [[], "", 0, null]) {
    const map = new Map([...object("none", []), ["attStmt", statement]] as [string, CborValue][]);
    assert.throws(() => withoutMaker(map));
  }
  assert.throws(() => read("x", [["sig", strict]]));
  assert.throws(() => read(null, []));
});
