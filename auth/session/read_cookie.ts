/** What a Cookie header says about one name. */
export type CookieReading =
  | { found: "none" }
  | { found: "one"; value: string }
  /** Several cookies of this name with different values. */
  | { found: "several"; values: string[] };

const NONE: CookieReading = { found: "none" };

/**
 * Finds one cookie by its exact name (RFC 6265bis, 5.6). Total and linear: it knows only `;`, the first
 * `=` of a pair, and blanks and tabs around it. Nothing is decoded, so nothing can fail; a pair without
 * a name is no cookie; only blank and tab are trimmed, for other space may be part of a name that a
 * browser lets a sibling host set (CVE-2024-47764).
 *
 * Two different values under one name mean that another host of the site has set one of them, and the
 * header does not tell which. Neither is believed.
 */
export function readCookie(header: string | null, name: string): CookieReading {
  if (header === null) return NONE;
  let value: string | null = null;
  let values: string[] | undefined;
  let start = 0;
  while (start < header.length) {
    let end = header.indexOf(";", start);
    if (end === -1) end = header.length;
    const pair = readPair(header, start, end, name);
    if (pair !== null) {
      if (value !== null && value !== pair) (values ??= [value]).push(pair);
      else value = pair;
    }
    start = end + 1;
  }
  if (values !== undefined) return { found: "several", values };
  return value === null ? NONE : { found: "one", value };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** The value between `start` and `end` when the pair there has this name. */
function readPair(header: string, start: number, end: number, name: string): string | null {
  while (start < end && isBlank(header.charCodeAt(start))) start++;
  if (!header.startsWith(name, start)) return null;
  let position = start + name.length;
  while (position < end && isBlank(header.charCodeAt(position))) position++;
  if (position >= end || header[position] !== "=") return null;
  position++;
  while (position < end && isBlank(header.charCodeAt(position))) position++;
  while (end > position && isBlank(header.charCodeAt(end - 1))) end--;
  return header.slice(position, end);
}
