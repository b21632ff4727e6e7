/**
 * Linking of an account at a provider to a signed-in user.
 *
 * @module
 */

import type { EndpointContext, Linking } from "../../core/contracts.ts";
import type { LinkIntent, ProvenAtProvider } from "../../core/oauth_contracts.ts";
import {
  jsonResponse,
  ownRedirect,
  redirectResponse,
  settleRedirect,
} from "../../core/redirect.ts";
import { gateOf, prefersJson } from "../../core/request.ts";
import { OAuthError } from "../../errors.ts";
import { holdsStill, requireRecentUser } from "../../session/require.ts";
import { storedSessions } from "../../session/user_sessions.ts";
import { linkedAccountGroup } from "../../storage/accounts.ts";
import { groupOf } from "../../storage/storage.ts";
import { linkIdentity } from "../identity.ts";
import { describeIdentity } from "./callback.ts";

/** Tests that the session which requested the link is still active. */
async function stillThere(
  { store }: EndpointContext,
  { userId, sessionId }: LinkIntent,
): Promise<boolean> {
  const { request, auth } = store;
  const state = await auth.load();
  if (state.status === "valid") {
    const isSame = state.id === sessionId && state.session.user.id === userId;
    return isSame && await holdsStill(store, state);
  }
  // A form that another site posts is sent without the session cookie, so the list of sessions decides.
  if (request.method !== "POST") return false;
  const sessions = await storedSessions(auth.settings, userId);
  return sessions !== null && sessions.some(({ id }) => id === sessionId);
}

/** The user who may link an account: signed in, and not just by a session that was left open. */
async function readLinkIntent({ store }: EndpointContext): Promise<LinkIntent> {
  const { request, auth } = store;
  // Says so where nothing can be linked for lack of a database.
  groupOf(auth.settings.storage, linkedAccountGroup);
  const state = await auth.load();
  const { id: userId } = requireRecentUser(state, { throwError: true }, { request, auth });
  await gateOf(auth.settings)?.assertFresh(store);
  return { userId, sessionId: state.status === "valid" ? state.id : "" };
}

async function finishLink(
  context: EndpointContext,
  proven: ProvenAtProvider,
  intent: LinkIntent,
): Promise<Response> {
  const { request, auth: { settings, origin } } = context.store;
  if (!await stillThere(context, intent)) throw new OAuthError("OAUTH_LINK_SESSION");
  // Anew: since it was begun its user may have to have a second factor.
  await gateOf(settings)?.assertFresh(context.store, intent);
  const identity = await describeIdentity(proven, settings);
  const link = {
    ...identity,
    askedIn: intent.sessionId,
    stillThere: () => stillThere(context, intent),
  };
  const target = await linkIdentity(context, intent.userId, link) ??
    await settleRedirect(proven.transaction.callbackUrl, context) ??
    ownRedirect("/", origin());
  if (prefersJson(request)) return jsonResponse({ redirectTo: target });
  return redirectResponse(target, 303);
}

/** Links accounts to whoever is signed in and has just proved who they are. */
export const LINKING: Linking = { begin: readLinkIntent, finish: finishLink };
