import assert from "node:assert/strict";
import { findTrackedTests, readTrackedTests, renderTable, tablePath } from "./security_table.ts";

Deno.test("readTrackedTests() gives each id of a line with the test below it", () => {
  const text = `
// ${"Tracks"}: R001, CVE-2020-1. Found by a fuzzer, see the test below.
Deno.test("a claim", () => {});
  // ${"Tracks"}: F02
  // why
  await t.step(\`another\`, () => {});
// ${"Tracks"}: R003
Deno.test({
  name: "the third",
});
`;
  assert.deepEqual(readTrackedTests(text, "a_test.ts"), [
    { id: "R001", name: "a claim", file: "a_test.ts" },
    { id: "CVE-2020-1", name: "a claim", file: "a_test.ts" },
    { id: "F02", name: "another", file: "a_test.ts" },
    { id: "R003", name: "the third", file: "a_test.ts" },
  ]);
});

Deno.test("readTrackedTests() gives the test at whose beginning the line is", () => {
  const text = `
Deno.test("before", () => {});

Deno.test("a claim", OPTIONS, async (test) => {
  // why
  // ${"Tracks"}: R001
  work();
  await test.step("a step", () => {
    // ${"Tracks"}: R002
  });
  for (const name of names) {
    // ${"Tracks"}: R003
    await test.step("another step", () => {});
  }
});

const CASES = {
  "a case": async (storage) => {
    // ${"Tracks"}: R004
  },
};

Deno.test("the last", () => {
  // ${"Tracks"}: R005
});
`;
  assert.deepEqual(
    readTrackedTests(text, "a_test.ts").map(({ id, name }) => [id, name]),
    [
      ["R001", "a claim"],
      ["R002", "a step"],
      ["R003", "another step"],
      ["R004", "a case"],
      ["R005", "the last"],
    ],
  );
});

Deno.test("readTrackedTests() throws for a line that no test follows", () => {
  assert.throws(
    () => readTrackedTests(`// ${"Tracks"}: R001\nfunction helper() {}\n`, "a_test.ts"),
    /a_test\.ts: no test follows/,
  );
});

Deno.test("renderTable() sorts ids by number and keeps the kinds apart", () => {
  const test = { name: "a | b", file: "a_test.ts" };
  const page = renderTable([
    { ...test, id: "R100" },
    { ...test, id: "GHSA-x" },
    { ...test, id: "R9" },
  ]);
  assert.ok(page.indexOf("| R9 | a \\| b |") < page.indexOf("| R100 |"));
  assert.ok(page.indexOf("## Advisories") < page.indexOf("| GHSA-x |"));
});

Deno.test("renderTable() lists tests under the title of their finding", () => {
  const page = renderTable([{ id: "A-01", name: "a test", file: "a_test.ts" }]);
  assert.match(page, /### A-01\n\nA reset by mail [^\n]+:\n\n- a test \(`a_test\.ts`\)\n/);
  assert.doesNotMatch(page, /Advisories/);
});

Deno.test("readTrackedTests() throws for a finding that nobody made", () => {
  for (const id of ["A-99", "OP-1", "PF-nothing", "SP-W14"]) {
    assert.throws(
      () =>
        readTrackedTests(`// ${"Tracks"}: R001, ${id}\nDeno.test("a", () => {});\n`, "a_test.ts"),
      new RegExp(`a_test\\.ts: no finding has the id "${id}"`),
    );
  }
});

Deno.test("tests/security/README.md is current: run `deno task security-table`", async () => {
  assert.equal(await Deno.readTextFile(tablePath), renderTable(await findTrackedTests()));
});
