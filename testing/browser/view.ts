import { importLoaders } from "@framework/cli/testing";
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import process from "node:process";
import { resolveAddress } from "../context/fetch.ts";
import { describeThrown, type Trace } from "../trace/trace.ts";
import { launchChromium, START_TIMEOUT } from "./chromium.ts";
import { type Connect, connectSockets } from "./sockets.ts";

/** Options for starting a browser. */
export interface BrowserOptions {
  /** Path of Chromium. Default: `CHROMIUM_PATH`, then the first on the PATH, then Playwright's download. */
  executablePath?: string;
}

/** A page in Chromium. */
export interface BrowserView {
  /** Playwright's page, with auto-waiting queries by role, label, text and test id. */
  readonly page: Page;
  /**
   * Closes the page and the browser.
   *
   * @throws Uncaught errors of the page's scripts, and unexpected errors of the application while
   * it answered.
   */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

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

/**
 * Opens a URL in Chromium.
 *
 * @param path URL, relative to the origin.
 */
export async function openView(
  source: BrowserSource,
  path: string,
  options: BrowserOptions,
): Promise<BrowserView> {
  const browser = await launchChromium(source.root, options.executablePath);
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  let closeSockets = (): void => {};

  let page: Page | undefined;

  async function close(): Promise<void> {
    if (page !== undefined) await noteScreenshot(page, source.trace);
    closeSockets();
    await browser.close();
    const [first, ...others] = failures.splice(0);
    if (others.length > 0) throw new AggregateError([first, ...others], String(first));
    if (first !== undefined) throw first;
  }

  try {
    page = await browser.newPage();
    page.on("pageerror", failed);
    noteConsole(page, source.trace);
    await intercept(page, source, failed);
    closeSockets = await connectSockets(page, source.connect, { origin: source.origin, failed });
    // Wait until the page's scripts have run.
    await page.goto(resolveAddress(path, source.origin).href, {
      waitUntil: "load",
      timeout: START_TIMEOUT,
    });
    return { page, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await browser.close();
    throw failures[0] ?? error;
  }
}

function noteConsole(page: Page, trace: Trace | undefined): void {
  page.on("console", (message) => {
    trace?.add({
      kind: "log",
      title: `console: ${message.text()}`,
      ...(message.type() === "error" && { isFailure: true }),
    });
  });
  page.on("pageerror", (error) => {
    trace?.add({ kind: "log", title: describeThrown(error), isFailure: true });
  });
}

/** Notes what the page looks like at its end, where traces are wanted: a picture takes longer than most tests. */
async function noteScreenshot(page: Page, trace: Trace | undefined): Promise<void> {
  const wanted = process.env["FRAMEWORK_TRACE"];
  if (trace === undefined || wanted === undefined || wanted === "off" || page.isClosed()) return;
  const image = await page.screenshot();
  trace.add({ kind: "screenshot", title: page.url(), image: Uint8Array.from(image) });
}

/** Intercepted request that waits for its answer. */
interface Paused {
  requestId: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    postDataEntries?: { bytes?: string }[];
  };
}

/**
 * Intercepts requests through the DevTools protocol, because Playwright's `route()` does not see
 * redirected requests.
 */
async function intercept(
  page: Page,
  source: BrowserSource,
  failed: (error: unknown) => void,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", (paused: Paused) => {
    // The page may be closing; nobody waits for the answer then.
    answerPaused(session, paused, source).catch(async (error) => {
      if (!page.isClosed()) failed(error);
      await refuse(session, paused).catch(() => {});
    });
  });
  await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
}

async function refuse(session: CDPSession, { requestId }: Paused): Promise<void> {
  await session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
}

async function answerPaused(
  session: CDPSession,
  paused: Paused,
  source: BrowserSource,
): Promise<void> {
  const { url, method } = paused.request;
  const { origin, pathname } = new URL(url);
  if (origin !== source.origin) return await refuse(session, paused);
  const file = method === "GET" ? await readFiles(source, pathname) : null;
  const response = file === null
    ? await source.answer(requestOf(paused))
    : new Response(Uint8Array.from(file), { headers: { "content-type": typeOf(pathname) } });
  // The context's cookie jar holds the cookies, and the body is already decoded.
  const headers = [...response.headers]
    .filter(([name]) => name !== "set-cookie" && name !== "content-length")
    .map(([name, value]) => ({ name, value }));
  await session.send("Fetch.fulfillRequest", {
    requestId: paused.requestId,
    responseCode: response.status,
    responseHeaders: headers,
    body: Buffer.from(await response.arrayBuffer()).toString("base64"),
  });
}

function requestOf({ request }: Paused): Request {
  const { url, method, postDataEntries = [] } = request;
  const headers = new Headers(request.headers);
  headers.delete("cookie");
  const body = Buffer.concat(
    postDataEntries.map(({ bytes = "" }) => Buffer.from(bytes, "base64")),
  );
  const bare = method === "GET" || method === "HEAD";
  return new Request(url, { method, headers, body: bare ? null : Uint8Array.from(body) });
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
