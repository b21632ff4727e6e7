/** A cookie in the form of Playwright's `addCookies` and `storageState`. */
export interface TestCookie {
  /** Its name, with a prefix such as `__Host-` if it has one. */
  name: string;
  /** Value as it was sent, not decoded. */
  value: string;
  /** Host that set the cookie; with a leading dot, subdomains receive it too (RFC 6265, 5.1.3). */
  domain: string;
  /** Path below which the cookie is sent (RFC 6265, 5.1.4). */
  path: string;
  /** Expiry in seconds since 1970; -1 for a session cookie. */
  expires: number;
  /** True when the page's scripts cannot read it. */
  httpOnly: boolean;
  /** True when the cookie is sent over https only, and to loopback hosts. */
  secure: boolean;
  /** SameSite rule for cross-site requests. */
  sameSite: "Strict" | "Lax" | "None";
}

/** The cookies of one test context. */
export interface CookieJar {
  /** Stores the cookie of one `Set-Cookie` header of a response from `url`. */
  set(line: string, url: URL): void;
  /** The `Cookie` header for a request to `url`; empty without cookies. */
  header(url: URL): string;
  /** All that have not expired. */
  all(): TestCookie[];
  /** Forgets all. */
  clear(): void;
}

interface Cookie {
  name: string;
  value: string;
  domain: string;
  hostOnly: boolean;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  sameSite: TestCookie["sameSite"];
  /** Milliseconds since 1970; Infinity lasts as long as the context. */
  expires: number;
}

/**
 * Creates an empty jar that stores and sends cookies as a browser does (RFC 6265, sections 5.2 to
 * 5.4) and expires them by the given clock. `Secure` cookies are also sent to `http://localhost`,
 * which browsers trust.
 */
export function createCookieJar(now: () => number): CookieJar {
  const cookies = new Map<string, Cookie>();
  return {
    set(line, url) {
      const cookie = parseSetCookie(line, url, now());
      if (cookie === null) return;
      const key = `${cookie.domain};${cookie.path};${cookie.name}`;
      if (cookie.expires <= now()) cookies.delete(key);
      else cookies.set(key, cookie);
    },
    header(url) {
      return [...cookies.values()]
        .filter((cookie) => cookie.expires > now() && applies(cookie, url))
        .toSorted((a, b) => b.path.length - a.path.length)
        .map((cookie) => `${cookie.name}=${cookie.value}`)
        .join("; ");
    },
    all: () => [...cookies.values()].filter(({ expires }) => expires > now()).map(describe),
    clear: () => cookies.clear(),
  };
}

// Browsers treat a cookie without SameSite as Lax.
const SAME_SITE: Record<string, TestCookie["sameSite"]> = {
  strict: "Strict",
  lax: "Lax",
  none: "None",
};

function describe({ hostOnly, domain, expires, ...cookie }: Cookie): TestCookie {
  return {
    ...cookie,
    domain: hostOnly ? domain : `.${domain}`,
    expires: expires === Infinity ? -1 : expires / 1000,
  };
}

function parseSetCookie(line: string, url: URL, now: number): Cookie | null {
  const [pair = "", ...rest] = line.split(";");
  const equals = pair.indexOf("=");
  if (equals < 1) return null;
  const attributes = new Map(rest.map((part) => {
    const [name = "", ...value] = part.split("=");
    return [name.trim().toLowerCase(), value.join("=").trim()];
  }));
  const domain = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase();
  // A host may set cookies only for itself and its parent domains.
  if (domain !== "" && !within(url.hostname, domain)) return null;
  const path = attributes.get("path") ?? "";
  return {
    name: pair.slice(0, equals).trim(),
    value: pair.slice(equals + 1).trim(),
    domain: domain || url.hostname,
    hostOnly: domain === "",
    path: path.startsWith("/") ? path : url.pathname.replace(/\/[^/]*$/, "") || "/",
    secure: attributes.has("secure"),
    httpOnly: attributes.has("httponly"),
    sameSite: SAME_SITE[attributes.get("samesite")?.toLowerCase() ?? ""] ?? "Lax",
    expires: expiry(attributes, now),
  };
}

function expiry(attributes: Map<string, string>, now: number): number {
  const maxAge = attributes.get("max-age");
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000;
  const expires = Date.parse(attributes.get("expires") ?? "");
  return Number.isNaN(expires) ? Infinity : expires;
}

function applies(cookie: Cookie, url: URL): boolean {
  const host = cookie.hostOnly
    ? url.hostname === cookie.domain
    : within(url.hostname, cookie.domain);
  const path = url.pathname === cookie.path ||
    url.pathname.startsWith(cookie.path.endsWith("/") ? cookie.path : `${cookie.path}/`);
  const trusted = url.protocol === "https:" || within(url.hostname, "localhost");
  return host && path && (!cookie.secure || trusted);
}

function within(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

/** Storage state for Playwright's `newContext({ storageState })`. */
export interface BrowserState {
  /** The cookies that the browser would send. */
  cookies: TestCookie[];
  /** Local storage by origin: none. */
  origins: [];
}

/** The cookies of a context. */
export interface ContextCookies {
  /** Returns the value of a cookie that is sent to the context's origin; undefined when there is none. */
  get(name: string): string | undefined;
  /** Sets a cookie from a `Set-Cookie` header value, such as `"tenant=acme; Path=/"`. */
  set(line: string): void;
  /** All that have not expired. */
  all(): TestCookie[];
  /** Deletes all cookies, so that the next request is that of a new visitor. */
  clear(): void;
  /**
   * Returns the cookies for a browser that visits the same application elsewhere, for example under
   * `framework dev`. The browser is signed in as this context's user when both use the same
   * database.
   *
   * @param origin Origin that the browser visits. Default: the context's own origin.
   */
  storageState(origin?: string): BrowserState;
}

/** Wraps a cookie jar for its context. */
export function createContextCookies(jar: CookieJar, ownOrigin: string): ContextCookies {
  const home = new URL(ownOrigin);
  return {
    get: (name) =>
      jar.header(new URL("/", home)).split("; ").find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set(line) {
      if (!/^[^=;]+=/.test(line)) {
        throw new TypeError(
          `cookies.set() takes a line such as "theme=dark; Path=/", found ${JSON.stringify(line)}`,
        );
      }
      jar.set(line, new URL("/", home));
    },
    all: jar.all,
    clear: jar.clear,
    storageState(origin = ownOrigin) {
      const { hostname } = new URL(origin);
      const cookies = jar.all().map((cookie) => ({
        ...cookie,
        domain: cookie.domain === home.hostname ? hostname : cookie.domain,
      }));
      return { cookies, origins: [] };
    },
  };
}
