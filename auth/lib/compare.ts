/**
 * Compares two byte strings without stopping at the first difference, so that the time tells nothing
 * about where they differ. The length is not secret: a different one is simply false, never an error
 * (the platforms' own `timingSafeEqual` throws there).
 */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!;
  return difference === 0;
}

/** The same for two texts. */
export function constantTimeEqualText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
