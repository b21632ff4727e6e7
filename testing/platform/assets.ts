import { assetRules, type HeaderRules } from "@framework/cli/testing";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { answerPath, type HtmlHandling, type NotFoundHandling } from "./asset_paths.ts";

/** Options of the static files, as `assets` of the platform file has them. */
export interface AssetOptions {
  /** Absolute path of the folder. */
  directory: string;
  /** Default "auto-trailing-slash". */
  htmlHandling?: HtmlHandling | undefined;
  /** Default "none": the worker answers, or 404. */
  notFoundHandling?: NotFoundHandling | undefined;
  /** Paths that the worker answers before the files, or true for all. Default: none. */
  runWorkerFirst?: boolean | readonly string[] | undefined;
  /** Date from which navigations get the page of `notFoundHandling` before the worker is asked. */
  compatibilityDate?: string | undefined;
  compatibilityFlags?: readonly string[] | undefined;
}

/** Static files with the platform's API. */
export interface StaticAssets {
  /** Answers a request with a file, a redirect, or 404; the binding's method. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
  /** Answers a request that comes from outside; null when the worker is to answer. */
  answer(request: Request): Promise<Response | null>;
}

interface Redirect {
  from: string;
  to: string;
  status: number;
  isStatic: boolean;
  match(url: URL): Record<string, string> | null;
}

const UNSERVED = new Set(["_headers", "_redirects", ".assetsignore"]);
const NAVIGATION_DATE = "2025-04-01";
const NAVIGATION_FLAG = "assets_navigation_prefers_asset_serving";

/**
 * Serves the files of a folder as the platform does. The folder is read anew for each request, because a test may
 * write to it.
 *
 * @see https://developers.cloudflare.com/workers/static-assets/
 */
export function createStaticAssets(options: AssetOptions): StaticAssets {
  const { directory, htmlHandling = "auto-trailing-slash", notFoundHandling = "none" } = options;
  const { runWorkerFirst = false, compatibilityDate = "", compatibilityFlags = [] } = options;
  const patterns = Array.isArray(runWorkerFirst) ? runWorkerFirst as string[] : null;
  const prefersPages = compatibilityFlags.includes(NAVIGATION_FLAG) ||
    (compatibilityDate >= NAVIGATION_DATE &&
      !compatibilityFlags.includes(NAVIGATION_FLAG.replace("prefers", "has_no_effect")));

  /** Finds the response without the headers of `_headers`; null when no file answers. */
  function find(request: Request, notFound: NotFoundHandling): Response | null {
    const url = new URL(request.url);
    const redirected = redirect(url, readRedirects(directory));
    if (redirected instanceof Response) return redirected;
    const { pathname, isProxied } = redirected;
    const path = decodePath(pathname);
    const files = listFiles(directory);
    const found = answerPath(path, { html: htmlHandling, notFound }, (file) => files.has(file));
    if (found === null) return isProxied ? new Response(null, { status: 404 }) : null;
    if (request.method !== "GET" && request.method !== "HEAD") {
      return new Response(null, { status: 405 });
    }
    const location = encodePath("redirect" in found ? found.redirect : path);
    if ("redirect" in found || location !== pathname) {
      return new Response(null, { status: 307, headers: { location: location + url.search } });
    }
    return respond(request, files.get(found.file)!, found.status);
  }

  function withRules(request: Request, response: Response): Response {
    rulesOf(directory)(new URL(request.url), response.headers);
    return response;
  }

  // deno-lint-ignore require-await -- a promise by contract.
  async function fetch(input: Request | string | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    return withRules(
      request,
      find(request, notFoundHandling) ?? new Response(null, { status: 404 }),
    );
  }

  return {
    fetch,
    async answer(request) {
      if (patterns !== null) {
        const { pathname } = new URL(request.url);
        const covers = (rules: string[]) => rules.some((rule) => patternOf(rule).test(pathname));
        const files = patterns.filter((rule) => rule.startsWith("!")).map((rule) => rule.slice(1));
        if (covers(files)) return await fetch(request);
        if (covers(patterns.filter((rule) => !rule.startsWith("!")))) return null;
      } else if (runWorkerFirst === true) {
        return null;
      }
      // The page for what is not found comes before the worker only where the platform file says so.
      const isNavigation = request.headers.get("sec-fetch-mode") === "navigate";
      const seesPage = patterns !== null || (prefersPages && isNavigation);
      const found = find(request, seesPage ? notFoundHandling : "none");
      return found === null ? null : await fetch(request);
    },
  };
}

