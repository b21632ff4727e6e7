import { importLoaders } from "@framework/cli/testing";
import type { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import type { Trace } from "../trace/trace.ts";
import type { Connect } from "./sockets.ts";

/** Source of the browser's responses. */
export interface BrowserSource {
  /** The project's folder. */
  root: string;
  /** Folder of the built and static files. */
  files: string;
  /** Origin of the application; requests to any other origin fail. */
  origin: string;
  /** Answers a request that matches no file. */
  answer(request: Request): Promise<Response>;
  /** Events of the context, among which those of the page are noted. Default: they are not. */
  trace?: Trace | undefined;
  /** Opens a WebSocket to the application. Default: every one is refused. */
  connect?: Connect;
}

/** Answers a request of the page with a built or static file, otherwise by the application. */
export async function answerRequest(request: Request, source: BrowserSource): Promise<Response> {
  const { pathname } = new URL(request.url);
  const file = request.method === "GET" ? await readFiles(source, pathname) : null;
  return file === null
    ? await source.answer(request)
    : new Response(Uint8Array.from(file), { headers: { "content-type": typeOf(pathname) } });
}

/** Source of the answers to a page. */
export interface Answers {
  /** Origin of the application; requests to any other fail. */
  origin: string;
  answer(request: Request): Promise<Response>;
  /** Receives unexpected errors. */
  failed(error: unknown): void;
}

/** Headers that the page gets: the context's cookie jar has the cookies, and the body is already decoded. */
export function headersOf(response: Response): [string, string][] {
  return [...response.headers]
    .filter(([name]) => name !== "set-cookie" && name !== "content-length");
}

/** Reads a built or static file, or an image under its address in tests, its path in the project. */
async function readFiles({ files, root }: BrowserSource, path: string): Promise<Buffer | null> {
  const isImage = importLoaders[extname(path).toLowerCase()] === "file";
  return await readStatic(files, path) ?? (isImage ? await readStatic(root, path) : null);
}

async function readStatic(folder: string, path: string): Promise<Buffer | null> {
  const file = join(folder, decodeURIComponent(path));
  if (relative(folder, file).startsWith("..")) return null;
  return await readFile(file).catch(() => null);
}

const TYPES: Record<string, string> = {
  ".css": "text/css",
  ".gif": "image/gif",
  ".html": "text/html",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

function typeOf(path: string): string {
  return TYPES[extname(path)] ?? "application/octet-stream";
}
