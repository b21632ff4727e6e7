/**
 * IP addresses, networks and host names.
 *
 * @module
 */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * The one way to write an IP address: four decimal numbers, or IPv6 as RFC 5952 writes it. IPv4 inside of
 * IPv6 is IPv4 (mapped, and of clients behind a translator: RFC 4291, 2.5.5.2; RFC 6052, 2.1; RFC 2765, 2.1), and a
 * zone is left out, so that no client has several addresses. Null for anything else:
 * `0177.1`, which some read as 127.0.0.1, is no address.
 */
export function canonicalAddress(text: string): string | null {
  if (IPV4.test(text)) return text;
  const canonical = canonicalIPv6(text);
  if (canonical === null) return null;
  const mapped = /^(?:::ffff:(?:0:)?|64:ff9b::)([\da-f]+):([\da-f]+)$/.exec(canonical);
  if (mapped === null) return canonical;
  const [high, low] = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** IPv6 as RFC 5952 writes it, whatever IPv4 is inside; null for anything else. */
export function canonicalIPv6(text: string): string | null {
  const address = text.replace(/%[\w.-]+$/, "");
  if (!/^[\da-f:.]{2,45}$/i.test(address) || !address.includes(":")) return null;
  try {
    return new URL(`http://[${address}]`).hostname.slice(1, -1);
  } catch {
    return null;
  }
}

function binary(number: number, digits: number): string {
  return number.toString(2).padStart(digits, "0");
}

/**
 * The bits of an address as text, after a `4` or a `6` for its kind: 33 or 129 characters. A network is the
 * beginning of the bits of its addresses, so an IPv6 /64 is the first 65.
 *
 * @param address What {@linkcode canonicalAddress} gave.
 */
export function addressBits(address: string): string {
  if (!address.includes(":")) {
    return `4${address.replace(/\.?(\d+)/g, (_, octet) => binary(Number(octet), 8))}`;
  }
  const [head, tail = ""] = address.split("::").map((part) =>
    part.replace(/:?([^:]+)/g, (_, group) => binary(parseInt(group, 16), 16))
  ) as [string, string?];
  return `6${head}${"0".repeat(128 - head.length - tail.length)}${tail}`;
}

/**
 * Prefix bits of a network: `10.0.0.0/8`, `2001:db8::/32` or a single address. Null for no network.
 */
export function networkBits(text: string): string | null {
  const [start = "", length, ...rest] = text.split("/");
  const address = canonicalAddress(start);
  if (address === null || rest.length > 0) return null;
  const bits = addressBits(address);
  if (length === undefined) return bits;
  // Everybody is no network, and nobody's proxy.
  return /^[1-9]\d{0,2}$/.test(length) && Number(length) < bits.length
    ? bits.slice(0, Number(length) + 1)
    : null;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** True for the name of a host (RFC 1123, 2.1), which no address of digits and dots is. */
export function isHostName(value: unknown): value is string {
  return typeof value === "string" && value.length <= 253 && !/^[\d.]+$/.test(value) &&
    value.split(".").every((label) => LABEL.test(label));
}

/** True for hosts that never leave the machine: localhost, *.localhost, 127.0.0.0/8 and [::1]. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/**
 * True for names that are not public: one word, as in a compose file, and those that are reserved for private
 * networks (RFC 6762, RFC 8375, RFC 6761, `internal` of ICANN).
 */
export function isPrivateName(hostname: string): boolean {
  return /^(?:[a-z0-9_-]+|.+\.(?:internal|local|test|home\.arpa))$/.test(hostname);
}

/**
 * Network of an address: the first 64 bits of IPv6, since whoever has one address of such a network
 * has all of them (CVE-2026-45364). One client has 48 bits of 6to4 (RFC 3056, 2) and the last 32 of Teredo, whose
 * first 64 are those of a server (RFC 4380, 4); behind a translator for local use each address is one (RFC 8215).
 *
 * @param address What {@linkcode canonicalAddress} gave.
 */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head, tail] = address.split("::").map((part) => part.split(":").filter(Boolean)) as [
    string[],
    string[]?,
  ];
  const left = tail ? [...Array(8 - head.length - tail.length).fill("0"), ...tail] : [];
  const groups = [...head, ...left];
  if (/^2001:0?:/.test(address)) return groups.slice(6).join(":");
  if (address.startsWith("64:ff9b:1:")) return address;
  return groups.slice(0, groups[0] === "2002" ? 3 : 4).join(":");
}
