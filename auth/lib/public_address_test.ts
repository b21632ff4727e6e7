import assert from "node:assert/strict";
import { isPublicAddress } from "./public_address.ts";

Deno.test("isPublicAddress() refuses the first and the last address of every special network, and takes the next ones", () => {
  const networks: [first: string, last: string, before: string | null, after: string | null][] = [
    ["0.0.0.0", "0.255.255.255", null, "1.0.0.0"],
    ["10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"],
    ["100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"],
    ["127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"],
    ["168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"],
    ["169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"],
    ["172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"],
    ["192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"],
    ["192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"],
    ["192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"],
    ["192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"],
    ["198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"],
    ["198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"],
    ["203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"],
    ["224.0.0.0", "255.255.255.255", "223.255.255.255", null],
    ["::", "1fff:ffff::1", null, null],
    ["2001::", "2001:1ff:ffff::1", "2000::1", "2001:200::"],
    ["2001:db8::", "2001:db8:ffff:ffff::1", "2001:db7:ffff::", "2001:db9::"],
    ["2002::", "2002:ffff:ffff::1", "2001:ffff::", "2003::"],
    ["3ffe::", "3ffe:ffff::1", "3ffd:ffff::1", null],
    ["3fff::", "3fff:fff:ffff::1", null, "3fff:1000::"],
    ["4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:ffff::1", null],
  ];
  for (const [first, last, before, after] of networks) {
    assert.deepEqual([first, last].map(isPublicAddress), [false, false], first);
    for (const next of [before, after]) {
      if (next !== null) assert.equal(isPublicAddress(next), true, next);
    }
  }
});

Deno.test("isPublicAddress() refuses IPv4 in IPv6 in every form, zones, and what is no address", () => {
  const refused = [
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "::ffff:0:8.8.8.8",
    "::8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::808:808",
    "2002:808:808::1",
    "2001:0:808:808::1",
    "100::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "localhost",
    "8.8.8.8:443",
    "[2606:4700::1111]",
    "",
  ];
  for (const address of refused) assert.equal(isPublicAddress(address), false, address);
  for (const address of ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "2A00:1450:4001:0:0:0:0:200E"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});
