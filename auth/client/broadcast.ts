/**
 * News of the session between the tabs of one browser, by `BroadcastChannel`.
 *
 * @module
 */

import { type AuthClientOptions, basePathOf } from "./request.ts";

/**
 * Browser interfaces that the client uses, declared here because the same modules load on servers
 * without the types of the DOM.
 */
export interface Browser {
  /** The page; absent on a server. */
  document?: EventTarget & { visibilityState?: string };
  /** The address of the page. */
  location?: { assign(address: string): void };
  /** Channel between the tabs of one origin. */
  BroadcastChannel?: new (name: string) => Channel;
  addEventListener: EventTarget["addEventListener"];
  removeEventListener: EventTarget["removeEventListener"];
}

/** Channel on which one tab hears the others. */
export interface Channel {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** The globals, some of which a server has too. */
export const browser: Browser = globalThis as unknown as Browser;

/** Change of the session in one of the tabs. Nothing of the session itself is sent. */
export type SessionNews = "in" | "out";

/** The channel of the stores for these endpoints; nothing where the platform has none. */
export function openChannel(options: AuthClientOptions): Channel | undefined {
  return browser.BroadcastChannel &&
    new browser.BroadcastChannel(`framework.auth:${basePathOf(options)}`);
}

/** Tells all stores, in this tab and in others, that somebody signed in or out. */
export function announce(news: SessionNews, options: AuthClientOptions): void {
  const channel = openChannel(options);
  channel?.postMessage(news);
  channel?.close();
}
