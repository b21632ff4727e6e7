import assert from "node:assert/strict";
import { ConfigurationError, InvalidEmailError } from "../errors.ts";
import { createSignInRecord, createUserRecord } from "./user_record.ts";

// Tracks: R154
Deno.test("createUserRecord() takes over known fields and nothing else", () => {
  const given = JSON.parse(
    '{"id":"ada","name":"Ada","passwordHash":"secret","__proto__":{"role":"admin"},"disabledAt":null}',
  );
  assert.deepEqual(createUserRecord(given, 5, "test()"), {
    user: { id: "ada", name: "Ada" },
    emailIdentity: null,
    at: 5,
  });
  assert.equal(({} as { role?: string }).role, undefined);
});

Deno.test("createUserRecord() tells a mailbox that is left out from one that is taken away", () => {
  assert.equal("email" in createUserRecord({ id: "a" }, 0, "test()").user, false);
  assert.equal(createUserRecord({ id: "a", email: null }, 0, "test()").user.email, null);
  const { user, emailIdentity } = createUserRecord(
    { id: "a", email: "A@Example.com" },
    0,
    "test()",
  );
  assert.deepEqual([user.email, emailIdentity], ["A@Example.com", "a@example.com"]);
});

Deno.test("createUserRecord() throws InvalidEmailError when the address cannot be one", () => {
  for (const email of ["nonsense", "a@b@c", 5]) {
    assert.throws(() => createUserRecord({ id: "a", email }, 0, "test()"), InvalidEmailError);
  }
});

Deno.test("createUserRecord() throws a ConfigurationError that names the source when a field is wrong", () => {
  const wrong: unknown[] = [
    undefined,
    "ada",
    true,
    {},
    { id: 7 },
    { id: "" },
    { id: "x".repeat(256) },
    { id: "a", name: 5 },
    { id: "a", role: null },
    { id: "a", roles: "admin" },
    { id: "a", roles: [1] },
    { id: "a", emailVerified: "2026-01-01" },
    { id: "a", emailVerified: new Date(NaN) },
  ];
  for (const given of wrong) {
    assert.throws(
      () => createUserRecord(given, 0, "authorize()"),
      (error) =>
        error instanceof ConfigurationError && error.message.startsWith("authorize() gave"),
      JSON.stringify(given),
    );
  }
});

const LONE = "a\ud800b";
const IMAGE = "https://example.com/";

// Tracks: A-04, R166
Deno.test("createUserRecord() refuses names and images that cannot be stored and shown as they are", () => {
  const names = [
    "a".repeat(257),
    "a".repeat(1_500_000),
    LONE,
    "a\0",
    "a\n",
    "a\tb",
    "\x7f",
    "\u0085",
  ];
  for (const name of names) {
    const error = { name: "InvalidProfileError", code: "INVALID_NAME", status: 400 };
    assert.throws(
      () => createUserRecord({ id: "a", name }, 0, "test()"),
      error,
      JSON.stringify(name),
    );
  }
  const images = [
    "",
    "nonsense",
    "/ada.png",
    "//example.com/a",
    "http://example.com/a",
    "javascript:alert(1)",
    "data:image/png;base64,AA",
    " https://example.com/",
    "https://",
    "https://ada@example.com/",
    "https://example.com/a\nb",
    "https://example.com/\ud800",
    IMAGE.padEnd(2049, "a"),
  ];
  for (const image of images) {
    const error = { name: "InvalidProfileError", code: "INVALID_IMAGE", status: 400 };
    assert.throws(() => createUserRecord({ id: "a", image }, 0, "test()"), error, image);
  }
  for (const name of [null, "", "a".repeat(256), "😀".repeat(128), "e\u0301", "أدا"]) {
    assert.equal(createUserRecord({ id: "a", name }, 0, "test()").user.name, name);
  }
  for (const image of [null, IMAGE, IMAGE.padEnd(2048, "a"), "HTTPS://example.com/ä?b#c"]) {
    assert.equal(createUserRecord({ id: "a", image }, 0, "test()").user.image, image);
  }
});

// Tracks: A-04
Deno.test("createUserRecord() takes a hundred roles of a hundred characters, and no more", () => {
  const long = "r".repeat(101);
  for (const roles of [{ role: long }, { roles: [long] }, { roles: Array(101).fill("r") }]) {
    assert.throws(() => createUserRecord({ id: "a", ...roles }, 0, "test()"), ConfigurationError);
  }
});

// Tracks: A-04, R166
Deno.test("createSignInRecord() keeps what can be stored of a user, and refuses nobody for their name", () => {
  const cases: [name: string, kept: string][] = [
    ["Ada", "Ada"],
    ["a".repeat(1_500_000), "a".repeat(256)],
    [`${"a".repeat(255)}😀`, "a".repeat(255)],
    ["Ada\0\nLovelace\x7f", "AdaLovelace"],
    [LONE, "a\ufffdb"],
  ];
  for (const [name, kept] of cases) {
    const { user } = createSignInRecord({ id: "a", name, image: "http://x.example" }, 0, "test()");
    assert.deepEqual(user, { id: "a", name: kept });
  }
  const given = { id: "a", name: null, image: IMAGE, email: null };
  assert.deepEqual(createSignInRecord(given, 0, "test()").user, given);
  assert.deepEqual(createSignInRecord({ id: "a", image: "" }, 0, "test()").user, { id: "a" });
  assert.throws(() => createSignInRecord({ id: "a", name: 5 }, 0, "test()"), ConfigurationError);
});

// Tracks: F32
Deno.test("createUserRecord() makes roles storable, and takes no id that a database could confuse", () => {
  const lone = LONE;
  const { user } = createUserRecord(
    { id: "ada", role: "r\0", roles: [lone] },
    0,
    "authorize()",
  );
  assert.deepEqual(user, {
    id: "ada",
    role: "r",
    roles: ["a\ufffdb"],
  });
  for (const id of [lone, "a\0", "a\n", "\u0085", "\x7f"]) {
    assert.throws(() => createUserRecord({ id }, 0, "authorize()"), ConfigurationError);
  }
  for (const id of ["😀", "é", "e\u0301", "a b", "ada@example.com"]) {
    assert.equal(createUserRecord({ id }, 0, "authorize()").user.id, id);
  }
});
