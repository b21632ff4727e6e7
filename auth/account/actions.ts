/**
 * Forms of the account page.
 *
 * @module
 */

import type { EndpointContext, EndpointModule, Leave } from "../core/contracts.ts";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import { doneResponse, jsonResponse, ownRedirect } from "../core/redirect.ts";
import { prefersJson } from "../core/request.ts";
import { RequestError, UnauthenticatedError } from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { markup } from "../lib/html.ts";
import { lookOf, pageResponse, say, sayNamed } from "../pages/frame.ts";
import { donePage } from "../pages/mail.ts";
import type { PageText } from "../pages/texts.ts";
import { questionPage } from "../pages/trouble.ts";
import { deleteUser, updateUser } from "../session/users.ts";
import { endUserSessions, listUserSessions, revokeOwnSession } from "../session/user_sessions.ts";
import {
  listUserPasskeys,
  readPasskeyName,
  removeUserPasskey,
} from "../sign_in/passkey/operations.ts";
import { passkeyGroup } from "../storage/passkeys.ts";
import { groupOf } from "../storage/storage.ts";
import type { User } from "../types/user.ts";
import { listActivity } from "./activity.ts";
import { listOwnAccounts, unlinkOwnAccount } from "./linked_accounts.ts";
import { ACCOUNT_PATH, providersOf, requireFreshOwner, requireOwner } from "./sections.ts";

/** Back to the page, which says what was done; for a client that prefers JSON the body says it. */
export function backToAccount(context: EndpointContext, done: string, body: unknown): Response {
  const { auth } = context.store;
  const path = auth.settings.basePath + ACCOUNT_PATH;
  return doneResponse(context, body, ownRedirect(path, auth.origin(), { done }));
}

function readField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new RequestError(`Fill in the field "${name}", or send it empty`);
  return value.trim();
}

/** `POST /account/profile`: name and picture. */
export async function saveProfile(context: EndpointContext): Promise<Response> {
  const { auth, request } = context.store;
  const { id } = await requireOwner(context);
  const fields = await readFields(request, { optional: false });
  const name = readField(fields, "name");
  const typed = readField(fields, "image");
  const image = URL.canParse(typed) ? new URL(typed).href : typed;
  const changes = { name: name === "" ? null : name, image: image === "" ? null : image };
  const user = await updateUser(id, changes);
  if (user === null) throw new UnauthenticatedError();
  // What is in a token says the same from now on.
  await auth.update();
  return backToAccount(context, "saved", { user });
}

/** `POST /account/passkeys/rename`. */
export async function renamePasskeyByForm(context: EndpointContext): Promise<Response> {
  const { auth, request } = context.store;
  const { id: userId } = await requireOwner(context);
  const fields = await readFields(request, { optional: false });
  const name = readPasskeyName(fields.get("name"));
  const renamed = await groupOf(auth.settings.storage, passkeyGroup).renamePasskey(
    userId,
    readField(fields, "id"),
    name,
  );
  return backToAccount(context, "saved", { renamed });
}

/** `POST /account/passkeys/remove`, but never the last way in. */
export async function removePasskeyByForm(context: EndpointContext): Promise<Response> {
  const { store } = context;
  await requireFreshOwner(context);
  const fields = await readFields(store.request, { optional: false });
  const removed = await removeUserPasskey(store, readField(fields, "id"));
  return backToAccount(context, "passkey-removed", { removed });
}

/** `POST /account/unlink`, but never the last way in. */
export async function unlinkByForm(context: EndpointContext): Promise<Response> {
  const { store } = context;
  await requireFreshOwner(context);
  const fields = await readFields(store.request, { optional: false });
  const provider = readField(fields, "provider");
  const providerAccountId = fields.get("providerAccountId") ?? "";
  const unlinked = await unlinkOwnAccount(store, { provider, providerAccountId });
  return backToAccount(context, "unlinked", { unlinked });
}

/** `POST /account/sessions/end`: one of the owner's own. */
export async function endSessionByForm(context: EndpointContext): Promise<Response> {
  const { store } = context;
  await requireOwner(context);
  const fields = await readFields(store.request, { optional: false });
  const ended = await revokeOwnSession(store, readField(fields, "id"));
  return backToAccount(context, "signed-out", { ended });
}

