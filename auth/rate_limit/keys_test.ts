import assert from "node:assert/strict";
import { limitHeaders, limitKey } from "./keys.ts";

function keyOf(address: string): string {
  return limitKey({ name: "login", address }) as string;
}

// Tracks: CVE-2026-45364, R148
Deno.test("limitKey() counts IPv6 by the network that one client has", () => {
  const same: [one: string, other: string][] = [
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"],
    // 6to4 (RFC 3056, 2): 65,536 networks of one IPv4 address, which is the client's.
    ["2002:c000:201::1", "2002:c000:201:ffff::1"],
    // Teredo (RFC 4380, 4): the client's IPv4 address with all bits flipped, behind a port that it chooses.
    ["2001:0:c633:6401:0:ffff:3fff:fdfe", "2001:0:c633:6401:8000:1234:3fff:fdfe"],
  ];
  for (const [one, other] of same) assert.equal(keyOf(one), keyOf(other), `${one} ${other}`);
});

// Tracks: R168, A-05
Deno.test("limitKey() tells apart the clients behind one translator", () => {
  const apart: [one: string, other: string][] = [
    ["2001:db8:1:2::1", "2001:db8:1:3::1"],
    ["2001:1::1", "2001:2::1"],
    ["2002:c000:201::1", "2002:c000:202::1"],
    ["2001:0:c633:6401:0:ffff:3fff:fdfe", "2001:0:c633:6401:0:ffff:3fff:fdfd"],
    // The network for local use, in which the place of the IPv4 address is the operator's choice (RFC 8215).
    ["64:ff9b:1::c000:201", "64:ff9b:1::c000:202"],
    ["64:ff9b:1:c000:2:100::", "64:ff9b:1:c000:2:200::"],
  ];
  for (const [one, other] of apart) assert.notEqual(keyOf(one), keyOf(other), `${one} ${other}`);
});

// A client that is told to wait for no time asks again at once, and so do all that wait with it.
Deno.test("limitHeaders() tells nobody who is refused to come back in no time", () => {
  const state = { name: "api", limit: 1, window: 60, remaining: 0, reset: 0 };
  assert.equal(limitHeaders({ ...state, allowed: false })["retry-after"], "1");
  assert.equal(limitHeaders({ ...state, allowed: true })["retry-after"], undefined);
});
