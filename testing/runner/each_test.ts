import assert from "node:assert/strict";
import { eachRows } from "./each.ts";

const names = (title: string, table: unknown[]) => eachRows(title, table).map((row) => row.name);

Deno.test("eachRows() fills in values in order", () => {
  assert.deepEqual(names("%s is %d", [["a", 1], ["b", 2]]), ["a is 1", "b is 2"]);
  assert.deepEqual(names("%j at %#, %$", [[{ a: 1 }]]), ['{"a":1} at 0, 1']);
  assert.deepEqual(names("100%% of %s", ["x"]), ["100% of x"]);
});

Deno.test("eachRows() fills in properties of objects", () => {
  assert.deepEqual(names("$user.name is $age", [{ user: { name: "Ada" }, age: 36 }]), [
    "Ada is 36",
  ]);
  assert.deepEqual(names("$missing stays", [{}]), ["$missing stays"]);
});

Deno.test("eachRows() spreads lists, and passes anything else as it is", () => {
  assert.deepEqual(eachRows("x", [[1, 2], "a"]).map((row) => row.args), [[1, 2], ["a"]]);
});