function patternOf(rule: string): RegExp {
  const parts = rule.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\/-]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Lists the absolute paths of the files that are served, by the path of their address. */
function listFiles(directory: string): Map<string, string> {
  const isIgnored = assetRules.parseIgnoreRules(readText(join(directory, ".assetsignore")));
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.flatMap((file): [string, string][] => {
    const path = relative(directory, file).split(sep).join("/");
    return UNSERVED.has(path) || isIgnored(path) ? [] : [[`/${path}`, file]];
  }));
}

function rulesOf(directory: string): HeaderRules {
  return assetRules.parseHeaderRules(readText(join(directory, "_headers")));
}

function respond(request: Request, file: string, status: number): Response {
  const bytes = readFileSync(file);
  const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}"`;
  const headers = new Headers({ etag });
  const type = assetRules.typeOf(file);
  if (type !== null) headers.set("content-type", type);
  if (!request.headers.has("authorization") && !request.headers.has("range")) {
    headers.set("cache-control", "public, max-age=0, must-revalidate");
  }
  headers.set("cf-cache-status", "HIT");
  if ([etag, `W/${etag}`].includes(request.headers.get("if-none-match") ?? "")) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(request.method === "HEAD" ? null : bytes, { status, headers });
}

const STATUSES = new Set([200, 301, 302, 303, 307, 308]);

/** Reads `_redirects`; lines that the platform ignores are ignored. */
function readRedirects(directory: string): Redirect[] {
  const redirects: Redirect[] = [];
  let isStatic = true;
  for (const line of readText(join(directory, "_redirects")).split("\n")) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const tokens = text.replace(/\s+#.*$/, "").split(/\s+/);
    const [from = "", to = "", code = "302"] = tokens;
    const match = assetRules.readPattern(from);
    const status = Number(code);
    const isKnown = redirects.some((one) => one.from === from);
    if (tokens.length > 3 || to === "" || match === null || !STATUSES.has(status) || isKnown) {
      continue;
    }
    // Rules without placeholders come first, unless one with them is written before.
    isStatic &&= !/\*|:[A-Za-z]/.test(from.replace(/^https:\/\//, ""));
    redirects.push({ from, to, status, isStatic, match });
  }
  return redirects;
}

/** Returns the redirect of an address, or the path whose file answers. */
function redirect(
  url: URL,
  rules: Redirect[],
): Response | { pathname: string; isProxied: boolean } {
  const found = rules.find((rule) => rule.isStatic && rule.match(url) !== null) ??
    rules.find((rule) => !rule.isStatic && rule.match(url) !== null);
  if (found === undefined) return { pathname: url.pathname, isProxied: false };
  const filled = Object.entries(found.match(url) ?? {})
    .reduce((text, [name, value]) => text.replaceAll(`:${name}`, () => value), found.to).trim();
  const target = found.isStatic || /^\w+:\/\//.test(filled) ? filled : filled.replace(/\/+/g, "/");
  const { origin, pathname, search, hash } = new URL(target, url);
  if (found.status === 200) return { pathname, isProxied: true };
  const location = `${origin === url.origin ? "" : origin}${pathname}${
    search || url.search
  }${hash}`;
  return new Response(null, { status: found.status, headers: { location } });
}

function decodePath(pathname: string): string {
  return pathname.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }).join("/").replace(/\/+/g, "/");
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
