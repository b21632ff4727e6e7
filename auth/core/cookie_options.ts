/**
 * Options for the session cookie.
 *
 * @module
 */

import { cookieNameRules, isCookieName } from "../lib/cookie.ts";
import { isHostName } from "../lib/ip_address.ts";
import { optionsAt, readChoice, readFlag, wrongOption } from "../lib/options.ts";

/** The attributes of a cookie. */
export interface CookieOptions {
  /** Only over https. Default: true, unless the application's own origin is plain http on a loopback host. */
  secure?: boolean;
  /** Out of reach for scripts. Default true. */
  httpOnly?: boolean;
  /** SameSite attribute. Default 'lax'. */
  sameSite?: "lax" | "strict" | "none";
  /** The path at and below which it is sent. Default '/'. */
  path?: string;
  /** The domain whose subdomains get it too. Default: this host alone. */
  domain?: string;
}

/** The cookies of the library. */
export interface CookieConfig {
  /** The session cookie. */
  sessionToken?: {
    /** Default 'framework.session-token'. The rules of `__Host-` and `__Secure-` names are checked. */
    name?: string;
    /**
     * True puts `__Host-` before the name wherever the cookie is Secure, so that no sibling host of the
     * site can plant a session (RFC 6265bis, 4.1.3.2). Needs the path `/` and no domain. On plain http on
     * a loopback host, where browsers refuse such names, the cookie has its name alone. Default false.
     */
    hostOnly?: boolean;
    /**
     * For an application that was in use before it had `hostOnly`: the moment of that change. A cookie
     * without the prefix then still opens a session that began before, and is exchanged for one with it;
     * such a session is no recent sign-in and proves nothing. `session.maxAge` after that moment no such
     * cookie is read any more, and this can go. Default: none is read.
     */
    hostOnlySince?: Date;
    /** Its attributes. */
    options?: CookieOptions;
  };
}

/** The session cookie, checked. */
export interface SessionCookie {
  /** Its name, without {@linkcode SessionCookie.prefix}. */
  name: string;
  /** Name prefix used wherever the cookie is Secure. */
  prefix: "" | "__Host-";
  /** True when no sibling host can plant the cookie. */
  hostOnly: boolean;
  /** Sessions from before this moment may still come without the prefix; -Infinity for none. */
  since: number;
  /** 'auto' decides by the application's own origin. */
  secure: boolean | "auto";
  /** Out of reach for scripts. */
  httpOnly: boolean;
  /** SameSite attribute. */
  sameSite: "lax" | "strict" | "none";
  /** Its path. */
  path: string;
  /** Its domain, or null. */
  domain: string | null;
}

/** The session cookie of an application that says nothing about it. */
export const DEFAULT_COOKIE: SessionCookie = {
  name: "framework.session-token",
  prefix: "",
  hostOnly: false,
  since: -Infinity,
  secure: "auto",
  httpOnly: true,
  sameSite: "lax",
  path: "/",
  domain: null,
};

const FIELD = "cookies.sessionToken";
const OPTIONS_FIELD = `${FIELD}.options`;
const OPTION_KEYS = ["secure", "httpOnly", "sameSite", "path", "domain"];

function readPath(value: unknown): string {
  if (value === undefined) return "/";
  if (typeof value === "string" && /^\/[\x21-\x3a\x3c-\x7e]*$/.test(value)) return value;
  throw wrongOption(`${OPTIONS_FIELD}.path`, value, 'a path such as "/"');
}

function readDomain(value: unknown): string | null {
  if (value === undefined) return null;
  if (isHostName(value)) return value.toLowerCase();
  throw wrongOption(`${OPTIONS_FIELD}.domain`, value, 'a host name such as "example.com"');
}

function readSince(value: unknown, hostOnly: boolean): number {
  if (value === undefined) return -Infinity;
  const since = value instanceof Date ? value.getTime() : NaN;
  if (hostOnly && since < Infinity) return since;
  throw wrongOption(`${FIELD}.hostOnlySince`, value, "a Date, together with hostOnly: true");
}

/** Rejects combinations that browsers would drop silently. */
function checkNameRules(cookie: SessionCookie): void {
  const { prefix, secure, hostOnly, httpOnly } = cookieNameRules(cookie.prefix + cookie.name);
  const why = `, as the name prefix ${prefix} demands`;
  const demands: [isBroken: boolean, option: keyof SessionCookie, write: string][] = [
    [secure && cookie.secure === false, "secure", `true${why}`],
    [hostOnly && cookie.path !== "/", "path", `"/"${why}`],
    [hostOnly && cookie.domain !== null, "domain", `no domain${why}`],
    [httpOnly && !cookie.httpOnly, "httpOnly", `true${why}`],
    [
      cookie.sameSite === "none" && cookie.secure === false,
      "secure",
      'true, as sameSite: "none" demands',
    ],
  ];
  for (const [isBroken, option, write] of demands) {
    if (isBroken) throw wrongOption(`${OPTIONS_FIELD}.${option}`, cookie[option], write);
  }
}

/** Checks the `cookies` block and fills in its defaults. */
export function readCookieOptions(value: unknown): SessionCookie {
  const cookies = optionsAt(value, "cookies", ["sessionToken"]);
  const token = optionsAt(cookies.sessionToken, FIELD, [
    "name",
    "hostOnly",
    "hostOnlySince",
    "options",
  ]);
  const options = optionsAt(token.options, OPTIONS_FIELD, OPTION_KEYS);

  const name = token.name ?? DEFAULT_COOKIE.name;
  if (typeof name !== "string" || !isCookieName(name)) {
    throw wrongOption(`${FIELD}.name`, name, "letters, digits and -._ (RFC 9110, token)");
  }
  const { secure, httpOnly, sameSite: said = "lax" } = options;
  const sameSite = readChoice(said, `${OPTIONS_FIELD}.sameSite`, ["lax", "strict", "none"]);
  const rules = cookieNameRules(name);
  const asked = readFlag(token.hostOnly, `${FIELD}.hostOnly`) === true && !rules.hostOnly;
  if (asked && rules.prefix !== "") {
    throw wrongOption(`${FIELD}.name`, name, "a name without a prefix");
  }
  const mustBeSecure = rules.secure || sameSite === "none";
  const cookie: SessionCookie = {
    name,
    prefix: asked ? "__Host-" : "",
    hostOnly: asked || rules.hostOnly,
    since: readSince(token.hostOnlySince, asked),
    secure: readFlag(secure, `${OPTIONS_FIELD}.secure`) ?? (mustBeSecure || "auto"),
    httpOnly: readFlag(httpOnly, `${OPTIONS_FIELD}.httpOnly`) ?? true,
    sameSite,
    path: readPath(options.path),
    domain: readDomain(options.domain),
  };
  checkNameRules(cookie);
  return cookie;
}
