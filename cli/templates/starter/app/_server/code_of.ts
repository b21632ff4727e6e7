/** The stable name of an error, such as `USER_EXISTS`; empty for one that has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
