import assert from "node:assert/strict";
import { formatPhc, parsePhc } from "./hash.ts";

const SALT = "AAECAwQFBgcICQoLDA0ODw";
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

Deno.test("parsePhc() reads what formatPhc() writes", () => {
  const hash = {
    ln: 14,
    r: 8,
    p: 5,
    salt: new Uint8Array(16).fill(7),
    key: new Uint8Array(32).fill(9),
  };
  assert.deepEqual(parsePhc(formatPhc(hash)), hash);
  assert.equal(
    formatPhc(parsePhc(`$scrypt$ln=14,r=8,p=5$${SALT}$${KEY}`)!),
    `$scrypt$ln=14,r=8,p=5$${SALT}$${KEY}`,
  );
});

// Tracks: R009
Deno.test("parsePhc() returns null for what is malformed or would cost too much", () => {
  const hostile = [
    "",
    "$",
    "$scrypt$",
    `$scrypt$ln=31,r=8,p=1$${SALT}$${KEY}`,
    `$scrypt$ln=14,r=1024,p=1$${SALT}$${KEY}`,
    `$scrypt$ln=14,r=8,p=1024$${SALT}$${KEY}`,
    `$scrypt$ln=18,r=8,p=1$${SALT}$${KEY}`,
    `$scrypt$ln=16,r=8,p=3$${SALT}$${KEY}`,
    // N must be below 2^(128·r/8), or implementations throw.
    `$scrypt$ln=18,r=1,p=1$${SALT}$${KEY}`,
    `$scrypt$ln=0,r=8,p=5$${SALT}$${KEY}`,
    `$scrypt$ln=14,r=0,p=5$${SALT}$${KEY}`,
    `$scrypt$ln=14,r=8,p=0$${SALT}$${KEY}`,
    `$scrypt$ln=-14,r=8,p=5$${SALT}$${KEY}`,
    `$scrypt$ln=1e1,r=8,p=5$${SALT}$${KEY}`,
    `$scrypt$ln=14,r=8,p=5$${SALT}`,
    `$scrypt$ln=14,r=8,p=5$$`,
    `$scrypt$ln=14,r=8,p=5$${SALT}$${KEY}=`,
    `$scrypt$ln=14,r=8,p=5$${SALT}$${KEY}\n`,
    `$scrypt$ln=14,r=8,p=5$${SALT}$${"A".repeat(1_000_000)}`,
    `$scrypt$ln=14,r=8,p=5$!!!!!!!!!!!!!!!!!!!!!!$${KEY}`,
    `$argon2id$v=19$m=8388608,t=1000,p=1$${SALT}$${KEY}`,
    "$2b$10$abcdefghijklmnopqrstuv",
    "plain",
  ];
  for (const text of hostile) assert.equal(parsePhc(text), null, text.slice(0, 80));
});
