/**
 * The account page.
 *
 * @module
 */

import type { Endpoint, EndpointContext, EndpointEntry } from "../core/contracts.ts";
import { knownErrorMessage } from "../core/error_response.ts";
import type { Provider } from "../core/provider.ts";
import { prefersJson } from "../core/request.ts";
import { isAuthError, ReauthenticationRequiredError } from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { markup } from "../lib/html.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { lookOf, pageResponse, say } from "../pages/frame.ts";
import { note, section } from "../pages/parts.ts";
import { findFormOrigins } from "../sign_in/pages.ts";
import type { PageText } from "../pages/texts.ts";
import type { DefaultEnv } from "../types/application.ts";
import { knownError } from "../pages/trouble.ts";
import { listUserSessions } from "../session/user_sessions.ts";
import { LINKING } from "../sign_in/oauth/link.ts";
import { listUserPasskeys } from "../sign_in/passkey/operations.ts";
import { activityGroup } from "../storage/activity.ts";
import { groupOf } from "../storage/storage.ts";
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
} from "./actions.ts";
import { activitySection, listActivity, withActivity } from "./activity.ts";
import {
  canConfirm,
  changeEmail,
  confirmEmailChange,
  type SendEmailChange,
  showEmailChange,
} from "./email_change.ts";
import { ACCOUNT_ENDPOINTS, listOwnAccounts } from "./linked_accounts.ts";
import {
  ACCOUNT_PATH,
  accountSection,
  type AccountView,
  dataSection,
  emailSection,
  FIELDS,
  isFresh,
  otherPlaces,
  ownerHeader,
  passkeySection,
  type PlacedModule,
  profileSection,
  proofNote,
  providersOf,
  requireOwner,
  sessionSection,
  signInAddress,
} from "./sections.ts";

