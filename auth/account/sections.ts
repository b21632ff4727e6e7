/**
 * Sections of the account page.
 *
 * @module
 */

import type {
  AccountSection,
  EndpointContext,
  EndpointModule,
  Look,
  RequestStore,
  Settings,
  SignInMethod,
} from "../core/contracts.ts";
import { ownRedirect } from "../core/redirect.ts";
import { gateOf } from "../core/request.ts";
import {
  isAuthError,
  ReauthenticationRequiredError,
  RedirectError,
  type SafeRedirect,
} from "../errors.ts";
import { type Html, markup } from "../lib/html.ts";
import { day, isActedFor, say } from "../pages/frame.ts";
import { describeDevice, nameBrowser } from "../pages/device.ts";
import {
  field,
  form,
  heading,
  icon,
  link,
  note,
  providerMark,
  row,
  rowButton,
  rows,
  submit,
  tag,
  type Typed,
} from "../pages/parts.ts";
import { requireRecentUser } from "../session/require.ts";
import type { UserSession } from "../session/user_sessions.ts";
import { wayOf } from "../sign_in/pages.ts";
import type { PageText } from "../pages/texts.ts";
import { nextTimePart, passkeyMessages } from "../pages/passkey.ts";
import type { UserPasskey } from "../sign_in/passkey/operations.ts";
import type { ActivityRecord } from "../storage/activity.ts";
import type { User } from "../types/user.ts";
import type { UserAccount } from "./linked_accounts.ts";

/** Data of the account page. */
export interface AccountView {
  /** Owner of the account. */
  user: User;
  /** True after recent authentication; without it, actions that require it are not offered. */
  fresh: boolean;
  /** The provider of passkeys, if there is one, and the passkeys. */
  passkeys: { provider: SignInMethod; list: UserPasskey[] } | null;
  /** The providers at which accounts can be linked, and those that are. */
  accounts: { providers: SignInMethod[]; list: UserAccount[] };
  /** Active sessions; null where the strategy cannot list them. */
  sessions: UserSession[] | null;
  /** True when all other sessions can be ended, listed or not. */
  endsOthers: boolean;
  /** Recent activity, newest first. */
  activity: ActivityRecord[];
  /** The names of the providers by id. */
  names: ReadonlyMap<string, string>;
  /** True when the address can be changed. */
  changesEmail: boolean;
  /** True when the present address can be confirmed. */
  confirmsEmail: boolean;
  /** Path for reauthentication. */
  signIn: string;
  /** The form that was refused; null for none. */
  refused: RefusedForm | null;
}

/** A form of the page that was refused. */
export interface RefusedForm {
  /** Path that it was sent to, below that of the page. */
  path: string;
  /** Code of the error. */
  code: string;
  /** Its sentence. */
  problem: Html;
  /** Its fields, as they were sent. */
  fields: ReadonlyMap<string, string>;
}

/** The codes of errors that are told beside a field, with its name. */
export const FIELDS: ReadonlyMap<string, string> = new Map([
  ["INVALID_NAME", "name"],
  ["INVALID_IMAGE", "image"],
  ["INVALID_EMAIL", "email"],
]);

/** Value and error of a field: what was typed where its form was refused, else what is stored. */
function typedInto(
  { refused }: AccountView,
  path: string,
  { name, stored }: { name: string; stored?: string | null | undefined },
): Typed {
  if (refused?.path !== path) return { value: stored ?? "" };
  const error = FIELDS.get(refused.code) === name ? refused.problem : null;
  return { value: refused.fields.get(name), error };
}

/** Header with the owner of the account. */
export function ownerHeader(look: Look, { user }: AccountView): Html {
  const names = [user.name, user.email].filter((one) => one);
  const name = names[0] ?? user.id;
  return markup`<div class="line">${face(name, "big")}${
    heading(
      say(look, "Your account"),
      names.length === 0
        ? null
        : markup`${names.map((one, index) => [index > 0 && " · ", markup`<bdi>${one}</bdi>`])}`,
    )
  }</div>
`;
}

/** The first letters of a name. */
export function face(name: string, size?: "big"): Html {
  const words = name.split("@")[0]!.split(/[\s._-]+/).filter((word) => word !== "");
  const letters = words.slice(0, 2).map((word) => [...word][0]!.toUpperCase()).join("");
  return markup`<span class="${
    size === undefined ? "face" : "face big"
  }" aria-hidden="true">${letters}</span>`;
}

