/**
 * What the client uses of a browser, written down here: the types of the DOM are not those of a server, on
 * which the same modules load.
 */
export interface Browser {
  /** The page; absent on a server. */
  document?: EventTarget & { visibilityState?: string };
  /** The address of the page. */
  location?: { assign(address: string): void };
  /** What the tabs of one origin tell each other. */
  BroadcastChannel?: new (name: string) => Channel;
  addEventListener: EventTarget["addEventListener"];
  removeEventListener: EventTarget["removeEventListener"];
}

/** What one tab hears of the others. */
export interface Channel {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** The globals, some of which a server has too. */
export const browser: Browser = globalThis as unknown as Browser;
