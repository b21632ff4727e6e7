import type { CookieJar, TestCookie } from "./cookie_jar.ts";

/** What Playwright's `newContext({ storageState })` takes. */
export interface BrowserState {
  /** The cookies that the browser would send. */
  cookies: TestCookie[];
  /** What pages keep in the browser besides: nothing. */
  origins: [];
}

/** The cookies of a context. */
export interface ContextCookies {
  /** The value of a cookie that is sent to the context's origin; undefined without it. */
  get(name: string): string | undefined;
  /** Sets a cookie by a `Set-Cookie` line, as in `"tenant=acme; Path=/"`. */
  set(line: string): void;
  /** All that have not expired. */
  all(): TestCookie[];
  /** Forgets all, so that the next request is that of a new visitor. */
  clear(): void;
  /**
   * The cookies for a browser that visits the same application elsewhere, for example under
   * `framework dev`: it is signed in as this context is, when both use one database.
   *
   * @param origin Where the browser goes. Default: the context's own origin.
   */
  storageState(origin?: string): BrowserState;
}

/** The cookies of a jar, for its context. */
export function createContextCookies(jar: CookieJar, ownOrigin: string): ContextCookies {
  const home = new URL(ownOrigin);
  return {
    get: (name) =>
      jar.header(new URL("/", home)).split("; ").find((pair) => pair.startsWith(`${name}=`))
        ?.slice(name.length + 1),
    set: (line) => jar.set(line, new URL("/", home)),
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
