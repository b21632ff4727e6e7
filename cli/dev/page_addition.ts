import type { IncomingMessage } from "node:http";

/**
 * Whether a request asks for a page to be shown, rather than for a piece that a script will read. Those pieces stay as
 * the application made them.
 *
 * @param headers The request's headers.
 */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  if (method !== "GET" && method !== "POST") return false;
  const destination = headers["sec-fetch-dest"];
  // Browsers leave the header out where the address is plain http and not this machine's.
  if (destination === undefined) return headers.accept?.includes("text/html") ?? false;
  return destination === "document" || destination === "iframe";
}

/**
 * Whether a script can be added behind a response's body.
 *
 * @param response The worker's response.
 */
export function takesScript({ statusCode = 0, headers }: IncomingMessage): boolean {
  if (statusCode < 200 || statusCode === 204 || statusCode === 304) return false;
  if (!headers["content-type"]?.startsWith("text/html")) return false;
  if (headers["content-encoding"] !== undefined || headers["content-range"] !== undefined) {
    return false;
  }
  const policies = [headers["content-security-policy"] ?? []].flat();
  return policies.every(allowsOwnScript);
}

/** Where a policy forbids the script, adding it would only fill the browser's console. */
function allowsOwnScript(policy: string): boolean {
  const directives = new Map(
    policy.split(";").map((part) => {
      const [name = "", ...values] = part.trim().toLowerCase().split(/\s+/);
      return [name, values] as const;
    }),
  );
  return ["script-src", "connect-src"].every((name) => {
    const values = directives.get(name) ?? directives.get("default-src");
    return values === undefined || values.includes("'self'") || values.includes("*");
  });
}
