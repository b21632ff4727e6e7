import { runInWorkerd } from "../tests/conformance_in_workerd.ts";

Deno.test({
  name: "key-value tenants in workerd",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (test) => runInWorkerd(test, [{ suite: "namespaces", kind: "kvNamespaces" }]),
});
