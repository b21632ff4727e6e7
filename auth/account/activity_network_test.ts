import assert from "node:assert/strict";
import { describeNetwork, networkOf } from "./activity.ts";

Deno.test("networkOf() keeps the beginning of an address and nothing of its end", () => {
  const cases: [string | null, string | null, string][] = [
    ["192.0.2.77", "192.0.2.0/24", "192.0.2.x"],
    ["10.20.30.0", "10.20.30.0/24", "10.20.30.x"],
    ["::ffff:192.0.2.77", "192.0.2.0/24", "192.0.2.x"],
    ["2001:db8:aaaa:bbbb:cccc::1", "2001:db8:aaaa::/48", "2001:db8:aaaa:…"],
    ["2001:db8::1", "2001:db8::/48", "2001:db8:…"],
    ["::1", "::1", "::1"],
    ["127.0.0.1", "127.0.0.1", "127.0.0.1"],
    ["::ffff:127.0.0.1", "127.0.0.1", "127.0.0.1"],
    ["::2", "::/48", ":…"],
    [null, null, ""],
    ["somewhere", null, ""],
  ];
  for (const [address, network, words] of cases) {
    assert.equal(networkOf(address), network);
    assert.equal(network === null ? "" : describeNetwork(network), words);
  }
});
