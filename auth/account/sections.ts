/**
 * Sections of the account page.
 *
 * @module
 */

import type { EndpointContext, SignInMethod } from "../core/contracts.ts";
import { ownRedirect } from "../core/redirect.ts";
import {
  isAuthError,
  ReauthenticationRequiredError,
  RedirectError,
  type SafeRedirect,
} from "../errors.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { requireRecentUser } from "../session/require.ts";
import type { UserSession } from "../session/user_sessions.ts";
import { passkeyMessages, type UserPasskey } from "../sign_in/passkey/operations.ts";
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
  /** Path of the sign-out page. */
  signOut: string;
}

/** Header with the owner of the account. */
export function ownerHeader({ user }: AccountView): HtmlValue {
  const [name, address] = user.name ? [user.name, user.email] : [user.email ?? user.id, null];
  return markup`<p class="owner"><strong>${name}</strong>${
    address != null && markup`\n<span class="quiet">${address}</span>`
  }</p>
`;
}

/** Name, picture and address. */
export function profileSection(
  { user, fresh, changesEmail, confirmsEmail }: AccountView,
  basePath: string,
): HtmlValue {
  const profile = actionForm(basePath, {
    path: "/account/profile",
    button: "Save",
    fields: [
      textField(
        "Name",
        markup`name="name" maxlength="256" autocomplete="name" value="${user.name ?? ""}"`,
      ),
      textField(
        "Profile picture URL",
        markup`name="image" type="url" maxlength="2048" pattern="https://.*" placeholder="https://" value="${
          user.image ?? ""
        }"`,
      ),
    ],
  });
  const address = user.email
    ? markup`<p>${user.email}${!user.emailVerified && " (not confirmed)"}</p>\n`
    : markup`<p class="quiet">There is no e-mail address yet.</p>\n`;
  const change = changesEmail && fresh && actionForm(basePath, {
    path: "/account/email",
    button: "Change e-mail address",
    fields: textField(
      "New e-mail address",
      markup`name="email" type="email" autocomplete="email" required`,
    ),
  });
  const confirm = confirmsEmail && fresh && user.email && actionForm(basePath, {
    path: "/account/email",
    button: "Confirm this address",
    hidden: { email: user.email },
  });
  return [section("Profile", profile), section("E-mail", [address, confirm || null, change])];
}

function passkeyItem(
  passkey: UserPasskey,
  { fresh, basePath }: { fresh: boolean; basePath: string },
): Html {
  const name = passkey.name ?? "Passkey";
  const used = passkey.lastUsedAt !== null &&
    markup` · Last used <span>${day(passkey.lastUsedAt)}</span>`;
  const rename = actionForm(basePath, {
    path: "/account/passkeys/rename",
    button: "Rename",
    hidden: { id: passkey.id },
    fields: textField(
      "Passkey name",
      markup`name="name" maxlength="64" value="${passkey.name ?? ""}"`,
    ),
  });
  const remove = fresh && actionForm(basePath, {
    path: "/account/passkeys/remove",
    button: `Remove ${name}`,
    hidden: { id: passkey.id },
  });
  return markup`<li><div><p><strong>${name}</strong></p>
<p class="quiet">Added <span>${day(passkey.createdAt)}</span>${used}</p></div>
${remove}<details><summary>Rename ${name}</summary>
${rename}</details></li>
`;
}

/** The passkeys, and one more. Adding one needs the script of the passkey provider. */
export function passkeySection({ passkeys, fresh }: AccountView, basePath: string): HtmlValue {
  if (passkeys === null) return null;
  const add = fresh && [
    markup`<p class="quiet" data-passkey="unavailable">Passkeys need a newer browser with JavaScript turned on.</p>\n`,
    actionForm(basePath, {
      path: "/passkey/register",
      button: "Add a passkey",
      attributes:
        markup` data-passkey="register" data-options="${basePath}/passkey/options/register" hidden`,
      hidden: { credential: "", callbackUrl: `${basePath}/account?done=passkey-added` },
      fields: [
        textField("Name of the new passkey", markup`name="passkeyName" maxlength="64"`),
        passkeyMessages(),
      ],
    }),
  ];
  const items = passkeys.list.map((passkey) => passkeyItem(passkey, { fresh, basePath }));
  return section("Passkeys", [
    items.length === 0 ? markup`<p class="quiet">None yet.</p>\n` : markup`<ul>\n${items}</ul>\n`,
    add,
  ]);
}

