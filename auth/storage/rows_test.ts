import assert from "node:assert/strict";
import { createRowReader, type Row, type RowReader, userValues } from "./rows.ts";

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

interface Reading {
  reader: RowReader;
  corrupt: [string, string | null][];
}

function createReading(userColumns: string[] = []): Reading {
  const corrupt: [string, string | null][] = [];
  const onCorrupt = (column: string, id: string | null) => void corrupt.push([column, id]);
  return { reader: createRowReader({ userColumns, onCorrupt }), corrupt };
}

Deno.test("createRowReader() reads a user", () => {
  assert.deepEqual(createReading().reader.user(USER), {
    id: "ada",
    email: null,
    name: "Ada",
    image: null,
    emailVerified: new Date(5),
    roles: ["a"],
  });
});

Deno.test("createRowReader() gives a user the columns of the application and no others", () => {
  const row = { ...USER, plan: "pro", seats: 3, hash: "secret" };
  const user = createReading(["plan", "seats", "gone"]).reader.user(row);
  assert.deepEqual({ ...user, roles: undefined }, {
    id: "ada",
    email: null,
    name: "Ada",
    image: null,
    emailVerified: new Date(5),
    roles: undefined,
    plan: "pro",
    seats: 3,
    gone: null,
  });
});

// Tracks: F19
Deno.test("createRowReader() takes a row with any one value of the wrong type for none, and reports it", () => {
  const wrong: unknown[] = [
    undefined,
    5.5,
    NaN,
    8.64e15 + 1,
    {},
    [],
    new Uint8Array(2),
    true,
    10n,
    "text",
    "[1]",
    "{",
  ];
  const readings: [Row, string[], (reader: RowReader, row: Row) => unknown][] = [
    [USER, [], (reader, row) => reader.user(row)],
    [{ ...USER, ...SESSION }, ["session_id"], (reader, row) => reader.storedSession(row)],
    [SESSION, ["session_id"], (reader, row) => reader.session(row, "ada")],
  ];
  for (const [whole, texts, read] of readings) {
    assert.notEqual(read(createReading().reader, whole), null);
    for (const column of Object.keys(whole)) {
      const takesText = ["id", "email", "name", "image", "role", ...texts].includes(column);
      for (const value of wrong) {
        if (typeof value === "string" && takesText) continue;
        const { reader, corrupt } = createReading();
        assert.equal(read(reader, { ...whole, [column]: value }), null, `${column} = ${value}`);
        const named = whole.session_id !== undefined && column !== "session_id" ? "s" : "ada";
        const id = corrupt[0]?.[1];
        assert.deepEqual(corrupt, [[column, id]]);
        if (!["id", "session_id"].includes(column)) assert.equal(id, named);
      }
    }
  }
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
      9,
      null,
      '["x"]',
    ],
  );
});
