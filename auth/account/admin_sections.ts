/**
 * HTML of the pages of administrators.
 *
 * @module
 */

import type { AccountSection, Look, SignInMethod } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { describeDevice, nameBrowser } from "../pages/device.ts";
import { day, say, sayOwn } from "../pages/frame.ts";
import { form, heading, icon, link, row, rowButton, rows, submit, tag } from "../pages/parts.ts";
import { rolesOf } from "../rbac/permissions.ts";
import type { User } from "../types/user.ts";
import { activityRows } from "./activity.ts";
import type { ListedUser, UserList } from "./list_users.ts";
import { face } from "./sections.ts";
import type { UserDetails } from "./user_details.ts";

/** Data of the list. */
export interface UserListView {
  /** Path of the list. */
  path: string;
  /** Page of users. */
  list: UserList;
  /** Text that was searched; empty for none. */
  search: string;
  /** Role that was chosen; empty for any. */
  role: string;
  /** True when another page comes before. */
  isLater: boolean;
  /** Roles to choose from. */
  roles: readonly string[];
}

/** Data of the page of one user. */
export interface UserView {
  /** Path of the list; the user's is below it. */
  path: string;
  /** The user. */
  details: UserDetails;
  /** Reason why nothing can be changed; null when it can be. */
  fixed: Html | null;
  /** Roles that the administrator can give and take away. */
  roles: readonly string[];
  /** True for users who can be sent a link to a new password, unless they are blocked. */
  canReset: boolean;
  /** True where sessions can be ended. */
  canEnd: boolean;
  /** Names of the ways to sign in by id. */
  names: ReadonlyMap<string, string>;
  /** The ways to sign in. */
  methods: readonly SignInMethod[];
}

