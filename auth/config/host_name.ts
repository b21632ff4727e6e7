const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** True for the name of a host (RFC 1123, 2.1), which no address of digits and dots is. */
export function isHostName(value: unknown): value is string {
  return typeof value === "string" && value.length <= 253 && !/^[\d.]+$/.test(value) &&
    value.split(".").every((label) => LABEL.test(label));
}
