import assert from "node:assert/strict";
import { readStoredSession, readUser, type Row, userValues } from "./rows.ts";

const USER: Row = {
  id: "ada",
  email: null,
  name: "Ada",
  image: null,
  ["email_verified"]: 5,
  role: null,
  roles: '["a"]',
};
const SESSION: Row = {
  ["session_id"]: "s",
  ["created_at"]: 1,
  ["authenticated_at"]: 2,
  ["refreshed_at"]: 3,
  ["expires_at"]: 4,
};

Deno.test("readUser() reads a row", () => {
  assert.deepEqual(readUser(USER), {
    id: "ada",
    email: null,
    name: "Ada",
    image: null,
    emailVerified: new Date(5),
    roles: ["a"],
  });
});

// Tracks: F19
Deno.test("readUser() and readStoredSession() return null when any one value has the wrong type", () => {
  const wrong: unknown[] = [
    undefined,
    5.5,
    NaN,
    {},
    [],
    new Uint8Array(2),
    true,
    "text",
    "[1]",
    "{",
  ];
  for (const column of Object.keys(USER)) {
    for (const value of wrong) {
      const fits = typeof value === "string" && !["email_verified", "roles"].includes(column);
      if (fits) continue;
      assert.equal(readUser({ ...USER, [column]: value }), null, `${column} = ${String(value)}`);
    }
  }
  for (const column of Object.keys(SESSION)) {
    for (const value of [...wrong, null]) {
      if (typeof value === "string" && column === "session_id") continue;
      assert.equal(readStoredSession({ ...USER, ...SESSION, [column]: value }), null, column);
    }
  }
  assert.equal(readStoredSession({ ...USER, ...SESSION })?.session.expiresAt, 4);
});

Deno.test("userValues() has one value for each place of INSERT_USER", () => {
  assert.deepEqual(
    userValues({
      user: { id: "a", emailVerified: new Date(7), roles: ["x"] },
      emailIdentity: "i",
      at: 9,
    }),
    [
      "a",
      null,
      "i",
      null,
      null,
      7,
      null,
      '["x"]',
      9,
    ],
  );
});