/** `POST /account/sessions/end-others`. */
export async function endOthersByForm(context: EndpointContext): Promise<Response> {
  const { id } = await requireOwner(context);
  await endUserSessions(context.store, id, { except: "current" });
  return backToAccount(context, "signed-out", { ended: true });
}

/** Everything that is stored about the owner, without secrets. */
async function readData(context: EndpointContext, user: User): Promise<Record<string, unknown>> {
  const { store } = context;
  const hasPasskeys = providersOf(context, ({ type }) => type === "webauthn").length > 0;
  const hasAccounts = providersOf(context, (method) => "oauth" in method).length > 0;
  const data = {
    user,
    passkeys: hasPasskeys ? await listUserPasskeys(store) : [],
    accounts: hasAccounts ? await listOwnAccounts(store) : [],
    sessions: store.auth.settings.strategy.endOf === null
      ? []
      : await listUserSessions(store.auth, user.id),
    activity: (await listActivity(store, user.id)).map((
      { id: _id, userId: _user, at, ...entry },
    ) => ({
      at: new Date(at),
      ...entry,
    })),
  };
  const { modules } = store.auth.settings;
  const more = await Promise.all(modules.map((module) => module.accountData?.(store)));
  return Object.assign(data, ...more);
}

/** `POST /account/export`: exports the owner's stored data. */
export async function exportAccount(context: EndpointContext): Promise<Response> {
  const data = await readData(context, await requireFreshOwner(context));
  return new Response(JSON.stringify(data, null, 2), {
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="account.json"',
    },
  });
}

/** Asks the part of the application where users may be needed; what it returns is called before the user goes. */
async function askLeave({ store }: EndpointContext, userId: string): Promise<Leave | undefined> {
  const { modules } = store.auth.settings;
  const asked = modules.find((one): one is EndpointModule => "letGo" in one);
  return await asked?.letGo?.(store, userId);
}

// What goes with an account, by the name of its list in the data.
const LISTS: readonly (readonly [name: string, title: PageText])[] = [
  ["passkeys", "Passkeys"],
  ["accounts", "Connected accounts"],
  ["apiKeys", "API keys"],
  ["teams", "Memberships of teams"],
  ["activity", "Recent activity"],
];

/** `GET /account/delete`: a question, since a link alone must not delete anything. */
export async function askDeletion(context: EndpointContext): Promise<Response> {
  const { basePath } = context.store.auth.settings;
  const user = await requireFreshOwner(context);
  const { email, name, id } = user;
  await askLeave(context, id);
  const data = await readData(context, user);
  const look = lookOf(context.store);
  return pageResponse(
    look,
    questionPage(look, {
      title: say(look, "Delete your account?"),
      text: say(
        look,
        "This cannot be undone: it deletes the account of {address} and signs you out everywhere. You lose with it:",
        { address: markup`<b><bdi>${email ?? name ?? id}</bdi></b>` },
      ),
      losses: [
        ...name ? [say(look, "Your name")] : [],
        ...LISTS.filter(([name]) => (data[name] as unknown[] | undefined)?.length)
          .map(([, title]) => say(look, title)),
      ],
      action: `${basePath}/account/delete`,
      button: say(look, "Delete account"),
      cancel: { href: `${basePath}${ACCOUNT_PATH}`, label: say(look, "Keep it") },
    }),
  );
}

/** `POST /account/delete`. */
export async function deleteAccount(context: EndpointContext): Promise<Response> {
  const { id } = await requireFreshOwner(context);
  const leave = await askLeave(context, id);
  const takeBack = await leave?.();
  try {
    await deleteUser(id);
  } catch (error) {
    await takeBack?.();
    throw error;
  }
  const { store } = context;
  if (prefersJson(store.request)) return jsonResponse({ deleted: true });
  const look = lookOf(store);
  return pageResponse(
    look,
    donePage(look, {
      title: say(look, "Your account is deleted."),
      text: say(look, "All devices are signed out."),
      next: { href: "/", label: sayNamed(look, "Go to {app}", "Go to the start page") },
    }),
  );
}
