import assert from "node:assert/strict";
import { addressBits, canonicalAddress, networkBits } from "./ip_address.ts";

Deno.test("canonicalAddress() writes every spelling of an address in one way", () => {
  const spellings: [string, string][] = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:201", "192.0.2.1"],
    // IPv4 clients behind translators (RFC 6052, 2.1; RFC 2765, 2.1)
    ["64:ff9b::192.0.2.1", "192.0.2.1"],
    ["0064:FF9B:0:0:0:0:c000:0201", "192.0.2.1"],
    ["::ffff:0:192.0.2.1", "192.0.2.1"],
    ["64:ff9b:1::c000:201", "64:ff9b:1::c000:201"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:0db8::0001", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::", "::"],
    ["0.0.0.0", "0.0.0.0"],
  ];
  for (const [text, canonical] of spellings) assert.equal(canonicalAddress(text), canonical, text);
});

// Tracks: R053
Deno.test("canonicalAddress() knows nothing else", () => {
  const others = [
    "",
    "unknown",
    "_hidden",
    "localhost",
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "256.0.0.1",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.4 ",
    "01.2.3.4",
    "1.2.3.-4",
    "1::2::3",
    ":",
    ":::",
    "12345::",
    "[::1]",
    "::1]@evil.example/[",
    "fe80::1%",
    "::1\n",
    "1".repeat(100_000),
    ":".repeat(100_000),
  ];
  for (const text of others) assert.equal(canonicalAddress(text), null, text.slice(0, 40));
});

Deno.test("addressBits() of a network's addresses begin with networkBits()", () => {
  assert.equal(addressBits("10.1.2.3"), "400001010000000010000001000000011");
  assert.equal(addressBits("::1"), `6${"0".repeat(127)}1`);
  assert.equal(addressBits("::"), `6${"0".repeat(128)}`);
  assert.equal(addressBits("2001:db8::5").length, 129);
  const cases: [address: string, network: string, inside: boolean][] = [
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["192.0.2.7", "192.0.2.7", true],
    ["192.0.2.70", "192.0.2.7", false],
    ["192.0.2.7", "192.0.2.9/29", false],
    ["192.0.2.15", "192.0.2.9/29", true],
    ["2001:db8:1::1", "2001:db8::/32", true],
    ["2001:db9::1", "2001:db8::/32", false],
    ["::a00:1", "10.0.0.0/8", false],
  ];
  for (const [address, network, inside] of cases) {
    const bits = addressBits(address);
    assert.equal(bits.startsWith(networkBits(network)!), inside, `${address} in ${network}`);
  }
});

Deno.test("networkBits() refuses what is no network, and everybody", () => {
  const others = ["", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/08", "10.0.0.0/8/8", "10/8"];
  for (const text of [...others, "0.0.0.0/0", "::/0", "10.0.0.0/-1", "10.0.0.0/1e1", "*"]) {
    assert.equal(networkBits(text), null, text);
  }
});
