import assert from "node:assert/strict";
import { isCommonPassword } from "./common.ts";

// Tracks: R013
Deno.test("isCommonPassword() knows what is guessed first, however it is written", () => {
  const common = [
    "passwordpassword",
    "Password12345678",
    "P@ssw0rd P@ssw0rd",
    "pass-word-1234567",
    "123456789012345",
    "1q2w3e4r5t6y7u8i",
    "qwertyuiopasdfgh",
    "poiuytrewqlkjhgf",
    "aaaaaaaaaaaaaaaa",
    "abcabcabcabcabcabc",
    "abcdefghijklmnop",
    "iloveyouiloveyou",
    "Summer2026Summer2026",
    "correct horse battery staple",
    "The Quick Brown Fox",
    "welcome1welcome1",
    "password",
    "12345678",
    "sunshine1",
    "trustno1",
    "!!!!!!!!!!!!!!!!",
    "密密密密密密密密",
    "                ",
  ];
  for (const password of common) assert.equal(isCommonPassword(password), true, password);
  const chosen = [
    "a sentence that only tests use",
    "a few words are easiest",
    "four words in a row",
    "a password of mine",
    "blue7horse",
    "k3$9xQz1",
    "difference-engine",
    "summer on the lake with you",
    "私は夏の海がとても好きです",
    "vx7-qm2-pd9-wk4",
  ];
  for (const password of chosen) assert.equal(isCommonPassword(password), false, password);
});

// Tracks: R013
Deno.test("isCommonPassword() knows the words of the context and what is made of them", () => {
  const context = [
    "Acme Cloud",
    "ada.lovelace@example.com",
    "Ada Lovelace",
    "app.acme-cloud.example",
  ];
  for (
    const password of [
      "acmecloud-acmecloud",
      "AdaLovelace2026",
      "l0vel4ce l0vel4ce",
      "ada.lovelace1815",
      "Acme12345678901",
      "example example!",
    ]
  ) {
    assert.equal(isCommonPassword(password, context), true, password);
  }
  assert.equal(isCommonPassword("AdaLovelace2026"), false);
  for (
    const password of [
      "at acme we drink green tea",
      "lovelace met babbage twice",
      "a cloudless night on mars",
    ]
  ) {
    assert.equal(isCommonPassword(password, context), false, password);
  }
  // Words that are parts of everything say nothing.
  assert.equal(isCommonPassword("a bowl of ripe mango", ["A", "of", "", "  "]), false);
});

// Tracks: R013
Deno.test("isCommonPassword() does bounded work for whatever is typed", () => {
  for (const password of ["a".repeat(100_000), "ab".repeat(50_000), "\ud800".repeat(1000), ""]) {
    assert.equal(isCommonPassword(password, ["a".repeat(10_000), password]), true);
  }
});
