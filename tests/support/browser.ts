import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type ConsoleMessage,
  type Page,
  type Response as Reply,
} from "playwright-core";
import {
  chromiumHint,
  findChromium,
  findWholeChromium,
  wholeChromiumHint,
} from "../../scripts/chromium.ts";

/**
 * Time limit for expected events in a page, in milliseconds: a missing one ends a test within half
 * a minute. A slower machine sets it in seconds, `BROWSER_PATIENCE=180`.
 */
export const PATIENCE: number = 1000 * Number(Deno.env.get("BROWSER_PATIENCE") ?? 25);

// A start reads a hundred megabytes, while everything else starts too.
const START = 180_000;

/** Actions of a test in the browser. */
export interface TestBrowser {
  /** Opens a profile of its own. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page in a profile of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Closes all that was opened here. The program stays for the file's other tests. */
  close(): Promise<void>;
}

/** True for an error or a warning in a browser's console; Chromium also tells there what a sign-in has it forget. */
export function isComplaint(message: ConsoleMessage): boolean {
  return ["error", "warning"].includes(message.type());
}

/** The file's Chromium, and the one that keeps pages for Back. */
const running = new Map<boolean, Promise<Browser>>();

Deno.test.afterAll(async () => {
  for (const started of running.values()) {
    const browser = await started.catch(() => undefined);
    await browser?.close();
  }
});

/** Options for {@linkcode launchBrowser}. */
export interface LaunchOptions {
  /**
   * Keeps left pages in memory and shows them on Back, as browsers of people do: the whole Chromium,
   * since the headless shell does not. Playwright, which turns this off by itself, then cannot wait
   * for Back: go back by a script of the page. Default: false.
   */
  keepsPages?: boolean;
}

/**
 * Gives a test the file's Chromium, which is started once: a start costs more than most tests. It has no window, and
 * makes no calls home that a closed network refuses.
 */
export async function launchBrowser({ keepsPages = false }: LaunchOptions = {}): Promise<
  TestBrowser
> {
  let started = running.get(keepsPages);
  if (started === undefined || !(await started).isConnected()) {
    running.set(keepsPages, started = startChromium(keepsPages));
  }
  const browser = await started;
  const contexts: BrowserContext[] = [];
  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PATIENCE);
    contexts.push(context);
    return context;
  }
  return {
    newContext,
    newPage: async (options) => await (await newContext(options)).newPage(),
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

/** Returns true when this answers a listening page, as those of a development server are. */
export function isEventStream(reply: Reply): boolean {
  return reply.headers()["content-type"]?.startsWith("text/event-stream") ?? false;
}

async function startChromium(keepsPages: boolean): Promise<Browser> {
  const executablePath = await (keepsPages ? findWholeChromium() : findChromium());
  if (executablePath === null) throw new Error(keepsPages ? wholeChromiumHint : chromiumHint);
  return await chromium.launch({
    executablePath,
    timeout: START,
    ignoreDefaultArgs: keepsPages ? ["--disable-back-forward-cache"] : [],
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
