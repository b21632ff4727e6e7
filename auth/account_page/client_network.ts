import { addressBits, canonicalAddress } from "../http/ip_address.ts";

/**
 * The network of an address: enough to tell home from abroad, too little to tell one household from another.
 * The first 24 bits of IPv4, the first 48 of IPv6; null for no address.
 */
export function networkOf(address: string | null): string | null {
  const known = canonicalAddress(address ?? "");
  if (known === null) return null;
  if (!known.includes(":")) return known.replace(/\d+$/, "0/24");
  const bits = addressBits(known).slice(1);
  const groups = [0, 16, 32].map((start) =>
    parseInt(bits.slice(start, start + 16), 2).toString(16)
  );
  return `${canonicalAddress(`${groups.join(":")}::`)}/48`;
}

/** A network in words: what is left out of the address is seen to be. */
export function describeNetwork(network: string): string {
  return network.replace(/\.0\/24$/, ".x").replace(/:?:\/48$/, ":…");
}
