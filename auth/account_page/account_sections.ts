import type { UserAccount } from "../accounts/account_operations.ts";
import { type Html, type HtmlValue, markup } from "../http/html.ts";
import type { UserPasskey } from "../passkey/passkey_list.ts";
import { passkeyMessages } from "../passkey/passkey_messages.ts";
import type { UserSession } from "../request/session_operations.ts";
import type { ActivityRecord } from "../storage/activity_storage.ts";
import type { User } from "../users/user.ts";
import { actionForm, day, section, textField } from "./account_forms.ts";
import { describeBrowser } from "./describe_browser.ts";
import type { EndpointContext, SignInMethod } from "../http/contracts.ts";

/** What the account page shows. */
export interface AccountView {
  /** Whose it is. */
  user: User;
  /** Whether the last proof is fresh: without it what takes one is not offered. */
  fresh: boolean;
  /** The provider of passkeys, if there is one, and the passkeys. */
  passkeys: { provider: SignInMethod; list: UserPasskey[] } | null;
  /** The providers at which accounts can be linked, and those that are. */
  accounts: { providers: SignInMethod[]; list: UserAccount[] };
  /** The sessions; null where nobody keeps a list. */
  sessions: UserSession[] | null;
  /** What happened lately, the newest first. */
  activity: ActivityRecord[];
  /** The names of the providers by id. */
  names: ReadonlyMap<string, string>;
  /** Whether the address can be changed. */
  changesEmail: boolean;
  /** Whether the address that there is can be confirmed. */
  confirmsEmail: boolean;
  /** Where to prove anew who one is. */
  signIn: string;
  /** Where to sign out. */
  signOut: string;
}

/** Who the account is of. */
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
    : markup`<p class="quiet">There is no address yet.</p>\n`;
  const change = changesEmail && fresh && actionForm(basePath, {
    path: "/account/email",
    button: "Change the address",
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
      "Name of the passkey",
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
    markup`<p class="quiet" data-passkey="unavailable">Passkeys need a newer browser, with scripts.</p>\n`,
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
    items.length === 0
      ? markup`<p class="quiet">There is none yet.</p>\n`
      : markup`<ul>\n${items}</ul>\n`,
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

/** Where the owner is signed in. */
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

/** What is the owner's to take along, and the end. */
export function dataSection({ fresh, signOut }: AccountView, basePath: string): HtmlValue {
  return section("Your data", [
    fresh && actionForm(basePath, { path: "/account/export", button: "Download your data" }),
    fresh &&
    markup`<p><a class="grave" href="${basePath}/account/delete">Delete this account</a></p>\n`,
    markup`<p><a href="${signOut}">Sign out</a></p>\n`,
  ]);
}

/** What says that more is possible after a fresh proof. */
export function proofNote({ fresh, signIn }: AccountView): Html | false {
  return !fresh &&
    markup`<p class="quiet">To change how you sign in, <a href="${signIn}">sign in once more</a>.</p>\n`;
}

/** Whether an endpoint's provider is of a kind. */
export function providersOf(
  { store: { auth } }: EndpointContext,
  kind: (method: SignInMethod) => boolean,
): SignInMethod[] {
  return [...auth.settings.providers.values()].filter(kind);
}
