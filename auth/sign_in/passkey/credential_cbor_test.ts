import { isoCBOR } from "@simplewebauthn/server/helpers";
import fc from "fast-check";
import assert from "node:assert/strict";
import { encodeCbor } from "../../../testing/sign_in/cbor.ts";
import { type CborValue, decodeCbor as decode, decodeCborMap as decodeMap } from "./credential.ts";

const decodeCbor = (bytes: Uint8Array) => decode(bytes, { isoCBOR });
const decodeCborMap = (bytes: Uint8Array) => decodeMap(bytes, { isoCBOR });

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

Deno.test("decodeCbor() reads the examples of RFC 8949, appendix A", () => {
  const examples: [string, CborValue][] = [
    ["00", 0],
    ["17", 23],
    ["1818", 24],
    ["1903e8", 1000],
    ["1a000f4240", 1_000_000],
    ["1affffffff", 4_294_967_295],
    ["1b0000000100000000", 4_294_967_296],
    ["1b000000e8d4a51000", 1_000_000_000_000],
    ["20", -1],
    ["3903e7", -1000],
    ["f4", false],
    ["f5", true],
    ["f6", null],
    ["4401020304", Uint8Array.of(1, 2, 3, 4)],
    ["64f0908591", "\u{10151}"],
    ["80", []],
    ["8301820203820405", [1, [2, 3], [4, 5]]],
    ["a0", new Map()],
    ["a201020304", new Map([[1, 2], [3, 4]])],
    ["a26161016162820203", new Map<string, CborValue>([["a", 1], ["b", [2, 3]]])],
  ];
  for (const [hex, value] of examples) {
    assert.deepEqual(decodeCbor(fromHex(hex)), value, hex);
    // The authenticator of the tests writes them so: an integer of more than 32 bits, too.
    assert.deepEqual(encodeCbor(value), fromHex(hex), hex);
  }
});

// Tracks: R119
Deno.test("decodeCbor() refuses what can be read in two ways or costs more than it brings", () => {
  const refused = [
    ["", "nothing"],
    ["1817", "23 in two bytes"],
    ["190018", "24 in three bytes"],
    ["1a0000ffff", "65,535 in five bytes"],
    ["1b00000000ffffffff", "2^32-1 in nine bytes"],
    ["1bffffffffffffffff", "2^64-1, which is no safe integer"],
    ["1c", "a reserved length"],
    ["5f42010243030405ff", "bytes of indefinite length"],
    ["7f657374726561646d696e67ff", "text of indefinite length"],
    ["9fff", "a list of indefinite length"],
    ["bfff", "a map of indefinite length"],
    ["c074323031332d30332d32315432303a30343a30305a", "a tag"],
    ["f7", "undefined"],
    ["f0", "a simple value"],
    ["f818", "a simple value in two bytes"],
    ["f93c00", "a float"],
    ["fb3ff199999999999a", "a double"],
    ["ff", "a stop"],
    ["a201020103", "a number twice as key"],
    ["a2616101616102", "a text twice as key"],
    ["a1f501", "true as key"],
    ["a1410101", "bytes as key"],
    ["a18001", "a list as key"],
    ["a101", "a map without its value"],
    ["4401", "bytes cut off"],
    ["5b001fffffffffffff00", "bytes of 2^53-1"],
    ["9b001fffffffffffff00", "a list of 2^53-1"],
    ["9affffffff", "a list of 2^32-1"],
    ["bb001fffffffffffff0000", "a map of 2^53-1"],
    ["62c328", "text that is no UTF-8"],
    ["818181818181818181818100", "lists in each other"],
  ];
  for (const [hex, what] of refused) {
    assert.throws(() => decodeCbor(fromHex(hex!)), Error, what);
  }
  assert.throws(() => decodeCborMap(fromHex("a000")), /not the one encoding/);
  assert.throws(() => decodeCborMap(fromHex("80")), /not a map/);
});

// Tracks: R119
Deno.test("decodeCbor() reads what was written, and of other bytes either throws or reads their own encoding", () => {
  const leaf = fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
    fc.string({ unit: "grapheme" }),
    fc.uint8Array({ maxLength: 300 }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec<{ value: CborValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(fc.oneof(fc.integer(), fc.string()), tie("value")), { maxLength: 4 })
        .map((entries) => new Map(entries)),
    ),
  }));
  fc.assert(fc.property(value, (given) => {
    const bytes = encodeCbor(given);
    assert.deepEqual(encodeCbor(decodeCbor(bytes)), bytes);
  }));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      let read: CborValue;
      try {
        read = decodeCbor(bytes);
      } catch (error) {
        assert.ok(error instanceof Error);
        return;
      }
      assert.deepEqual(encodeCbor(read), bytes);
    }),
    { numRuns: 2000 },
  );
});
