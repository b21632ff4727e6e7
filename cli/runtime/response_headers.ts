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
 * Content security policy of pages. Injected markup cannot run scripts, neither inline, without the
 * nonce, nor from elsewhere. Images may come from any https origin, because users' pictures do.
 * `form-action` also applies to redirects after a form, and a form may start a sign-in or a payment
 * elsewhere.
 */
const policy: ReadonlyMap<string, string> = new Map([
  ["default-src", "'self'"],
  ["script-src", "'self'"],
  // For style attributes, which a nonce cannot allow.
  ["style-src", "'self' 'unsafe-inline'"],
  ["img-src", "'self' data: https:"],
  ["font-src", "'self' data:"],
  ["form-action", "'self' https:"],
  ["object-src", "'none'"],
  ["base-uri", "'none'"],
  ["frame-ancestors", "'none'"],
]);

const plainPolicy = withSources(policy, new Map());

function contentSecurityPolicy(security: Security): string {
  const { dev, usesNonce, sources } = security;
  if (!dev && !usesNonce && sources.size === 0) return plainPolicy;
  const own = new Map(policy);
  if (usesNonce) own.set("script-src", `'self' 'nonce-${security.nonce}'`);
  if (dev) own.set("form-action", "'self' https: http://localhost:* http://127.0.0.1:*");
  return withSources(own, sources);
}

/** Adds the headers that every HTML response has, unless the application has set them. */
export function finishResponse(response: Response, security: Security): Response {
  const { headers } = response;
  if (!/^(text\/html|application\/xhtml)/i.test(headers.get("content-type") ?? "")) {
    return response;
  }
  const { withheld, rules } = security;
  const missing: [name: string, value: string][] = [];
  const add = (name: string, value: string | null): void => {
    if (value !== null && !headers.has(name) && !withheld.has(name)) missing.push([name, value]);
  };
  add("content-security-policy", contentSecurityPolicy(security));
  // Without it, a browser may run uploaded text as a script, whatever its declared type.
  add("x-content-type-options", "nosniff");
  // Other sites learn the origin only, never a path or a query; forms of this site still send
  // their Origin.
  add("referrer-policy", "strict-origin-when-cross-origin");
  add("speculation-rules", rules.header);
  return missing.length === 0 ? response : withHeaders(response, missing);
}

/** Sets headers; in a copy of a response from `fetch()`, whose headers cannot be changed. */
function withHeaders(response: Response, added: [name: string, value: string][]): Response {
  let changed = response;
  for (const [name, value] of added) {
    try {
      changed.headers.set(name, value);
    } catch {
      changed = new Response(response.body, response);
      changed.headers.set(name, value);
    }
  }
  return changed;
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
