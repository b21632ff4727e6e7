import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { type HeaderRules, parseHeaderRules } from "./header_rules.ts";
import { parseIgnoreRules } from "./ignore_rules.ts";

/** Static files of a server. */
export interface Assets {
  /** Answers a request to a file's address, other methods than GET and HEAD with 405; null for every other address. */
  answer(request: Request): Promise<Response | null>;
}

interface Asset {
  file: string;
  size: number;
  type: string;
  /** Strong validator: a hash of the content, made when it is first asked for. */
  etag: Promise<string> | null;
}

/** Files that the platform reads and does not serve. */
const UNSERVED = new Set(["/_headers", "/_redirects", "/.assetsignore"]);

const TYPES: Record<string, string> = {
  avif: "image/avif",
  bin: "application/octet-stream",
  css: "text/css; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  gif: "image/gif",
  gz: "application/gzip",
  htm: "text/html; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/vnd.microsoft.icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  md: "text/markdown; charset=utf-8",
  mjs: "text/javascript; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  wav: "audio/wav",
  webm: "video/webm",
  webmanifest: "application/manifest+json",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  xml: "application/xml",
  zip: "application/zip",
};

/**
 * Lists the files of a folder once. A request is looked up in that list and never becomes a path of the file system, so
 * that no spelling of it leaves the folder.
 *
 * @param folder Absolute path of the built files.
 * @param options `html`: whether `/about` is answered by `about.html`, as on Workers.
 */
export async function createAssets(folder: string, options: { html: boolean }): Promise<Assets> {
  const assets = await listAssets(folder);
  const rules = parseHeaderRules(await readText(join(folder, "_headers")));

  return {
    async answer(request) {
      const url = new URL(request.url);
      const path = decodeOnce(url.pathname);
      if (path === null || UNSERVED.has(path)) return null;
      const found = find(path);
      if (found === null) return null;
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      }
      // An address has one spelling: rules for headers would not cover another one.
      const location = encodePath(typeof found === "string" ? found : path);
      if (location === url.pathname && typeof found !== "string") {
        return await respond(request, found, rules);
      }
      const headers = new Headers({ location: location + url.search });
      rules(url, headers);
      return new Response(null, { status: 307, headers });
    },
  };

  /** Finds the file of a path, or the path that it is served under. */
  function find(path: string): Asset | string | null {
    if (!options.html) return assets.get(path) ?? null;
    const page = /^(.*\/)index(?:\.html)?$/.exec(path)?.[1];
    if (page !== undefined && assets.has(`${page}index.html`)) return page;
    if (path.endsWith(".html")) return assets.has(path) ? path.slice(0, -".html".length) : null;
    if (path.endsWith("/")) {
      const index = assets.get(`${path}index.html`);
      if (index !== undefined) return index;
      const bare = path.slice(0, -1);
      return bare !== "" && assets.has(`${bare}.html`) ? bare : null;
    }
    return assets.get(path) ?? assets.get(`${path}.html`) ??
      (assets.has(`${path}/index.html`) ? `${path}/` : null);
  }
}

async function listAssets(folder: string): Promise<Map<string, Asset>> {
  const isIgnored = parseIgnoreRules(await readText(join(folder, ".assetsignore")));
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const pathOf = (file: string): string => relative(folder, file).split(sep).join("/");
  const served = files.filter((file) => !isIgnored(pathOf(file)));
  return new Map(
    await Promise.all(served.map(async (file): Promise<[string, Asset]> => {
      const type = typeOf(file) ?? "application/octet-stream";
      return [`/${pathOf(file)}`, { file, size: (await stat(file)).size, type, etag: null }];
    })),
  );
}

/** Returns the media type of a file by its name; null for one that is not known. */
export function typeOf(file: string): string | null {
  return TYPES[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""] ?? null;
}

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}

/** Decodes a path as Workers do, which read several slashes as one. */
function decodeOnce(path: string): string | null {
  try {
    return decodeURIComponent(path).replace(/\/{2,}/g, "/");
  } catch {
    return null;
  }
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

async function respond(request: Request, asset: Asset, rules: HeaderRules): Promise<Response> {
  const etag = `"${await (asset.etag ??= hash(asset.file))}"`;
  const headers = new Headers({
    "content-type": asset.type,
    "cache-control": "public, max-age=0, must-revalidate",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    etag,
  });
  rules(new URL(request.url), headers);
  if (matches(request.headers.get("if-none-match"), etag)) {
    headers.delete("content-type");
    return new Response(null, { status: 304, headers });
  }
  const { size } = asset;
  const range = readRange(request.headers, { size, etag });
  if (range === "outside") {
    headers.set("content-range", `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  headers.set("content-length", String(end - start + 1));
  if (range !== null) headers.set("content-range", `bytes ${start}-${end}/${size}`);
  const body = request.method === "HEAD" || size === 0
    ? null
    : Readable.toWeb(createReadStream(asset.file, { start, end })) as ReadableStream<Uint8Array>;
  return new Response(body, { status: range === null ? 200 : 206, headers });
}

async function hash(file: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const part of createReadStream(file)) sum.update(part);
  return sum.digest("base64url").slice(0, 22);
}

/** Compares entity tags weakly (RFC 9110, 13.1.2). */
function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((tag) => {
    const text = tag.trim();
    return text === "*" || text.replace(/^W\//, "") === etag;
  });
}

/** One range of bytes (RFC 9110, 14.2); several are answered with the whole file, which is allowed. */
function readRange(
  headers: Headers,
  { size, etag }: { size: number; etag: string },
): { start: number; end: number } | "outside" | null {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range") ?? "");
  const condition = headers.get("if-range");
  if (asked === null || (condition !== null && condition !== etag)) return null;
  const [, first = "", last = ""] = asked;
  if (first === "" && last === "") return null;
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return null;
  return start > end || (first === "" && last === "0") ? "outside" : { start, end };
}