/** The accounts at providers, and those that can be linked. */
export function accountSection(
  { accounts: { providers, list }, names, fresh }: AccountView,
  basePath: string,
): HtmlValue {
  if (providers.length === 0) return null;
  const linked = list.map(({ provider, providerAccountId, createdAt }) => {
    const name = names.get(provider) ?? provider;
    const remove = fresh && actionForm(basePath, {
      path: "/account/unlink",
      button: `Disconnect ${name}`,
      hidden: { provider, providerAccountId },
    });
    return markup`<li><div><p><strong>${name}</strong></p>
<p class="quiet">Connected <span>${day(createdAt)}</span></p></div>
${remove}</li>
`;
  });
  const open = providers.filter(({ id }) => !list.some(({ provider }) => provider === id));
  const link = open.map(({ id, name }) => {
    const connect = fresh && actionForm(basePath, {
      path: `/signin/${id}`,
      button: `Connect ${name}`,
      hidden: { intent: "link", callbackUrl: `${basePath}/account?done=linked` },
    });
    return markup`<li><div><p><strong>${name}</strong></p>
<p class="quiet">Not connected</p></div>
${connect}</li>
`;
  });
  return section("Connected accounts", markup`<ul>\n${linked}${link}</ul>\n`);
}

/** Section with the owner's active sessions. */
export function sessionSection({ sessions }: AccountView, basePath: string): HtmlValue {
  if (sessions === null) return null;
  const items = sessions.map(({ id, current, createdAt, refreshedAt, userAgent }) => {
    const name = describeBrowser(userAgent);
    const end = !current && actionForm(basePath, {
      path: "/account/sessions/end",
      button: `Sign out ${name}`,
      hidden: { id },
    });
    return markup`<li><div><p><strong>${name}</strong>${
      current && markup` <span class="mark">This device</span>`
    }</p>
<p class="quiet">Since <span>${day(createdAt)}</span> · Last seen <span>${
      day(refreshedAt)
    }</span></p></div>
${end}</li>
`;
  });
  const others = sessions.some(({ current }) => !current) && actionForm(basePath, {
    path: "/account/sessions/end-others",
    button: "Sign out all other devices",
  });
  return section("Devices", [markup`<ul>\n${items}</ul>\n`, others]);
}

/** Section for the export of data and the deletion of the account. */
export function dataSection({ fresh, signOut }: AccountView, basePath: string): HtmlValue {
  return section("Your data", [
    fresh && actionForm(basePath, { path: "/account/export", button: "Download your data" }),
    fresh &&
    markup`<p><a class="grave" href="${basePath}/account/delete">Delete this account</a></p>\n`,
    markup`<p><a href="${signOut}">Sign out</a></p>\n`,
  ]);
}

/** Note that more actions are available after reauthentication. */
export function proofNote({ fresh, signIn }: AccountView): Html | false {
  return !fresh &&
    markup`<p class="quiet">To change how you sign in, <a href="${signIn}">sign in again</a>.</p>\n`;
}

/** Providers whose endpoint is of the given kind. */
export function providersOf(
  { store: { auth } }: EndpointContext,
  kind: (method: SignInMethod) => boolean,
): SignInMethod[] {
  return [...auth.settings.providers.values()].filter(kind);
}

/** A form of the account page with one button. */
export interface ActionForm {
  /** Path below `basePath` that the form posts to. */
  path: string;
  /** Label of the button. */
  button: string;
  /** Hidden fields. */
  hidden?: Readonly<Record<string, string>>;
  /** The fields above the button. */
  fields?: HtmlValue;
  /** Further attributes of the form. */
  attributes?: Html;
}

/** A form. The page works without scripts, so everything on it is one. */
function actionForm(basePath: string, form: ActionForm): Html {
  const hidden = Object.entries(form.hidden ?? {}).map(([name, value]) =>
    markup`<input type="hidden" name="${name}" value="${value}">\n`
  );
  return markup`<form method="post" action="${basePath}${form.path}"${form.attributes ?? ""}>
${hidden}${form.fields ?? ""}<button type="submit">${form.button}</button>
</form>
`;
}

