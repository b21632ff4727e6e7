import { type AuthClientOptions, basePathOf } from "./call.ts";
import { browser, type Channel } from "./browser.ts";

/** What happened to the session in one of the tabs. Nothing of the session itself is told. */
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