/** Name and picture. */
export function profileSection(
  look: Look,
  view: AccountView,
  basePath: string,
): AccountSection {
  const { user } = view;
  const content = form({
    action: `${basePath}/account/profile`,
    kind: "box",
    content: [
      field({
        id: "name",
        label: say(look, "Name"),
        ...typedInto(view, "/profile", { name: "name", stored: user.name }),
        autocomplete: "name",
        attributes: markup` maxlength="256"`,
      }),
      field({
        id: "image",
        type: "url",
        label: say(look, "Profile picture URL"),
        hint: say(look, "Shown in the application. This page loads nothing from other sites."),
        ...typedInto(view, "/profile", { name: "image", stored: user.image }),
        attributes: markup` maxlength="2048" pattern="https://.*" placeholder="https://" dir="ltr"`,
      }),
      submit(say(look, "Save")),
    ],
  });
  return { id: "profile", title: say(look, "Profile"), content };
}

/** The address, and the way to another one. */
export function emailSection(
  look: Look,
  view: AccountView,
  basePath: string,
): AccountSection {
  const { user, fresh, changesEmail, confirmsEmail } = view;
  const action = `${basePath}/account/email`;
  const confirm = confirmsEmail && fresh && user.email && form({
    action,
    hidden: { email: user.email },
    content: markup`<button>${say(look, "Confirm this address")}</button>`,
  });
  const change = changesEmail && fresh && form({
    action,
    content: [
      field({
        id: "email",
        type: "email",
        label: say(look, "New email address"),
        ...typedInto(view, "/email", { name: "email" }),
        autocomplete: "email",
        required: true,
      }),
      markup`<button>${say(look, "Send a confirmation")}</button>\n`,
    ],
  });
  const status = user.emailVerified ? null : markup` ${tag(say(look, "Not confirmed"), "bad")}`;
  const content = rows([
    user.email
      ? row({
        mark: icon("mail"),
        title: markup`<bdi>${user.email}</bdi>${status}`,
        detail: user.emailVerified &&
          say(look, "Confirmed {date}", { date: day(look, new Date(user.emailVerified)) }),
        actions: [confirm || null],
      })
      : markup`<li><span class="quiet">${
        say(look, "There is no email address yet.")
      }</span></li>\n`,
    change &&
    markup`<li><details${view.refused?.path === "/email" && markup` open`}><summary>${
      say(look, "Change email address")
    }</summary>\n${change}</details></li>\n`,
    changesEmail && proofRow(look, view),
  ]);
  return { id: "email-address", title: say(look, "Email address"), content };
}

function passkeyRow(
  look: Look,
  passkey: UserPasskey,
  { fresh, basePath }: { fresh: boolean; basePath: string },
): Html {
  const name = passkey.name ?? look.translate("Passkey") ?? "Passkey";
  const used = passkey.lastUsedAt !== null &&
    markup` · ${say(look, "Last used {date}", { date: day(look, passkey.lastUsedAt) })}`;
  const rename = form({
    action: `${basePath}/account/passkeys/rename`,
    hidden: { id: passkey.id },
    content: [
      field({
        id: `name-${passkey.id}`,
        name: "name",
        label: say(look, "Passkey name"),
        value: passkey.name ?? "",
        attributes: markup` maxlength="64"`,
      }),
      markup`<button>${say(look, "Rename")}</button>\n`,
    ],
  });
  return row({
    mark: icon("key"),
    title: markup`<bdi>${name}</bdi>`,
    detail: markup`${say(look, "Added {date}", { date: day(look, passkey.createdAt) })}${used}`,
    more: markup`${
      fresh &&
      markup`<details><summary aria-label="${say(look, "Remove")} ${name}">${
        say(look, "Remove")
      }</summary>
${
        form({
          action: `${basePath}/account/passkeys/remove`,
          hidden: { id: passkey.id },
          content: rowButton(say(look, "Remove this passkey"), { object: name, kind: "bad" }),
        })
      }</details>
`
    }<details><summary aria-label="${say(look, "Rename")} ${name}">${say(look, "Rename")}</summary>
${rename}</details>`,
  });
}

