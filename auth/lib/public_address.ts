/**
 * Addresses of the public internet, told from those of special networks.
 *
 * @module
 */

import { addressBits, canonicalAddress, canonicalIPv6, networkBits } from "./ip_address.ts";

/**
 * Networks of IPv4 that are not the internet (IANA's registry of special addresses, RFC 6890), and one that a cloud
 * has its machines' own services at.
 */
const SPECIAL_IPV4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // behind a provider's translator
  "127.0.0.0/8", // loopback
  "168.63.129.16", // services of Azure for a machine
  "169.254.0.0/16", // link-local, metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.88.99.0/24", // relays of 6to4
  "192.168.0.0/16", // private
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];
/**
 * Networks within 2000::/3 that are not the internet. All that is outside is none of it: loopback, IPv4 in IPv6 in every
 * form, translators (64:ff9b::/96, 64:ff9b:1::/48), private, link-local, site-local and multicast addresses.
 */
const SPECIAL_IPV6 = [
  "2001::/23", // protocol assignments, Teredo, ORCHID, benchmarks
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4, which has any IPv4 inside
  "3ffe::/16", // 6bone, returned
  "3fff::/20", // documentation
];

/**
 * True for an address of the public internet. False for every special network, for IPv6 with IPv4 inside, which leads to
 * that address on some machines, and for what is no address.
 */
export function isPublicAddress(text: string): boolean {
  const address = text.includes(":") ? canonicalIPv6(text) : canonicalAddress(text);
  if (address === null) return false;
  const bits = addressBits(address);
  const special = bits.startsWith("4") ? SPECIAL_IPV4 : SPECIAL_IPV6;
  return (bits.startsWith("4") || bits.startsWith("6001")) &&
    !special.some((network) => bits.startsWith(networkBits(network)!));
}
