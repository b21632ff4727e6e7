/** Name, value and lifetime in a Set-Cookie line. */
export function parseSetCookie(line: string): { name: string; value: string; maxAge: number } {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  return { name, value, maxAge: Number(/; Max-Age=(\d+)/.exec(line)?.[1] ?? NaN) };
}
