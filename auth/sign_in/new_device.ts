/**
 * The notice about a sign-in in a browser in which its user has not been seen.
 *
 * @module
 */

import type { AccountGuard, RememberedSignIn, RequestStore } from "../core/contracts.ts";
import { ownRedirect } from "../core/redirect.ts";
import { parseEmailAddress } from "../lib/email_address.ts";
import { describeDevice, nameBrowser } from "../pages/device.ts";
import { lookOf } from "../pages/frame.ts";
import { type MailText, newDeviceMail } from "../pages/mails.ts";
import { knownBrowserGroup } from "../storage/known_browsers.ts";
import { deliverableAddress } from "./email/request.ts";
import { ACCOUNT_GUARD } from "./known_browsers.ts";

/** A notice that is ready to be sent. */
export interface DeviceNotice extends MailText {
  /** The recipient. */
  to: string;
  /** Link in it. */
  url: string;
  /** The owner. */
  userId: string;
}

/** Sends the notice, by the mailer of a way to sign in. */
export type SendNotice = (store: RequestStore, notice: DeviceNotice) => Promise<void>;

/**
 * Tests if a user signs in where they have not been seen. Who has been seen nowhere has just signed up, or has set a new
 * password, which forgets all browsers: there is nothing to compare with.
 */
async function isNewBrowser(
  store: RequestStore,
  { userId, identifier, email }: RememberedSignIn,
): Promise<boolean> {
  const { settings: { storage, hasDatabase, now, logger } } = store.auth;
  const browsers = hasDatabase ? storage.group?.(knownBrowserGroup) : null;
  try {
    for (const name of new Set([identifier, email])) {
      if (name === null || name === "") continue;
      const asked = { proved: false, userId };
      if (await ACCOUNT_GUARD.find(store, name, asked) !== null) return false;
    }
    return await browsers?.hasKnownBrowsers?.(userId, now()) === true;
  } catch (error) {
    // Nobody is kept out because a notice could not be sent.
    logger.error("new-device-unchecked", { requestId: store.requestId(), error });
    return false;
  }
}

/** Writes to the owner, at an address that they have proved: any other may be a stranger's. */
async function tellOwner(store: RequestStore, userId: string, send: SendNotice): Promise<void> {
  const { request, auth: { settings, origin } } = store;
  const { storage, now, modules, basePath, pages } = settings;
  const user = await storage.getActiveUser(userId);
  const to = parseEmailAddress(user?.email ?? "");
  if (to === null || !user?.emailVerified) return;
  const look = lookOf(store);
  const hasAccount = modules.some(({ id }) => id === "account");
  const url = ownRedirect(hasAccount ? `${basePath}/account` : pages.signIn, origin());
  const mail = newDeviceMail(look, {
    address: to.address,
    at: new Date(now()),
    browser: describeDevice(look, nameBrowser(request.headers.get("user-agent"))),
    place: store.address() ?? undefined,
    account: hasAccount ? url : null,
  });
  await send(store, { to: deliverableAddress(to), url, userId, ...mail });
}

/** Makes a guard that writes to the owner about a browser which is not known, once for a sign-in, and lets nobody wait. */
export function noticeGuard(send: SendNotice): AccountGuard {
  return {
    ...ACCOUNT_GUARD,
    tells: true,
    async remember(store, signIn) {
      const isNew = await isNewBrowser(store, signIn);
      await ACCOUNT_GUARD.remember(store, signIn);
      if (isNew) store.waitUntil(tellOwner(store, signIn.userId, send));
    },
  };
}
