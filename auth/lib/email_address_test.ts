import assert from "node:assert/strict";
import { parseEmailAddress } from "./email_address.ts";

function identity(input: string): string | null {
  return parseEmailAddress(input)?.identity ?? null;
}

Deno.test("parseEmailAddress() gives one identity for every spelling of a mailbox", () => {
  for (
    const input of ["ada@example.com", "ADA@example.com", "Ada@EXAMPLE.Com", " ada@example.com "]
  ) {
    assert.equal(identity(input), "ada@example.com", input);
  }
  assert.equal(identity("ada@bücher.example"), "ada@xn--bcher-kva.example");
  assert.equal(identity("ada@BÜCHER.example"), "ada@xn--bcher-kva.example");
  assert.equal(identity("jose\u0301@example.com"), identity("jos\u00e9@example.com"));
});

Deno.test("parseEmailAddress() keeps the typed form for sending", () => {
  assert.equal(
    parseEmailAddress("Ada.Lovelace+news@Example.com")?.address,
    "Ada.Lovelace+news@Example.com",
  );
});

// Tracks: GHSA-7rqj-j65f-68wh, F32
Deno.test("parseEmailAddress() normalizes before it looks: full-width signs are what they become", () => {
  assert.equal(identity("ada\uff20example.com"), "ada@example.com");
  assert.equal(identity("ada@evil.example\uff20example.com"), null);
  assert.equal(identity("ada\ufe6bevil.example@example.com"), null);
  assert.equal(identity("ada@example\uff0ecom"), "ada@example.com");
});

// Tracks: GHSA-5jpx-9hw9-2fx4, CVE-2022-35924, PF-v15
Deno.test("parseEmailAddress() returns null for what is not one plain address", () => {
  const wrong = [
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "a@b@example.com",
    '"ada@evil.example"@example.com',
    '"ada"@example.com',
    '"a b"@example.com',
    '""@example.com',
    '"ada".b@example.com',
    'a."da"@example.com',
    '"ada@example.com',
    'ada"@example.com',
    "ada\\ b@example.com",
    "a\\da@example.com",
    "a:da@example.com",
    "[ada]@example.com",
    "a da@example.com",
    "a\tda@example.com",
    "ada@example.com,eve@evil.example",
    "ada@example.com;eve@evil.example",
    "ada@example.com eve@evil.example",
    "ada@example.com\r\nBcc: eve@evil.example",
    "ada\0@example.com",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    "ada(comment)@example.com",
    ".ada@example.com",
    "ada.@example.com",
    "a..da@example.com",
    "ada@-example.com",
    "ada@example..com",
    "ada@.com",
    "ada@127.0.0.1",
    "ada@[127.0.0.1]",
    "ada@example.com:25",
    "ada@example.com/x",
    "ada@example.com?x",
    "ada@example.com#x",
    "ada@exam%70le.com",
    "ada@exa_mple.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"a.".repeat(200)}com`,
    "a".repeat(1_000_000),
  ];
  for (const input of wrong) assert.equal(parseEmailAddress(input), null, input.slice(0, 60));
  assert.equal(parseEmailAddress(undefined as unknown as string), null);
});
