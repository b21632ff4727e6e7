import { runInWorkerd } from "../tests/conformance_in_workerd.ts";

Deno.test({
  name: "SQL and key-value tenants in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (test) =>
    runInWorkerd(test, [
      { suite: "tenants", kind: "d1Databases" },
      { suite: "namespaces", kind: "kvNamespaces" },
    ]),
});
