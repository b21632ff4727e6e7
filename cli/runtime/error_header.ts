/** The header in which a worker in development hands an unexpected error to the development server. */
export const errorHeader = "x-framework-error";

const longest = 4_000;

/** A stack as a header's value; what is too long for one is cut off. */
export function toErrorHeader(stack: string): string {
  return encodeURIComponent(stack.slice(0, longest).toWellFormed());
}

/** The reverse of {@linkcode toErrorHeader}. */
export function fromErrorHeader(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
