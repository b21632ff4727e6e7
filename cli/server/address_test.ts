import assert from "node:assert/strict";
import { createAddressRule } from "./address.ts";

// Tracks: R193
Deno.test("createAddressRule() takes no name for a subdomain that DNS cannot have", () => {
  const find = createAddressRule({ allowedHosts: ["*.app.example", "*.app.example:8443"] });
  const originOf = (host: string) => find("192.0.2.7", host, new Headers())?.origin;
  const long = `${"a".repeat(60)}.`.repeat(3);
  for (const name of ["a", "a.b", "a_b", "a--b", "1", "a".repeat(63), `${long}${"b".repeat(58)}`]) {
    assert.equal(originOf(`${name}.app.example`), `https://${name}.app.example`, name);
    assert.equal(originOf(`${name}.app.example:8443`), `https://${name}.app.example:8443`, name);
  }
  for (
    const name of ["", ".", "a.", ".a", "a..b", "-a", "a".repeat(64), `${long}${"b".repeat(59)}`]
  ) {
    assert.equal(originOf(`${name}.app.example`), undefined, name);
    assert.equal(originOf(`${name}.app.example:8443`), undefined, name);
  }
  for (const host of ["a.app.example.", "app.example", "a.app.example-", "a.app.example:"]) {
    assert.equal(originOf(host), undefined, host);
  }
});

Deno.test("createAddressRule() answers under addresses of numbers with their ports", () => {
  const find = createAddressRule({ allowedHosts: ["127.0.0.1:8080", "[::1]:8080"] });
  for (const host of ["127.0.0.1:8080", "[::1]:8080"]) {
    assert.equal(find("127.0.0.1", host, new Headers())?.origin, `http://${host}`);
  }
  assert.equal(find("127.0.0.1", "[::1]", new Headers()), null);
});
