import assert from "node:assert/strict";
import { columnsOf, createRowReader, type Fields, isText, isTime, valuesOf } from "./rows.ts";

interface Visit {
  userId: string;
  at: number;
}

const VISIT: Fields<Visit> = { userId: isText, at: isTime };

Deno.test("columnsOf() and valuesOf() write the columns of a record and its values in one order", () => {
  assert.equal(columnsOf(VISIT), "user_id, at");
  assert.deepEqual(valuesOf(VISIT, { at: 5, userId: "ada" }), ["ada", 5]);
});

Deno.test("record() reads what the columns of a record hold, and nothing else", () => {
  const corrupt: unknown[] = [];
  const reader = createRowReader({
    userColumns: [],
    onCorrupt: (column, id) => corrupt.push([column, id]),
  });
  const row = { id: "v1", "user_id": "ada", at: 5, further: "x" };
  assert.deepEqual(reader.record(row, VISIT), { userId: "ada", at: 5 });
  assert.equal(reader.record(null, VISIT), null);
  assert.deepEqual(corrupt, []);
  assert.equal(reader.record({ ...row, "user_id": 7 }, VISIT), null);
  assert.equal(reader.record({ ...row, at: "5" }, VISIT), null);
  assert.deepEqual(corrupt, [["user_id", "v1"], ["at", "v1"]]);
});
