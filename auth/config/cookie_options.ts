import { cookieNameRules, isCookieName } from "../session/cookie_names.ts";
import { checkKeys, optionsAt, wrongOption } from "./check.ts";

/** The attributes of a cookie. */
export interface CookieOptions {
  /** Only over https. Default: true, unless the application's own origin is plain http on a loopback host. */
  secure?: boolean;
  /** Out of reach for scripts. Default true. */
  httpOnly?: boolean;
  /** Which cross-site requests carry it. Default 'lax'. */
  sameSite?: "lax" | "strict" | "none";
  /** The path at and below which it is sent. Default '/'. */
  path?: string;
  /** The domain whose subdomains get it too. Default: this host alone. */
  domain?: string;
}

/** The cookies of the library. */
export interface CookieConfig {
  /** The cookie that carries the session. */
  sessionToken?: {
    /** Default 'framework.session-token'. The rules of `__Host-` and `__Secure-` names are checked. */
    name?: string;
    /** Its attributes. */
    options?: CookieOptions;
  };
}

/** The session cookie, checked. */
export interface SessionCookie {
  /** Its name. */
  name: string;
  /** 'auto' decides by the application's own origin. */
  secure: boolean | "auto";
  /** Out of reach for scripts. */
  httpOnly: boolean;
  /** Which cross-site requests carry it. */
  sameSite: "lax" | "strict" | "none";
  /** Its path. */
  path: string;
  /** Its domain, or null. */
  domain: string | null;
}

const FIELD = "cookies.sessionToken";
const OPTIONS_FIELD = `${FIELD}.options`;
const DOMAIN =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i;

function readFlag(options: Record<string, unknown>, name: string): boolean | undefined {
  const value = options[name];
  if (value === undefined || typeof value === "boolean") return value;
  throw wrongOption(`${OPTIONS_FIELD}.${name}`, value, "true or false");
}

function readSameSite(value: unknown): "lax" | "strict" | "none" {
  if (value === undefined) return "lax";
  if (value === "lax" || value === "strict" || value === "none") return value;
  throw wrongOption(`${OPTIONS_FIELD}.sameSite`, value, '"lax", "strict" or "none"');
}

function readPath(value: unknown): string {
  if (value === undefined) return "/";
  if (typeof value === "string" && /^\/[\x21-\x3a\x3c-\x7e]*$/.test(value)) return value;
  throw wrongOption(`${OPTIONS_FIELD}.path`, value, 'a path such as "/"');
}

function readDomain(value: unknown): string | null {
  if (value === undefined) return null;
  if (typeof value === "string" && DOMAIN.test(value) && !/^[\d.]+$/.test(value)) {
    return value.toLowerCase();
  }
  throw wrongOption(`${OPTIONS_FIELD}.domain`, value, 'a host name such as "example.com"');
}

/** What the browser would drop in silence is an error here. */
function checkNameRules(cookie: SessionCookie): void {
  const { prefix, secure, hostOnly, httpOnly } = cookieNameRules(cookie.name);
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
  const cookies = optionsAt(value, "cookies");
  checkKeys(cookies, ["sessionToken"], "cookies");
  const token = optionsAt(cookies.sessionToken, FIELD);
  checkKeys(token, ["name", "options"], FIELD);
  const options = optionsAt(token.options, OPTIONS_FIELD);
  checkKeys(options, ["secure", "httpOnly", "sameSite", "path", "domain"], OPTIONS_FIELD);

  const name = token.name ?? "framework.session-token";
  if (typeof name !== "string" || !isCookieName(name)) {
    throw wrongOption(`${FIELD}.name`, name, "letters, digits and -._ (RFC 9110, token)");
  }
  const sameSite = readSameSite(options.sameSite);
  const mustBeSecure = cookieNameRules(name).secure || sameSite === "none";
  const cookie: SessionCookie = {
    name,
    secure: readFlag(options, "secure") ?? (mustBeSecure || "auto"),
    httpOnly: readFlag(options, "httpOnly") ?? true,
    sameSite,
    path: readPath(options.path),
    domain: readDomain(options.domain),
  };
  checkNameRules(cookie);
  return cookie;
}
