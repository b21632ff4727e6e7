import { checkKeys, isOptions, wrongOption } from "../config/check.ts";
import { ACCOUNT_ENDPOINTS } from "../accounts/account_endpoints.ts";
import { LINKING } from "../oauth/link_account.ts";
import type { Provider } from "../providers/provider.ts";
import { activityOf } from "../storage/activity_of.ts";
import {
  askDeletion,
  deleteAccount,
  endOthersByForm,
  endSessionByForm,
  exportAccount,
  removePasskeyByForm,
  renamePasskeyByForm,
  saveProfile,
  unlinkByForm,
} from "./account_actions.ts";
import { withActivity } from "./activity.ts";
import {
  changeEmail,
  confirmEmailChange,
  type SendEmailChange,
  showEmailChange,
} from "./email_change.ts";
import { ACCOUNT_PATH } from "./owner.ts";
import { onAccountPage, showAccount } from "./show_account.ts";
import type { Endpoint, EndpointEntry, EndpointModule } from "../http/contracts.ts";

/** What the account page can do. */
export interface AccountPageOptions {
  /**
   * Sends the mails by which a new address is confirmed, at the old address and at the new one. Default: the
   * address cannot be changed.
   */
  sendEmailChange?: SendEmailChange;
}

const ACTIONS: Readonly<Record<string, Endpoint>> = {
  "/profile": saveProfile,
  "/passkeys/rename": renamePasskeyByForm,
  "/passkeys/remove": removePasskeyByForm,
  "/unlink": unlinkByForm,
  "/sessions/end": endSessionByForm,
  "/sessions/end-others": endOthersByForm,
  "/export": exportAccount,
  "/delete": deleteAccount,
};

function readOptions(options: unknown): AccountPageOptions {
  if (!isOptions(options)) throw wrongOption("accountPage()", options, "an object");
  checkKeys(options, ["sendEmailChange"], "");
  const { sendEmailChange } = options;
  if (sendEmailChange !== undefined && typeof sendEmailChange !== "function") {
    throw wrongOption("sendEmailChange", sendEmailChange, "a function that is given the mail");
  }
  return options;
}

/**
 * The page `/auth/account`, on which users look after their account: name and picture, address, passkeys,
 * connected providers, devices, what happened to the account of late, a copy of their data, and its deletion. It works without scripts, except for
 * adding a passkey. What changes how somebody signs in takes a sign-in of the last ten minutes.
 *
 * It stands among the providers, and needs a database. Applications that do not import it carry nothing of it.
 *
 * @param options How mails about a new address are sent.
 * @throws {ConfigurationError} When an option is wrong.
 *
 * @example
 * ```ts
 * import { accountPage, createAuth, createMemoryStorage } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   providers: [accountPage({
 *     sendEmailChange: async ({ to, newEmail, url }) => {
 *       // your mailer: "Open this link to make ${newEmail} your address"
 *     },
 *   })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/account"), {});
 * equal(response?.headers.get("location"), "http://localhost/auth/signin?callbackUrl=%2Fauth%2Faccount");
 * ```
 */
export function accountPage(options: AccountPageOptions = {}): Provider {
  const { sendEmailChange } = readOptions(options);
  const changesEmail = sendEmailChange !== undefined;
  const endpoints: EndpointEntry[] = [
    { path: ACCOUNT_PATH, method: "GET", endpoint: showAccount(changesEmail) },
    { path: `${ACCOUNT_PATH}/delete`, method: "GET", endpoint: askDeletion },
    ...Object.entries(ACTIONS).map(([path, action]): EndpointEntry => ({
      path: ACCOUNT_PATH + path,
      method: "POST",
      endpoint: onAccountPage(changesEmail, action),
    })),
  ];
  if (sendEmailChange !== undefined) {
    endpoints.push(
      {
        path: `${ACCOUNT_PATH}/email`,
        method: "POST",
        endpoint: onAccountPage(changesEmail, changeEmail(sendEmailChange)),
      },
      { path: `${ACCOUNT_PATH}/email/confirm`, method: "GET", endpoint: showEmailChange },
      { path: `${ACCOUNT_PATH}/email/confirm`, method: "POST", endpoint: confirmEmailChange },
    );
  }
  const definition: EndpointModule = {
    id: "account",
    endpoints: (settings) => [...endpoints, ...ACCOUNT_ENDPOINTS.endpoints(settings)],
    linking: LINKING,
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which the account page needs");
      }
      // Says at once when the storage cannot keep what happened.
      activityOf(settings.storage);
      settings.events = withActivity(settings);
    },
  };
  return { kind: "provider", definition };
}