/** The passkeys, and one more. Adding one needs the script of the passkey provider. */
export function passkeySection(
  look: Look,
  view: AccountView,
  basePath: string,
): AccountSection | null {
  const { passkeys, fresh } = view;
  if (passkeys === null) return null;
  const options = `${basePath}/passkey/options/register`;
  const add = fresh && [
    markup`<li data-passkey="unavailable"><span class="quiet">${
      say(look, "Passkeys need a newer browser with JavaScript turned on.")
    }</span></li>\n`,
    markup`<li data-passkey="available" hidden><details><summary>${
      say(look, "Add a passkey")
    }</summary>\n${
      form({
        action: `${basePath}/passkey/register`,
        hidden: { credential: "", callbackUrl: `${basePath}/account?done=passkey-added` },
        attributes: markup` data-passkey="register" data-options="${options}"`,
        content: [
          field({
            id: "passkey-name",
            name: "passkeyName",
            label: say(look, "Name of the new passkey"),
            attributes: markup` maxlength="64"`,
          }),
          markup`<button>${icon("key")}${say(look, "Create a passkey")}</button>\n`,
          passkeyMessages(look, "register"),
        ],
      })
    }</details></li>\n`,
  ];
  // What a sign-in with a password may make by itself, and the offer of the first one where no browser makes any.
  const automatic = passkeys.provider.afterPassword !== undefined &&
    markup`<span data-passkey-automatic="${basePath}/passkey/options/automatic" hidden></span>\n`;
  const nextTime = fresh && passkeys.list.length === 0 && nextTimePart(look, {
    action: `${basePath}/passkey/register`,
    options,
    callbackUrl: `${basePath}/account?done=passkey-added`,
    messages: passkeyMessages(look, "register"),
  });
  const list = passkeys.list.map((passkey) => passkeyRow(look, passkey, { fresh, basePath }));
  const none = markup`<li><span class="quiet">${say(look, "No passkeys yet.")}</span></li>\n`;
  return {
    id: "passkeys",
    title: say(look, "Passkeys"),
    lead: say(
      look,
      "Sign in with your fingerprint, face or screen lock. Keep two, so that a lost device doesn’t lock you out.",
    ),
    content: [
      nextTime,
      rows([list.length === 0 ? none : list, add, proofRow(look, view)]),
      automatic,
      markup`<span data-passkey-signal="${options}" hidden></span>\n`,
    ],
  };
}

/** The accounts at providers, and those that can be linked. */
export function accountSection(
  look: Look,
  view: AccountView,
  basePath: string,
): AccountSection | null {
  const { accounts: { providers, list }, names, fresh } = view;
  if (providers.length === 0) return null;
  const markOf = (id: string, name: string) => {
    const method = providers.find((provider) => provider.id === id);
    return providerMark(name, method && wayOf(method, basePath).logo);
  };
  const linked = list.map(({ provider, providerAccountId, createdAt }) => {
    const name = names.get(provider) ?? provider;
    return row({
      mark: markOf(provider, name),
      title: name,
      detail: say(look, "Connected {date}", { date: day(look, createdAt) }),
      actions: [
        fresh && form({
          action: `${basePath}/account/unlink`,
          hidden: { provider, providerAccountId },
          content: rowButton(say(look, "Disconnect"), { object: name, kind: "bad" }),
        }),
      ],
    });
  });
  const open = providers.filter(({ id }) => !list.some(({ provider }) => provider === id));
  const link = open.map(({ id, name }) =>
    row({
      mark: markOf(id, name),
      title: name,
      detail: say(look, "Not connected"),
      actions: [
        fresh && form({
          action: `${basePath}/signin/${id}`,
          hidden: { intent: "link", callbackUrl: `${basePath}/account?done=linked` },
          content: rowButton(say(look, "Connect"), { object: name }),
        }),
      ],
    })
  );
  return {
    id: "connected",
    title: say(look, "Connected accounts"),
    lead: say(look, "Other ways to sign in."),
    content: rows([linked, link, proofRow(look, view)]),
  };
}

/** Section with the owner's active sessions; null where they can be neither listed nor ended. */
export function sessionSection(
  look: Look,
  { sessions, endsOthers }: AccountView,
  basePath: string,
): AccountSection | null {
  if (sessions === null && !endsOthers) return null;
  const items = sessions?.map(({ id, current, createdAt, refreshedAt, userAgent }) => {
    const name = describeDevice(look, nameBrowser(userAgent));
    const since = say(look, "Signed in {date}", { date: day(look, createdAt) });
    const seen = say(look, "Last seen {date}", { date: day(look, refreshedAt) });
    return row({
      mark: icon(/\b(?:iPhone|Android)\b/.test(userAgent ?? "") ? "phone" : "computer"),
      title: markup`${name}${current && markup` ${tag(say(look, "This browser"), "good")}`}`,
      detail: markup`${since} · ${seen}`,
      actions: [
        !current && form({
          action: `${basePath}/account/sessions/end`,
          hidden: { id },
          content: rowButton(say(look, "Sign out"), { object: name }),
        }),
      ],
    });
  });
  // Nobody knows if there are others where they are not listed.
  const others = (sessions ?? [{ current: false }]).some(({ current }) => !current) &&
    markup`<li>${
      form({
        action: `${basePath}/account/sessions/end-others`,
        content: markup`<button class="bad">${say(look, "Sign out everywhere else")}</button>`,
      })
    }</li>\n`;
  return {
    id: "devices",
    title: say(look, "Devices"),
    ...items !== undefined && { lead: say(look, "Where you are signed in now.") },
    content: rows([items, others]),
  };
}

