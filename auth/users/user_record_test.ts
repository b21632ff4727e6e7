import assert from "node:assert/strict";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { InvalidEmailError } from "../errors/input_errors.ts";
import { createUserRecord } from "./user_record.ts";

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

// Tracks: F32
Deno.test("createUserRecord() makes texts storable, and takes no id that a database could confuse", () => {
  const lone = "a\ud800b";
  const { user } = createUserRecord(
    { id: "ada", name: `${lone}\0c`, image: "i\0", role: "r\0", roles: [lone] },
    0,
    "authorize()",
  );
  assert.deepEqual(user, {
    id: "ada",
    name: "a\ufffdbc",
    image: "i",
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