/** A field with its label. */
function textField(label: string, attributes: Html): Html {
  return markup`<label>${label}
<input ${attributes}>
</label>
`;
}

/** A day, in the one form that is read the same everywhere. */
function day(date: Date): Html {
  const text = date.toISOString().slice(0, 10);
  return markup`<time datetime="${text}">${text}</time>`;
}

/** A moment to the minute, in the one zone that is everybody's. */
export function moment(date: Date): Html {
  const text = date.toISOString();
  return markup`<time datetime="${text}">${text.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A part of the page: its heading, and what belongs to it. */
export function section(title: string, content: HtmlValue): Html {
  return markup`<section>
<h2>${title}</h2>
<div>
${content}</div>
</section>
`;
}

/** Styles of the account page beyond those of the other pages: headings beside their sections. */
const TEXT = `main:has(section){gap:1.5rem;max-width:54rem}
section{display:grid;grid-template-columns:100%;gap:1rem;padding-top:1.5rem;border-top:1px solid var(--line)}
section form+:not(form){padding:0;border:0}
section form{max-width:26rem}
section button{justify-self:start;padding:.45rem .9rem}
section form:not(:has(label)) button{color:var(--accent);background:none;border-color:var(--quiet)}
ul{padding:0;list-style:none;border:1px solid var(--line);border-radius:.75rem}
li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.75rem 1rem}
li+li{border-top:1px solid var(--line)}
li>div{flex:1 1 11rem;gap:0}
li button{padding:.35rem .75rem;font-size:.875rem}
li details{flex-basis:100%}
summary{width:fit-content;color:var(--accent);font-size:.875rem;cursor:pointer}
details[open]>summary{margin-bottom:1rem}
.owner{display:grid;overflow-wrap:anywhere}
.mark{padding:.1rem .5rem;color:var(--accent);font-size:.75rem;border:1px solid;border-radius:1rem;white-space:nowrap}
[role=status]{padding:.75rem;color:var(--accent);border:1px solid;border-radius:.5rem}
a.grave{color:var(--bad)}
button.grave{background:var(--bad);border-color:var(--bad)}
@media(min-width:48rem){section{grid-template-columns:12rem minmax(0,1fr);gap:2rem}}
`;

/** Its stylesheet. The hash is written down, as that of all pages is. */
export const ACCOUNT_STYLE: { text: string; hash: string } = {
  text: TEXT,
  hash: "sha256-c5L5myOgVrHDGC+GzmTx0Z7aonL2kC96i7hrheQGUrI=",
};

/** Path of the account page, below `basePath`. */
export const ACCOUNT_PATH = "/account";

/** Sign-in path that returns to the account page. */
export function signInAddress(
  { store: { auth } }: EndpointContext,
  error: string | null = null,
): SafeRedirect {
  const { basePath, pages } = auth.settings;
  const callbackUrl = basePath + ACCOUNT_PATH;
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
  if (await isFresh(context)) return user;
  throw new RedirectError(signInAddress(context, new ReauthenticationRequiredError().code));
}

// In this order: each of these calls itself by the names of those below, too.
const BROWSERS: readonly [name: string, pattern: RegExp][] = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /(?:\b|Headless)Chrome\/|\bCriOS\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Linux", /\bLinux\b/],
];

/** A browser of which nothing is known. */
export const UNKNOWN_BROWSER: string = "Unknown browser";

function find(list: readonly [string, RegExp][], text: string): string | undefined {
  return list.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Recognizable name of a browser by its User-Agent; null when there is none. */
export function nameBrowser(userAgent: string | null): string | null {
  const text = userAgent ?? "";
  const words = [find(BROWSERS, text), find(SYSTEMS, text)].filter((word) => word !== undefined);
  return words.length === 0 ? null : words.join(", ");
}

/** As {@linkcode nameBrowser}, with words for one that is not known. */
export function describeBrowser(userAgent: string | null): string {
  return nameBrowser(userAgent) ?? UNKNOWN_BROWSER;
}
