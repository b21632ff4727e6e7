import { runInWorkerd } from "../tests/conformance_in_workerd.ts";

Deno.test({
  name: "SQL storage over D1 in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (test) => runInWorkerd(test, [{ suite: "storage", kind: "d1Databases" }]),
});