/** Address of a page with parameters; empty ones are left out. */
export function addressOf(path: string, parameters: Record<string, string | null>): string {
  const given = Object.entries(parameters).filter((one): one is [string, string] => !!one[1]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

function nameOf({ name, email, id }: User): string {
  return name || email || id;
}

function statusTag(look: Look, { disabledAt }: ListedUser): Html {
  return disabledAt === null ? tag(say(look, "Active"), "good") : tag(say(look, "Blocked"), "bad");
}

function userRow(look: Look, path: string, listed: ListedUser): Html {
  const { user, createdAt } = listed;
  const name = nameOf(user);
  const address = addressOf(`${path}/user`, { id: user.id });
  const second = user.email && user.email !== name
    ? markup`<br><bdi class="small quiet">${user.email}</bdi>`
    : null;
  const cell = (label: Html, content: HtmlValue) =>
    markup`<td role="cell" data-label="${label}">${content}</td>`;
  return markup`<tr role="row"><th role="rowheader" scope="row"><span class="line">${
    face(name)
  }<span><a href="${address}"><b><bdi>${name}</bdi></b></a>${second}</span></span></th>${
    cell(say(look, "Roles"), rolesOf(user).join(", ") || "–")
  }${cell(say(look, "Status"), statusTag(look, listed))}${
    cell(say(look, "Joined"), day(look, createdAt))
  }</tr>\n`;
}

/** The search above the list. It is no form that changes anything, so its address can be kept. */
function searchForm(look: Look, { path, search, role, roles }: UserListView): Html {
  const label = say(look, "Name, email or ID");
  const options = ["", ...roles].map((one) =>
    markup`<option value="${one}"${one === role && markup` selected`}>${
      one === "" ? say(look, "Any role") : one
    }</option>`
  );
  return markup`<form method="get" action="${path}" role="search" class="line tight">
<label class="away" for="search">${label}</label><input id="search" name="search" type="search" value="${search}" placeholder="${label}" maxlength="256" size="24">
<label class="away" for="role">${
    say(look, "Role")
  }</label><select id="role" name="role">${options}</select>
<button class="go">${say(look, "Search")}</button></form>\n`;
}

function userTable(look: Look, { path, list }: UserListView): Html {
  const titles = [
    say(look, "Name"),
    say(look, "Roles"),
    say(look, "Status"),
    say(look, "Joined"),
  ].map((title) => markup`<th role="columnheader" scope="col">${title}</th>`);
  return markup`<div class="rows">
<table role="table">
<caption>${say(look, "Users")}</caption>
<thead role="rowgroup"><tr role="row">${titles}</tr></thead>
<tbody role="rowgroup">
${list.users.map((listed) => userRow(look, path, listed))}</tbody>
</table>
</div>\n`;
}

/** The list of users, with search and pages. */
export function userList(look: Look, view: UserListView): Html {
  const { path, list: { users, after }, search, role, isLater } = view;
  const isAll = search === "" && role === "";
  const none = markup`<div class="box"><p class="quiet">${
    say(look, "Nobody on this page. Only the beginning of a name or an address is searched.")
  }</p>${!isAll && markup`<p>${link(path, say(look, "Show everyone"))}</p>`}</div>\n`;
  const next = after !== null &&
    markup`<a class="button" href="${addressOf(path, { search, role, after })}">${
      say(look, "Next page")
    }</a>`;
  const first = isLater &&
    markup`<a class="button" href="${addressOf(path, { search, role })}">${
      say(look, "First page")
    }</a>`;
  return markup`${heading(say(look, "Users"))}<section aria-label="${say(look, "Users")}">
${searchForm(look, view)}${users.length === 0 ? none : userTable(look, view)}${
    (first || next) &&
    markup`<nav class="line" aria-label="${say(look, "Pages")}">${first}${next}</nav>\n`
  }</section>
`;
}

/** Heading of the page of a user. */
export function userHeader(look: Look, { path, details }: UserView): Html {
  const { user } = details;
  const name = nameOf(user);
  return markup`<p class="small">${link(path, say(look, "All users"))}</p>
<div class="line">${face(name, "big")}<hgroup>
<h1><bdi>${name}</bdi> ${statusTag(look, details)}</h1>
${
    user.email && user.email !== name &&
    markup`<p class="quiet"><bdi>${user.email}</bdi></p>\n`
  }</hgroup></div>
`;
}

function aboutSection(look: Look, { details, names }: UserView): AccountSection {
  const { user, accounts, passkeys, passwordChangedAt, secondFactorAt, disabledAt } = details;
  const ways = [
    passwordChangedAt !== null && say(look, "Password"),
    passkeys > 0 && say(look, "Passkeys: {n}", { n: passkeys }),
    ...accounts.map(({ provider }) => sayOwn(look, names.get(provider) ?? provider)),
  ].filter((way) => way !== false);
  const facts: [Html, HtmlValue][] = [
    [say(look, "User ID"), markup`<code dir="ltr">${user.id}</code>`],
    [say(look, "Joined"), day(look, details.createdAt)],
    ...disabledAt === null ? [] : [[say(look, "Blocked"), day(look, disabledAt)] as [Html, Html]],
    ...user.email
      ? [[
        say(look, "Email address"),
        user.emailVerified
          ? say(look, "Confirmed {date}", { date: day(look, user.emailVerified) })
          : say(look, "Not confirmed"),
      ] as [Html, Html]]
      : [],
    ...ways.length === 0 ? [] : [[
      say(look, "Ways to sign in"),
      ways.map((way, index) => [index > 0 && ", ", way]),
    ] as [Html, HtmlValue]],
    ...secondFactorAt === null ? [] : [[
      say(look, "Two-step sign-in"),
      say(look, "Since {date}", { date: day(look, secondFactorAt) }),
    ] as [Html, Html]],
  ];
  return {
    id: "about",
    title: say(look, "About"),
    content: markup`<div class="box"><dl>${
      facts.map(([title, content]) => markup`<dt>${title}</dt><dd>${content}</dd>`)
    }</dl></div>\n`,
  };
}

function roleSection(
  look: Look,
  { path, details: { user }, fixed, roles }: UserView,
): AccountSection {
  const held = rolesOf(user);
  const all = [...new Set([...roles, ...held])];
  const boxes = all.map((role, index) => {
    const can = fixed === null && roles.includes(role);
    return markup`<label class="check" for="role-${index}"><input id="role-${index}" type="checkbox" name="role-${index}" value="${role}"${
      held.includes(role) && markup` checked`
    }${!can && markup` disabled`}> ${role}</label>\n`;
  });
  return {
    id: "roles",
    title: say(look, "Roles"),
    ...fixed === null && {
      lead: say(look, "You can give and take the roles whose rights you have yourself."),
    },
    content: all.length === 0
      ? markup`<div class="box"><p class="quiet">${say(look, "No roles.")}</p></div>\n`
      : fixed !== null
      ? markup`<div class="box">${boxes}</div>\n`
      : form({
        action: `${path}/user/roles`,
        // What the page showed: a role that somebody else gave meanwhile stays.
        hidden: { id: user.id, shown: JSON.stringify(all) },
        kind: "box",
        content: [boxes, submit(say(look, "Save"))],
      }),
  };
}

function deviceSection(
  look: Look,
  { path, details: { user, sessions }, fixed, canEnd }: UserView,
): AccountSection | null {
  const action = `${path}/user/sessions/end`;
  const items = (sessions ?? []).map(({ id, createdAt, refreshedAt, userAgent }) => {
    const name = describeDevice(look, nameBrowser(userAgent));
    return row({
      mark: icon(/\b(?:iPhone|Android)\b/.test(userAgent ?? "") ? "phone" : "computer"),
      title: name,
      detail: markup`${say(look, "Signed in {date}", { date: day(look, createdAt) })} · ${
        say(look, "Last seen {date}", { date: day(look, refreshedAt) })
      }`,
      actions: [
        fixed === null && form({
          action,
          hidden: { id: user.id, session: id },
          content: rowButton(say(look, "Sign out"), { object: name }),
        }),
      ],
    });
  });
  const none = sessions !== null && items.length === 0 &&
    markup`<li><span class="quiet">${say(look, "Not signed in anywhere.")}</span></li>\n`;
  const all = fixed === null && canEnd && (sessions === null || items.length > 0) &&
    markup`<li>${
      form({
        action,
        hidden: { id: user.id },
        content: markup`<button class="bad">${say(look, "Sign out everywhere")}</button>`,
      })
    }</li>\n`;
  if (sessions === null && !all) return null;
  return { id: "devices", title: say(look, "Devices"), content: rows([items, none, all]) };
}

function activityOf(
  look: Look,
  { details: { user: { id: userId }, activity }, names }: UserView,
): AccountSection | null {
  if (activity.length === 0) return null;
  const entries = activity.map(({ at, ...entry }) => ({ ...entry, userId, at: at.getTime() }));
  return {
    id: "activity",
    title: say(look, "Recent activity"),
    content: activityRows(look, entries, names),
  };
}

function helpSection(
  look: Look,
  { path, details: { user, disabledAt, passwordChangedAt }, fixed, canReset }: UserView,
): AccountSection | null {
  if (fixed !== null || !canReset || disabledAt !== null) return null;
  return {
    id: "help",
    title: say(look, "Help signing in"),
    content: rows([row({
      mark: icon("lock"),
      title: say(look, "New password"),
      detail: say(
        look,
        passwordChangedAt === null
          ? "Sends a link by email."
          : "Sends a link by email. The old password works until it is used.",
      ),
      actions: [form({
        action: `${path}/user/reset`,
        hidden: { id: user.id },
        content: markup`<button>${say(look, "Send the link")}</button>`,
      })],
    })]),
  };
}

function dangerSection(
  look: Look,
  { path, details: { user, disabledAt }, fixed, canReset }: UserView,
): AccountSection | null {
  if (fixed !== null) return null;
  const block = disabledAt === null
    ? row({
      mark: icon("bad"),
      title: say(look, "Block"),
      detail: say(look, "Signs out everywhere and refuses new sign-ins. You can undo this."),
      actions: [form({
        action: `${path}/user/disable`,
        hidden: { id: user.id },
        content: markup`<button class="bad">${say(look, "Block")}</button>`,
      })],
    })
    : row({
      mark: icon("good"),
      title: say(look, "Unblock"),
      detail: say(look, "Allows new sign-ins."),
      actions: [form({
        action: `${path}/user/enable`,
        hidden: { id: user.id },
        content: markup`<button>${say(look, "Unblock")}</button>`,
      })],
    });
  const recover = disabledAt !== null && canReset && !!user.emailVerified && row({
    mark: icon("lock"),
    title: say(look, "Give a stolen account back"),
    detail: say(
      look,
      "Ends its password, passkeys and connected accounts, then unblocks it. A link to its email address opens it.",
    ),
    actions: [form({
      action: `${path}/user/recover`,
      hidden: { id: user.id },
      content: markup`<button>${say(look, "Give back")}</button>`,
    })],
  });
  const remove = row({
    mark: icon("bad"),
    title: say(look, "Delete account"),
    detail: say(look, "This cannot be undone."),
    actions: [
      markup`<a class="button bad" href="${addressOf(`${path}/user/delete`, { id: user.id })}">${
        say(look, "Delete account")
      }</a>`,
    ],
  });
  return {
    id: "danger",
    title: say(look, "Block or delete"),
    content: rows([block, recover, remove]),
  };
}

/**
 * Sections of the page of a user.
 *
 * @param further Those of other parts, which stand before what cannot be undone.
 */
export function userSections(
  look: Look,
  view: UserView,
  further: readonly AccountSection[],
): AccountSection[] {
  const own = [aboutSection, roleSection, deviceSection, activityOf, helpSection]
    .map((show) => show(look, view));
  return [...own, ...further, dangerSection(look, view)].filter((section) => section !== null);
}
