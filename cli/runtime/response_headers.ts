import { type AddedSources, withSources } from "./csp.ts";

/** Settings of one response's headers. */
export interface Security {
  /** Nonce of this response's own inline scripts; created at the first use. */
  readonly nonce: string;
  /** True once the nonce has been used. */
  readonly usesNonce: boolean;
  /** True when forms may submit to local programs, such as a local identity provider. */
  readonly dev: boolean;
  /** Pages that browsers may load ahead of a visit: the value of `Speculation-Rules`, or null. */
  readonly rules: { readonly header: string | null };
  /** Default headers, in lower case, that the page removes. */
  readonly withheld: Set<string>;
  /** Sources that the page and its layouts add to the content security policy. */
  readonly sources: AddedSources;
}

/** Creates the {@linkcode Security} of one response. */
export function createSecurity({ dev, rules }: Pick<Security, "dev" | "rules">): Security {
  let nonce: string | undefined;
  return {
    dev,
    rules,
    get nonce() {
      return nonce ??= randomText();
    },
    get usesNonce() {
      return nonce !== undefined;
    },
    withheld: new Set(),
    sources: new Map(),
  };
}

/** Returns 16 random bytes as text, as CSP Level 3, section 7.1, requires. */
function randomText(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))));
}

/**
 * Returns the content security policy of a page. Injected markup cannot run scripts, neither
 * inline, without the nonce, nor from elsewhere. Images may come from any https origin, because
 * users' pictures do. `form-action` also applies to redirects after a form, and a form may start a
 * sign-in or a payment elsewhere.
 */
function contentSecurityPolicy(security: Security): string {
  const policy = new Map([
    ["default-src", "'self'"],
    ["script-src", `'self'${security.usesNonce ? ` 'nonce-${security.nonce}'` : ""}`],
    // For style attributes, which a nonce cannot allow.
    ["style-src", "'self' 'unsafe-inline'"],
    ["img-src", "'self' data: https:"],
    ["font-src", "'self' data:"],
    [
      "form-action",
      `'self' https:${security.dev ? " http://localhost:* http://127.0.0.1:*" : ""}`,
    ],
    ["object-src", "'none'"],
    ["base-uri", "'none'"],
    ["frame-ancestors", "'none'"],
  ]);
  return withSources(policy, security.sources);
}

/** Adds the headers that every HTML response has, unless the application has set them. */
export function finishResponse(response: Response, security: Security): Response {
  if (!/^(text\/html|application\/xhtml)/i.test(response.headers.get("content-type") ?? "")) {
    return response;
  }
  const defaults = {
    "content-security-policy": contentSecurityPolicy(security),
    // Without it, a browser may run uploaded text as a script, whatever its declared type.
    "x-content-type-options": "nosniff",
    // Other sites learn the origin only, never a path or a query; forms of this site still send
    // their Origin.
    "referrer-policy": "strict-origin-when-cross-origin",
    ...security.rules.header !== null && { "speculation-rules": security.rules.header },
  };
  const missing = Object.entries(defaults).filter(([name]) =>
    !response.headers.has(name) && !security.withheld.has(name)
  );
  if (missing.length === 0) return response;
  // A response from fetch() has headers that cannot be changed.
  const finished = new Response(response.body, response);
  for (const [name, value] of missing) finished.headers.set(name, value);
  return finished;
}

/** Header in which a worker in development sends an unexpected error to the development server. */
export const errorHeader = "x-framework-error";

const longest = 6_000;

/** Encodes a stack as a header value; a long one is truncated. */
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
