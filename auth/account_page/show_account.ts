import { listOwnAccounts } from "../accounts/account_operations.ts";
import { isAuthError } from "../errors/auth_error.ts";
import { knownErrorMessage } from "../http/error_messages.ts";
import { markup } from "../http/html.ts";
import { prefersJson } from "../http/negotiate.ts";
import { pageResponse } from "../http/page.ts";
import { findFormOrigins } from "../http/sign_in_page.ts";
import { listUserPasskeys } from "../passkey/passkey_operations.ts";
import { listUserSessions } from "../request/session_operations.ts";
import {
  accountSection,
  type AccountView,
  dataSection,
  ownerHeader,
  passkeySection,
  profileSection,
  proofNote,
  providersOf,
  sessionSection,
} from "./account_sections.ts";
import { ACCOUNT_STYLE } from "./account_style.ts";
import { listActivity } from "./activity.ts";
import { activitySection } from "./activity_section.ts";
import { canConfirm } from "./email_change.ts";
import { isFresh, requireOwner, signInAddress } from "./owner.ts";
import type { Endpoint, EndpointContext } from "../http/contracts.ts";

// The only notes that the page shows when its address names them.
const NOTES: ReadonlyMap<string | null, string> = new Map([
  ["saved", "Your changes are saved."],
  ["passkey-added", "The passkey is added."],
  ["passkey-removed", "The passkey is removed."],
  ["linked", "The account is connected."],
  ["unlinked", "The account is disconnected."],
  ["signed-out", "Signed out there."],
  ["email-sent", "We have sent a link to both addresses. Open both to change the address."],
  [
    "email-asked",
    "We have sent a link to this address. Open it in this browser to confirm the address.",
  ],
  ["email-half", "This address is confirmed. Now open the link that we sent to the other one."],
  ["email-changed", "Your address is changed."],
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
    activity: await listActivity(store, user.id),
    names: new Map(providersOf(context, () => true).map(({ id, name }) => [id, name])),
    changesEmail,
    confirmsEmail: changesEmail && await canConfirm(context, user),
    signIn: signInAddress(context),
    signOut: store.auth.settings.pages.signOut,
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
  const { basePath } = context.store.auth.settings;
  const view = await readView(context, changesEmail);
  const message = knownErrorMessage(error);
  const note = NOTES.get(done);
  const scripts = view.passkeys?.provider.scripts ?? [];
  return pageResponse({
    title: "Your account",
    status,
    style: ACCOUNT_STYLE,
    formOrigins: await findFormOrigins(view.accounts.providers, context),
    scripts: scripts.map((path) => basePath + path),
    body: markup`${message !== null && markup`<p class="alert" role="alert">${message}</p>\n`}${
      note !== undefined && markup`<p role="status">${note}</p>\n`
    }${ownerHeader(view)}${proofNote(view)}${
      [profileSection, passkeySection, accountSection, sessionSection].map((show) =>
        show(view, basePath)
      )
    }${activitySection(view)}${dataSection(view, basePath)}`,
  });
}

/** `GET /account`. */
export function showAccount(changesEmail: boolean): Endpoint {
  return async function showAccountPage(context) {
    const { searchParams } = context.url;
    const done = searchParams.get("done");
    return await accountResponse(context, { changesEmail, done, error: searchParams.get("error") });
  };
}

/** An endpoint of the page whose refusals are told on the page. */
export function onAccountPage(changesEmail: boolean, endpoint: Endpoint): Endpoint {
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
