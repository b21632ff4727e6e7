import { HeadersSentError } from "@framework/auth";
import {
  isLibraryCookie,
  isPrefetch,
  isSecureOrigin,
  readCookie,
  refusePrefetch,
} from "@framework/auth/convention";
import type { Flash, FlashMessage } from "./flash.ts";

/** Attributes of a cookie, for `context.cookies.set()`. */
export interface CookieSettings {
  /** Seconds until the browser removes it, at most 34,560,000 (400 days). Default: when it is closed. */
  maxAge?: number;
  /** Hides the cookie from scripts. Default: true. */
  httpOnly?: boolean;
  /**
   * Requests of other sites that carry the cookie: with `lax` only links, with `strict` none. `none` requires
   * Secure. Default: `lax`.
   */
  sameSite?: "lax" | "strict" | "none";
  /** Path at and below which it is sent. Default: `/`. */
  path?: string;
  /** Domain whose subdomains receive it too. Default: this host alone. */
  domain?: string;
  /** Sends it over https only. Default: true, except for plain http on this machine. */
  secure?: boolean;
}

/**
 * Cookies of a request and its response. On plain http on this machine, a name's prefix `__Host-` or
 * `__Secure-` is left out, because browsers refuse it there.
 */
export interface Cookies {
  /**
   * Returns the decoded value of a cookie, also of one that this request has set; undefined when there is
   * none, or when the browser sends two values, one of which another host of the site has set.
   */
  get(name: string): string | undefined;
  /**
   * Sets a cookie. Any text can be its value, up to 4,096 encoded bytes together with the name.
   *
   * @throws {TypeError} For names and attributes that browsers would drop, for longer values, and for cookies of
   * `@framework/auth`.
   * @throws {HeadersSentError} When the headers of the response have been sent.
   */
  set(name: string, value: string, settings?: CookieSettings): void;
  /** Removes a cookie; `path` and `domain` must be those that it was set with. */
  delete(name: string, settings?: Pick<CookieSettings, "path" | "domain">): void;
}

/** Cookies and flash message of a request, and what the response has of them. */
export interface CookieJar {
  /** `context.cookies`. */
  readonly cookies: Cookies;
  /** `context.flash`. */
  readonly flash: Flash;
  /** Adds the cookies to the response; from then on none can be set. */
  finish(response: Response): Response;
}

const MAX_BYTES = 4096;
/** RFC 6265bis, 5.5. */
const MAX_AGE = 34_560_000;
const NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const PREFIX = /^__(?:Host-Http|Host|Secure|Http)-/i;

const flashName = "__Host-framework.flash";
/** Seconds in which the page that shows the message must be loaded. */
const flashAge = 300;
/** Characters. Percent-encoded they fit into a cookie in every language. */
const longestFlash = 300;

/**
 * Creates the jar of one request: `context.cookies` and `context.flash` of a test that has no
 * application.
 *
 * @param request The request, whose Cookie header counts.
 *
 * @example
 * ```ts
 * import { createCookieJar } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 *
 * const request = new Request("https://app.example/", { headers: { cookie: "theme=dark" } });
 * const { cookies, finish } = createCookieJar(request);
 * equal(cookies.get("theme"), "dark");
 * cookies.set("theme", "light");
 * equal(
 *   finish(new Response()).headers.get("set-cookie"),
 *   "theme=light; Path=/; HttpOnly; Secure; SameSite=Lax",
 * );
 * ```
 */