/** Options for `accountPage()`. */
export interface AccountPageOptions<Env = DefaultEnv> {
  /**
   * Sends the mails by which a new address is confirmed, at the old address and at the new one. Default: the
   * address cannot be changed.
   */
  sendEmailChange?: SendEmailChange<Env>;
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

function readOptions(options: unknown): AccountPageOptions<unknown> {
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
 * connected providers, devices, what happened to the account of late, a copy of their data, and its deletion. It works
 * without scripts, except for adding a passkey. Changes of how somebody signs in take a sign-in of the last ten
 * minutes.
 *
 * It stands among the providers, and needs a database. Applications that do not import it do not bundle it.
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
export function accountPage<Env = DefaultEnv>(options: AccountPageOptions<Env> = {}): Provider {
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
  const definition: PlacedModule = {
    id: "account",
    place: { path: ACCOUNT_PATH, title: "Your account" },
    endpoints: (settings) => [...endpoints, ...ACCOUNT_ENDPOINTS.endpoints(settings)],
    linking: LINKING,
    check(settings) {
      if (!settings.hasDatabase) {
        throw wrongOption("database", undefined, "a database, which the account page needs");
      }
      // Says at once when the storage cannot keep what happened.
      groupOf(settings.storage, activityGroup);
    },
    listen: withActivity,
  };
  return { kind: "provider", definition };
}

// The only notes that the page shows when its address names them.
const NOTES: ReadonlyMap<string | null, PageText> = new Map([
  ["saved", "Your changes are saved."],
  ["password-changed", "Your password is changed. You are signed out everywhere else."],
  ["second-factor-off", "Two-step sign-in is off."],
  ["passkey-added", "The passkey is added."],
  ["passkey-removed", "The passkey is removed."],
  ["linked", "The account is connected."],
  ["unlinked", "The account is disconnected."],
  ["signed-out", "That device is signed out."],
  ["email-sent", "We sent a link to both addresses. Open both to change your address."],
  [
    "email-asked",
    "We sent you a link. Open it in this browser to confirm your address.",
  ],
  [
    "email-half",
    "This address is confirmed. Now open the link that we sent to your other address.",
  ],
  ["email-changed", "Your address is changed."],
  ["recovery-cancelled", "The request is cancelled."],
]);

async function readView(context: EndpointContext, changesEmail: boolean): Promise<AccountView> {
  const { store } = context;
  const user = await requireOwner(context);
  const [passkeys] = providersOf(context, ({ type }) => type === "webauthn");
  const providers = providersOf(context, (method) => "oauth" in method);
  return {
    user,
    fresh: await isFresh(context),
    passkeys: passkeys === undefined
      ? null
      : { provider: passkeys, list: await listUserPasskeys(store) },
    accounts: { providers, list: providers.length > 0 ? await listOwnAccounts(store) : [] },
    sessions: store.auth.settings.strategy.endOf === null
      ? null
      : await listUserSessions(store.auth, user.id),
    endsOthers: store.auth.settings.strategy.revocable,
    activity: await listActivity(store, user.id),
    names: new Map(providersOf(context, () => true).map(({ id, name }) => [id, name])),
    changesEmail,
    confirmsEmail: changesEmail && await canConfirm(context, user),
    signIn: signInAddress(context, new ReauthenticationRequiredError().code),
    refused: null,
  };
}

/** The account page, with what went wrong or what was done. */
async function accountResponse(
  context: EndpointContext,
  { changesEmail, error = null, done = null, status = 200 }: {
    changesEmail: boolean;
    error?: string | null;
    done?: string | null;
    status?: number;
  },
): Promise<Response> {
  const { store, store: { auth: { settings: { basePath, pages } } } } = context;
  const view = await readView(context, changesEmail);
  const look = lookOf(store);
  const problem = knownError(look, error);
  const path = context.url.pathname.slice(basePath.length + ACCOUNT_PATH.length);
  if (problem !== null && path !== "") {
    // What cannot be read has no fields, and is the error.
    const fields = await readFields(store.request, { optional: true })
      .catch((): ReadonlyMap<string, string> => new Map());
    view.refused = { path, code: error!, problem, fields };
  }
  const isBesideField = view.refused !== null && FIELDS.has(error!);
  const text = NOTES.get(done);
  const scripts = view.passkeys?.provider.scripts ?? [];
  const sections = [
    ...[profileSection, emailSection].map((show) => show(look, view, basePath)),
    ...await Promise.all(
      store.auth.settings.modules.filter(({ accountSection }) => accountSection !== undefined)
        .map((module) => module.accountSection!(store, look, view.user)),
    ),
    ...[passkeySection, accountSection, sessionSection].map((show) => show(look, view, basePath)),
    activitySection(look, view),
    dataSection(look, view, basePath),
  ].filter((one) => one !== null);
  const page = {
    title: say(look, "Your account"),
    isError: problem !== null,
    bar: {
      signOut: { path: pages.signOut, asks: pages.signOut !== `${basePath}/signout` },
      sections,
      links: otherPlaces(look, store.auth, { here: "account", user: view.user }),
    },
    body: markup`${ownerHeader(look, view)}${
      problem !== null && !isBesideField && note("bad", markup`<p>${problem}</p>`)
    }${text !== undefined && note("good", markup`<p data-passkey="done">${say(look, text)}</p>`)}${
      proofNote(look, view)
    }${sections.map(({ notice = null }) => notice)}${
      sections.map(({ id, title, lead, content }) => section(id, title, { lead, content }))
    }`,
  };
  return pageResponse(look, page, {
    status,
    formOrigins: await findFormOrigins(view.accounts.providers, context),
    scripts: scripts.map((path) => basePath + path),
  });
}

/** `GET /account`. */
function showAccount(changesEmail: boolean): Endpoint {
  return async function showAccountPage(context) {
    const { searchParams } = context.url;
    const done = searchParams.get("done");
    return await accountResponse(context, { changesEmail, done, error: searchParams.get("error") });
  };
}

/** An endpoint of the page whose refusals are told on the page. */
function onAccountPage(changesEmail: boolean, endpoint: Endpoint): Endpoint {
  return async function answerOnAccountPage(context) {
    try {
      return await endpoint(context);
    } catch (error) {
      const shown = isAuthError(error) && error.status >= 400 && error.status < 500 &&
        knownErrorMessage(error.code) !== null && !prefersJson(context.store.request);
      if (!shown) throw error;
      return await accountResponse(context, {
        changesEmail,
        error: error.code,
        status: error.status,
      });
    }
  };
}
