import { Buffer } from "node:buffer";
import type { CDPSession, Page } from "playwright-core";
import { resolveAddress } from "../context/fetch.ts";
import { describeThrown, type Trace } from "../trace/trace.ts";
import { answerRequest, type Answers, type BrowserSource, headersOf } from "./answers.ts";
import { type BrowserName, launchBrowser, START_TIMEOUT } from "./launch.ts";
import { startProxy } from "./proxy.ts";
import { connectSockets } from "./sockets.ts";

/** Options for starting a browser. */
export interface BrowserOptions {
  /**
   * The browser. Firefox and WebKit are those that Playwright downloads, and open pages of `http:` origins. Default
   * "chromium".
   */
  browser?: BrowserName;
  /**
   * Path of the browser's program. Default: Playwright's download; of Chromium `CHROMIUM_PATH`, then the first one on the
   * PATH, come before.
   */
  executablePath?: string;
}

/** A page in a browser. */
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

/**
 * Opens a URL in a browser.
 *
 * @param path URL, relative to the origin.
 */
export async function openView(
  source: BrowserSource,
  path: string,
  { browser: name = "chromium", executablePath }: BrowserOptions,
): Promise<BrowserView> {
  const failures: unknown[] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const answer = (request: Request) => answerRequest(request, source);
  // The protocol by which requests are answered without a server is Chromium's.
  const proxy = name === "chromium"
    ? undefined
    : await startProxy({ origin: source.origin, answer, failed });
  const browser = await launchBrowser(source.root, {
    name,
    executablePath,
    ...(proxy === undefined ? {} : { proxy: proxy.address }),
  }).catch((error) => {
    proxy?.close();
    throw error;
  });
  let closeSockets = (): void => {};

  let page: Page | undefined;

  async function close(): Promise<void> {
    if (page !== undefined) await noteScreenshot(page, source.trace);
    closeSockets();
    await browser.close();
    proxy?.close();
    const [first, ...others] = failures.splice(0);
    if (others.length > 0) throw new AggregateError([first, ...others], String(first));
    if (first !== undefined) throw first;
  }

  try {
    page = await browser.newPage();
    page.on("pageerror", failed);
    noteConsole(page, source.trace);
    if (proxy === undefined) await intercept(page, { origin: source.origin, answer, failed });
    closeSockets = await connectSockets(page, source.connect, { origin: source.origin, failed });
    // Wait until the page's scripts have run.
    await page.goto(resolveAddress(path, source.origin).href, {
      waitUntil: "load",
      timeout: START_TIMEOUT,
    });
    return { page, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await browser.close();
    proxy?.close();
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

/** Notes what the page looks like at its end, which comes before anybody knows that the test fails. */
async function noteScreenshot(page: Page, trace: Trace | undefined): Promise<void> {
  if (!trace?.isWanted || page.isClosed()) return;
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
async function intercept(page: Page, answers: Answers): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", (paused: Paused) => {
    // The page may be closing; nobody waits for the answer then.
    answerPaused(session, paused, answers).catch(async (error) => {
      if (!page.isClosed()) answers.failed(error);
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
  { origin, answer }: Answers,
): Promise<void> {
  if (new URL(paused.request.url).origin !== origin) return await refuse(session, paused);
  const response = await answer(requestOf(paused));
  await session.send("Fetch.fulfillRequest", {
    requestId: paused.requestId,
    responseCode: response.status,
    responseHeaders: headersOf(response).map(([name, value]) => ({ name, value })),
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