export function createCookieJar(request: Request): CookieJar {
  const header = request.headers.get("cookie");
  let secure: boolean | undefined;
  // Most requests ask for no cookie.
  const isSecure = (): boolean => secure ??= isSecureOrigin(new URL(request.url).origin);
  const present = new Map<string, string | undefined>();
  const lines = new Map<string, string>();
  let isConsulted = false;
  let isClosed = false;
  let hasTaken = false;
  /** True for a page that would be shown later without the message that is there. */
  let lacksFlash = false;

  /** Name as the browser has it on this origin. */
  const sent = (name: string): string => isSecure() ? name : name.replace(PREFIX, "");

  function read(name: string): string | undefined {
    isConsulted = true;
    if (present.has(name)) return present.get(name);
    const reading = readCookie(header, sent(name));
    return reading.found === "one" ? decode(reading.value) : undefined;
  }

  function write(name: string, value: string, settings: CookieSettings): void {
    if (isClosed) throw new HeadersSentError();
    const line = cookieLine(name, value, settings, isSecure());
    const { path = "/", domain = "" } = settings;
    lines.set(`${name};${path};${domain.toLowerCase()}`, `${sent(name)}=${line}`);
    present.set(name, settings.maxAge === 0 ? undefined : value);
  }

  const cookies: Cookies = {
    get: (name) => read(own(name)),
    set: (name, value, settings = {}) => write(own(name), value, settings),
    delete: (name, settings = {}) => write(own(name), "", { ...settings, maxAge: 0 }),
  };

  const flash: Flash = {
    set(text, kind = "info") {
      if (!/^[a-z][a-z0-9-]{0,31}$/.test(kind)) {
        throw new TypeError(
          `The kind of a flash message must be a word of lower-case letters, digits and "-", not ${
            JSON.stringify(kind)
          }.`,
        );
      }
      const characters = [...text.slice(0, 2 * longestFlash + 1)];
      const short = characters.length > longestFlash
        ? `${characters.slice(0, longestFlash).join("")}…`
        : text;
      write(flashName, `${kind}.${short}`, { maxAge: flashAge });
      hasTaken = false;
    },
    take() {
      const message = parseFlash(read(flashName));
      if (message === null || request.method === "HEAD") return null;
      if (isPrefetch(request)) {
        lacksFlash = true;
        return null;
      }
      write(flashName, "", { maxAge: 0 });
      hasTaken = true;
      return message;
    },
  };

  return {
    cookies,
    flash,
    finish(response) {
      isClosed = true;
      // What follows a redirect is the page that the user sees; and what has failed has no success to tell of.
      const isLeftOut = hasTaken ? isRedirect(response) : response.status >= 500;
      if (isLeftOut) lines.delete(`${flashName};/;`);
      if (isPrefetch(request) && (lines.size > 0 || lacksFlash)) {
        response.body?.cancel().catch(() => {});
        return refusePrefetch();
      }
      if (!isConsulted && lines.size === 0 || response.status === 101) return response;
      // Headers of a response from fetch() cannot be changed.
      const finished = new Response(response.body, response);
      if (!/\bcookie\b|\*/i.test(finished.headers.get("vary") ?? "")) {
        finished.headers.append("vary", "Cookie");
      }
      // A cache in between would hand the cookies to others (CVE-2025-48947).
      if (lines.size > 0) finished.headers.set("cache-control", "no-store");
      for (const line of lines.values()) finished.headers.append("set-cookie", line);
      return finished;
    },
  };
}

function own(name: string): string {
  if (!NAME.test(name)) {
    throw new TypeError(
      `The cookie name ${JSON.stringify(name)} has a character that is not allowed.`,
    );
  }
  if (isLibraryCookie(name)) {
    throw new TypeError(
      `The cookie "${name}" belongs to @framework/auth. Choose another name, or use context.auth.`,
    );
  }
  return name;
}

/** Returns the part of a Set-Cookie line after the name (RFC 6265bis, 4.1.1). */
function cookieLine(
  name: string,
  value: string,
  settings: CookieSettings,
  isSecureHere: boolean,
): string {
  const { maxAge, httpOnly = true, sameSite = "lax", path = "/", domain } = settings;
  const secure = settings.secure ?? (isSecureHere || sameSite === "none");
  const encoded = encodeURIComponent(value.toWellFormed());
  const fail = (problem: string): never => {
    throw new TypeError(`The cookie "${name}" ${problem}.`);
  };
  if (name.length + encoded.length > MAX_BYTES) fail(`has more than ${MAX_BYTES} bytes`);
  if (!/^\/[\x21-\x3a\x3c-\x7e]*$/.test(path)) fail(`has a path that is not one, such as "/"`);
  if (domain !== undefined && !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) {
    fail('has a domain that is not one, such as "example.com"');
  }
  if (!["lax", "strict", "none"].includes(sameSite)) fail("has a sameSite that is not one");
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= 0 && maxAge <= MAX_AGE)) {
    fail(`has a maxAge that is not a whole number of seconds up to ${MAX_AGE}`);
  }
  const [prefix = ""] = PREFIX.exec(name) ?? [];
  if ((prefix !== "" || sameSite === "none") && settings.secure === false) {
    fail("must be Secure, or browsers drop it");
  }
  if (/^__Host/i.test(prefix) && (path !== "/" || domain !== undefined)) {
    fail('must have the path "/" and no domain, as its prefix demands');
  }
  if (/Http-$/i.test(prefix) && !httpOnly) fail("must be httpOnly, as its prefix demands");
  return [
    encoded,
    `Path=${path}`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    ...(domain === undefined ? [] : [`Domain=${domain}`]),
    ...(httpOnly ? ["HttpOnly"] : []),
    ...(secure ? ["Secure"] : []),
    `SameSite=${sameSite[0]!.toUpperCase()}${sameSite.slice(1)}`,
  ].join("; ");
}

/** Decodes a value; one that this runtime has not encoded may be anything. */
function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function parseFlash(value: string | undefined): FlashMessage | null {
  const [, kind, text] = /^([a-z][a-z0-9-]{0,31})\.([^]+)$/.exec(value ?? "") ?? [];
  return kind === undefined || text === undefined ? null : { kind, text };
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400 && status !== 304;
}
