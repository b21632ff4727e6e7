import assert from "node:assert/strict";
import { objectClasses } from "./object_classes.ts";

Deno.test("objectClasses() applies the migrations one after the other", () => {
  const migrations = [
    { tag: "v1", new_classes: ["Old", "Gone"], new_sqlite_classes: ["Counter"] },
    { tag: "v2", renamed_classes: [{ from: "Counter", to: "Tally" }], deleted_classes: ["Gone"] },
  ];
  assert.deepEqual(objectClasses({ migrations }), [
    { className: "Old", useSQLite: false },
    { className: "Tally", useSQLite: true },
  ]);
});

Deno.test("objectClasses() reads the declared exports, of which others than objects are none", () => {
  const exports = {
    Counter: { type: "durable-object", storage: "sqlite" },
    Api: { type: "worker-entrypoint" },
  };
  assert.deepEqual(objectClasses({ exports }), [{ className: "Counter", useSQLite: true }]);
  assert.deepEqual(objectClasses({ exports: ["x"], migrations: "x" }), []);
});