/** Section for the export of data and the deletion of the account; null for who acts for its owner. */
export function dataSection(
  look: Look,
  { fresh, signIn }: AccountView,
  basePath: string,
): AccountSection | null {
  if (isActedFor(look)) return null;
  const content = rows([
    row({
      mark: icon("download"),
      title: say(look, "Download your data"),
      detail: say(look, "One JSON file with everything we hold about you."),
      actions: [
        fresh
          ? form({
            action: `${basePath}/account/export`,
            content: markup`<button>${say(look, "Download")}</button>`,
          })
          : markup`<a class="button" href="${signIn}">${say(look, "Download")}</a>`,
      ],
    }),
    row({
      mark: icon("bad"),
      title: say(look, "Delete your account"),
      detail: say(look, "This cannot be undone."),
      actions: [
        markup`<a class="button bad" href="${fresh ? `${basePath}/account/delete` : signIn}">${
          say(look, "Delete account")
        }</a>`,
      ],
    }),
  ]);
  return { id: "data", title: say(look, "Your data"), content };
}

function proofText(look: Look, { signIn }: AccountView): Html {
  return say(look, "To change how you sign in, {signIn}.", {
    signIn: link(signIn, say(look, "sign in again")),
  });
}

/** Note that more actions are available after reauthentication, or to nobody but the owner. */
export function proofNote(look: Look, view: AccountView): Html | false {
  if (view.fresh) return false;
  const { name, email, id } = view.user;
  const text = isActedFor(look)
    ? say(look, "Only {name} can change this account.", {
      name: markup`<bdi>${name || email || id}</bdi>`,
    })
    : proofText(look, view);
  return note("plain", markup`<p>${text}</p>`);
}

/** The same at the end of a section that offers less until then. */
function proofRow(look: Look, view: AccountView): Html | false {
  return !view.fresh && !isActedFor(look) &&
    markup`<li><span class="quiet">${proofText(look, view)}</span></li>\n`;
}

/** Providers whose endpoint is of the given kind. */
export function providersOf(
  { store: { auth } }: EndpointContext,
  kind: (method: SignInMethod) => boolean,
): SignInMethod[] {
  return [...auth.settings.providers.values()].filter(kind);
}

/** Path of the account page, below `basePath`. */
export const ACCOUNT_PATH = "/account";

/** A module with a page of its own, to which the others lead. */
export interface PlacedModule extends EndpointModule {
  /** The page: its path below `basePath`, its title, and whether a user may open it, by default everybody. */
  place: {
    path: string;
    title: PageText;
    isOpenTo?(settings: Settings, user: User): boolean;
  };
}

/** Links to the other pages that a user may open. */
export function otherPlaces(
  look: Look,
  { settings }: Pick<RequestStore["auth"], "settings">,
  { here, user }: { here: string; user: User },
): Html[] {
  return settings.modules.flatMap((module) => {
    const { id, place } = module as Partial<PlacedModule>;
    if (place === undefined || id === here) return [];
    const { path, title, isOpenTo } = place;
    return isOpenTo?.(settings, user) === false
      ? []
      : [link(settings.basePath + path, say(look, title))];
  });
}

/** Sign-in path that returns to a page, by default the account page. */
export function signInAddress(
  { store: { auth } }: EndpointContext,
  error: string | null = null,
  callbackUrl: string = auth.settings.basePath + ACCOUNT_PATH,
): SafeRedirect {
  const { pages } = auth.settings;
  return ownRedirect(pages.signIn, auth.origin(), { error, callbackUrl });
}

/**
 * Owner of the account page, read from storage. The id follows from the session and from nothing in
 * the request.
 */
export async function requireOwner(context: EndpointContext): Promise<User> {
  const { auth } = context.store;
  const state = await auth.load();
  const user = state.status === "valid"
    ? await auth.settings.storage.getActiveUser(state.session.user.id)
    : null;
  if (user === null) throw new RedirectError(signInAddress(context));
  return user;
}

/** Tests for recent authentication. */
export async function isFresh({ store }: EndpointContext): Promise<boolean> {
  try {
    requireRecentUser(await store.auth.load(), { throwError: true }, store);
    return true;
  } catch (error) {
    if (isAuthError(error)) return false;
    throw error;
  }
}

/** The owner, for what takes a fresh proof. */
export async function requireFreshOwner(context: EndpointContext): Promise<User> {
  const user = await requireOwner(context);
  if (await isFresh(context)) {
    await gateOf(context.store.auth.settings)?.assertFresh(context.store);
    return user;
  }
  throw new RedirectError(signInAddress(context, new ReauthenticationRequiredError().code));
}
