// deno-lint-ignore-file require-await -- what an operation throws must be a rejection

import type { KnownBrowserStorage } from "./known_browsers.ts";
import { type MemoryState, ownerFor, removeFrom } from "./memory_state.ts";

/** Makes the operations on known browsers. No body waits, which is what makes it atomic. */
export function createMemoryKnownBrowsers(state: MemoryState): KnownBrowserStorage {
  const { knownBrowsers } = state;
  return {
    async putKnownBrowser(browser, { keep, proofBegunAt = Infinity, unproved = false }) {
      const { idHash, userId } = browser;
      const owner = ownerFor(state, userId, { unproved });
      if (owner === undefined || owner.credentialsAfter > proofBegunAt) return;
      knownBrowsers.set(idHash, { ...browser });
      const stay = [...knownBrowsers.values()]
        .filter((one) => one.userId === userId)
        .sort((a, b) => b.createdAt - a.createdAt || (a.idHash < b.idHash ? -1 : 1))
        .slice(0, keep);
      removeFrom(knownBrowsers, (one) => one.userId === userId && !stay.includes(one));
    },
    async isKnownBrowser(idHash, { now, proved = false }) {
      const browser = knownBrowsers.get(idHash);
      if (browser === undefined || browser.expiresAt <= now) return false;
      return !proved || Boolean(state.owners.get(browser.userId)?.user.emailVerified);
    },
    async dropKnownBrowsers(userId) {
      removeFrom(knownBrowsers, (one) => one.userId === userId);
    },
  };
}
