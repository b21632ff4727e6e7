/**
 * Pages and mails of teams.
 *
 * @module
 */

import type { AccountSection, Look } from "../core/contracts.ts";
import { type Html, type HtmlValue, markup } from "../lib/html.ts";
import { day, type Page, say, sayNamed, sayOwn } from "./frame.ts";
import type { PageText } from "./texts.ts";
import { type Ends, endsNote } from "./mail.ts";
import { invitationText, type MailText, writeInvitation } from "./mails.ts";
import {
  aside,
  field,
  form,
  heading,
  icon,
  link,
  note,
  row,
  rowButton,
  rows,
  section,
  submit,
  tag,
  type Typed,
} from "./parts.ts";

/** Sentence for the members of a suspended team. */
export const SUSPENDED: PageText = "This team is suspended. Ask the people who run this site.";

const MAX_NAME = 60;

/**
 * A name that somebody has chosen, for a mail that carries ours: bounded, in one line, and with nothing that a mail
 * program makes a link of, since whoever invites strangers writes them in our name ("Win at evil.example").
 */
export function strangersName(text: string): string {
  const plain = text
    // Controls, marks that turn the direction of writing, and what has no width.
    .replace(/[\p{C}\u2028\u2029]/gu, " ")
    // Dots of all scripts end a label of a host name (RFC 3490, 3.1).
    .replace(/([.\u3002\uff0e\uff61\u2024])(?=\S)/gu, "$1 ")
    .replace(/[@:/\\<>\uff20\uff1a\uff0f]/g, " ")
    // "www" begins a link without any sign.
    .replace(/\bwww\b/gi, "")
    .replace(/\s+/g, " ")
    .trim();
  const letters = [...plain];
  return letters.length <= MAX_NAME ? plain : `${letters.slice(0, MAX_NAME - 1).join("").trim()}…`;
}

/** The mail that invites into a team. */
export function invitationMail(
  look: Look,
  { team, inviter, address, url, seconds }: {
    team: string;
    inviter: string | null;
    address: string;
    url: string;
    seconds: number;
  },
): MailText {
  const by = strangersName(inviter ?? "");
  return writeInvitation(look, {
    team: strangersName(team) || "…",
    inviter: by === "" ? null : by,
    address,
    url,
    seconds,
  });
}

/** Data of the page behind the link of an invitation. */
export interface InvitationView {
  /** Path that accepts it. */
  action: string;
  /** Its token. */
  token: string;
  /** Name of the team. */
  team: string;
  /** Name of who invites; null for none. */
  inviter: string | null;
  /** Names of the roles. */
  roles: readonly string[];
  /** Invited address. */
  address: string;
  /** The person who opens it. "stuck": an account with this address that nobody has proved, and where nothing can be ended. */
  visitor: "same" | "unproved" | "stuck" | "other" | "known" | "new";
  /** Address or name of who is signed in; null for nobody. */
  user: string | null;
  /** The things that end when the address is proved; null for nothing. */
  ends: Ends | null;
  /** Address of the sign-in page, which leads back. */
  signIn: string;
  /** Path of the account page. */
  account: string;
}

function bold(text: string): Html {
  return markup`<b><bdi>${text}</bdi></b>`;
}

function button(href: string, label: Html): Html {
  return markup`<a class="button go" href="${href}">${label}</a>\n`;
}

function wayOn(look: Look, view: InvitationView): HtmlValue {
  const { action, token, visitor, signIn } = view;
  const address = bold(view.address);
  const user = bold(view.user ?? "");
  const accept = (label: Html): Html => form({ action, hidden: { token }, content: submit(label) });
  switch (visitor) {
    case "same":
      return accept(say(look, "Join the team"));
    case "new":
      return [
        markup`<p>${
          say(look, "You get an account for {address} and are signed in.", { address })
        }</p>\n`,
        accept(say(look, "Create account and join")),
      ];
    case "known":
      return [
        markup`<p>${say(look, "Sign in as {address} to join.", { address })}</p>\n`,
        button(signIn, say(look, "Sign in")),
      ];
    case "unproved":
      return [
        view.ends && endsNote(look, view.ends),
        accept(say(look, "Confirm this address and join")),
      ];
    case "stuck":
      return [
        markup`<p>${
          say(look, "Confirm this address on your account page, then open the link once more.")
        }</p>\n`,
        button(view.account, say(look, "Go to your account")),
      ];
    default:
      return [
        note(
          "plain",
          markup`<p>${
            say(look, "You’re signed in as {user}. This invitation is for {address}.", {
              user,
              address,
            })
          }</p>`,
        ),
        form({
          action: `${action}/switch`,
          hidden: { token },
          content: submit(say(look, "Use another account")),
        }),
      ];
  }
}

/** Names of roles, which the application may translate. */
function roleNames(look: Look, names: readonly string[]): HtmlValue {
  return names.map((name, index) => [index > 0 && ", ", sayOwn(look, name)]);
}

/** The page behind the link of an invitation, which changes nothing until its button is pressed. */
export function invitationPage(look: Look, view: InvitationView): Page {
  const { team, inviter, roles } = view;
  const title = say(look, "Join {team}?", { team: markup`<bdi>${team}</bdi>` });
  const lead = invitationText(look, { team, inviter });
  return {
    title,
    body: markup`${heading(title, lead)}${
      roles.length > 0 &&
      markup`<p>${
        say(look, "Your role there: {roles}.", {
          roles: markup`<bdi>${roleNames(look, roles)}</bdi>`,
        })
      }</p>\n`
    }${wayOn(look, view)}<p class="hint">${
      say(
        look,
        "Don’t know this team? Close this page. Nothing happens until you press the button.",
      )
    }</p>
`,
  };
}

/** The page for an invitation that does not hold. */
export function endedInvitationPage(look: Look): Page {
  const title = say(look, "This invitation no longer works");
  return {
    title,
    isError: true,
    body: markup`${
      heading(title, say(look, "It works once, and not for ever. Ask for a new one."))
    }${aside(link("/", sayNamed(look, "Go to {app}", "Go to the start page")))}`,
  };
}

/** The page for who has joined by proving an address, whose sessions have ended. */
export function joinedPage(look: Look, { team, signIn }: { team: string; signIn: string }): Page {
  const title = say(look, "You’re a member of {team}", { team: markup`<bdi>${team}</bdi>` });
  return {
    title,
    body: markup`${
      heading(title, say(look, "Afterwards you set a new password, or sign in by email."))
    }${button(signIn, say(look, "Sign in"))}`,
  };
}

/** A role that can be given. */
export interface RoleView {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
}

/** A member on the page. */
export interface MemberView {
  /** Id of the user. */
  id: string;
  /** Name; null for none. */
  name: string | null;
  /** Address, for who may see it; else null. */
  email: string | null;
  /** Roles. */
  roles: readonly RoleView[];
  /** True for who looks at the page. */
  isSelf: boolean;
  /** Roles that the visitor may give them in place of theirs; null where they may not be changed. */
  choices: readonly RoleView[] | null;
  /** True where the visitor may remove them. */
  removable: boolean;
  /** True where the visitor may make them the owner. */
  heir: boolean;
}

/** An open invitation on the page. */
export interface InvitationRow {
  /** Its id. */
  id: string;
  /** Address. */
  email: string;
  /** Names of the roles. */
  roles: readonly string[];
  /** Time until which it works. */
  expiresAt: Date;
  /** True where the visitor may send it again. */
  resendable: boolean;
  /** True where the visitor may revoke it. */
  revocable: boolean;
}

/** A team of the visitor. */
export interface TeamLink {
  /** Its name. */
  name: string;
  /** Its slug. */
  slug: string;
  /** True for the one on the page. */
  current: boolean;
  /** Address of its start page; null where a cookie names it, or nothing does. */
  home: string | null;
}

/** Data of the page of a team. */
export interface TeamView {
  /** Path of the page. */
  path: string;
  /** The team; null where none is chosen. */
  team: { name: string; slug: string } | null;
  /** Members of this part. */
  members: readonly MemberView[];
  /** Text that is searched for; "" for none. */
  search: string;
  /** Address of the next part; null at the end. */
  next: string | null;
  /** Open invitations; null for who may not invite. */
  invitations:
    | { rows: readonly InvitationRow[]; next: string | null; choices: readonly RoleView[] }
    | null;
  /** Sections of other parts of the application. */
  sections: readonly AccountSection[];
  /** Teams of the visitor. */
  teams: readonly TeamLink[];
  /** Names of those that are suspended. */
  closed: readonly string[];
  /** True where a cookie names the team. */
  byCookie: boolean;
  /** True where the visitor may make a team. */
  creates: boolean;
  /** The values of the forms that invite and make a team, and their errors. */
  typed: { email: Typed; name: Typed };
  /** Path that signs out, and whether it asks first. */
  signOut: { path: string; asks: boolean };
  /** Links to other pages. */
  links: readonly Html[];
  /** Sentence of the error of a form; null for none. */
  problem: Html | null;
  /** Sentence that says what has happened; null for none. */
  done: Html | null;
}

function roleSelect(look: Look, id: string, choices: readonly RoleView[], chosen?: string): Html {
  return markup`<select name="role" id="${id}" aria-label="${say(look, "Role")}">${
    choices.map((role) =>
      markup`<option value="${role.id}"${role.id === chosen && markup` selected`}>${
        sayOwn(look, role.name)
      }</option>`
    )
  }</select>`;
}

function memberRow(look: Look, view: TeamView, member: MemberView): Html {
  const { id, roles, isSelf, choices, removable, heir } = member;
  const name = member.name ?? member.email ?? say(look, "Somebody without a name");
  const object = member.name ?? member.email ?? id;
  const hidden = { team: view.team!.slug, user: id };
  const path = `${view.path}/members`;
  const [first] = roles;
  const more = (choices !== null || removable || heir) &&
    markup`<details><summary aria-label="${say(look, "Change")} ${object}">${
      say(look, "Change")
    }</summary>
<div class="line">${
      choices !== null && form({
        action: `${path}/roles`,
        hidden,
        content: markup`<div class="line">${
          roleSelect(look, `role-${id}`, choices, roles.length === 1 ? first!.id : undefined)
        }${rowButton(say(look, "Save role"), { object })}</div>`,
      })
    }${
      heir && form({
        action: `${view.path}/hand-over`,
        hidden,
        content: rowButton(say(look, "Make the owner"), { object }),
      })
    }${
      removable && form({
        action: `${path}/remove`,
        hidden,
        content: rowButton(say(look, "Remove from the team"), { object, kind: "bad" }),
      })
    }</div></details>`;
  return row({
    mark: icon("person"),
    title: markup`<bdi>${name}</bdi>${isSelf && markup` ${tag(say(look, "You"), "good")}`}`,
    detail: markup`${roleNames(look, roles.map(({ name }) => name))}${
      member.name !== null && member.email !== null &&
      markup`${roles.length > 0 && " · "}<bdi>${member.email}</bdi>`
    }`,
    more,
  });
}

function nextLink(look: Look, href: string | null): Html | false {
  return href !== null && markup`<p class="small">${link(href, say(look, "More"))}</p>\n`;
}

function memberSection(look: Look, view: TeamView): AccountSection {
  const { path, team, members, search, next } = view;
  const finder = markup`<form method="get" action="${path}" role="search" class="box">
<input type="hidden" name="team" value="${team!.slug}">
${
    field({
      id: "search",
      type: "search",
      label: say(look, "Search by name or address"),
      value: search,
      attributes: markup` maxlength="100"`,
    })
  }<button>${say(look, "Search")}</button>
</form>
`;
  const none = row({
    mark: icon("person"),
    title: say(look, "Nobody found"),
    ...next !== null && { detail: say(look, "Go on to search the rest.") },
  });
  return {
    id: "members",
    title: say(look, "Members"),
    content: [
      finder,
      rows(members.length === 0 ? [none] : members.map((one) => memberRow(look, view, one))),
      nextLink(look, next),
    ],
  };
}

function invitationSection(look: Look, view: TeamView): AccountSection | null {
  const { path, team, invitations, typed } = view;
  if (invitations === null) return null;
  const hidden = { team: team!.slug };
  const list = invitations.rows.map(({ id, email, roles, expiresAt, resendable, revocable }) =>
    row({
      mark: icon("mail"),
      title: markup`<bdi>${email}</bdi>`,
      detail: markup`${roleNames(look, roles)}${roles.length > 0 && " · "}${
        say(look, "Until {date}", { date: day(look, expiresAt) })
      }`,
      actions: [
        resendable && form({
          action: `${path}/invitations/resend`,
          hidden: { ...hidden, id },
          content: rowButton(say(look, "Send again"), { object: email }),
        }),
        revocable && form({
          action: `${path}/invitations/revoke`,
          hidden: { ...hidden, id },
          content: rowButton(say(look, "Revoke"), { object: email, kind: "bad" }),
        }),
      ],
    })
  );
  const invite = form({
    action: `${path}/invite`,
    hidden,
    kind: "box",
    content: [
      field({
        id: "email",
        type: "email",
        label: say(look, "Invite by email"),
        ...typed.email,
        autocomplete: "off",
        required: true,
      }),
      invitations.choices.length > 0 && markup`<div class="field">
<label for="invite-role">${say(look, "Role")}</label>
${roleSelect(look, "invite-role", invitations.choices)}</div>
`,
      submit(say(look, "Send the invitation")),
    ],
  });
  return {
    id: "invitations",
    title: say(look, "Invitations"),
    lead: say(look, "The link goes to the invited mailbox and nowhere else."),
    content: [invite, list.length > 0 && rows(list), nextLink(look, invitations.next)],
  };
}

function teamSection(look: Look, view: TeamView): AccountSection {
  const { path, teams, closed, byCookie, creates, typed } = view;
  const list = teams.map(({ name, slug, current, home }) =>
    row({
      mark: icon("shield"),
      title: current
        ? markup`<bdi>${name}</bdi> ${tag(say(look, "This team"), "good")}`
        : markup`<a href="${path}?team=${slug}"><bdi>${name}</bdi></a>`,
      actions: [
        home !== null && markup`<a class="button" href="${home}">${say(look, "Open")}</a>`,
        byCookie && !current && form({
          action: `${path}/switch`,
          hidden: { team: slug },
          content: rowButton(say(look, "Switch"), { object: name }),
        }),
      ],
    })
  );
  list.push(...closed.map((name) =>
    row({
      mark: icon("shield"),
      title: markup`<bdi>${name}</bdi>`,
      detail: say(look, SUSPENDED),
    })
  ));
  const none = row({ mark: icon("shield"), title: say(look, "You’re not in a team yet.") });
  const create = creates && form({
    action: `${path}/create`,
    kind: "box",
    content: [
      field({
        id: "team-name",
        name: "name",
        label: say(look, "Name of the new team"),
        ...typed.name,
        autocomplete: "off",
        required: true,
        attributes: markup` maxlength="200"`,
      }),
      markup`<button>${say(look, "Create the team")}</button>\n`,
    ],
  });
  return {
    id: "teams",
    title: say(look, "Your teams"),
    content: [rows(list.length === 0 ? [none] : list), create],
  };
}

function leaveSection(look: Look, { path, team }: TeamView): AccountSection {
  const content = rows([
    row({
      mark: icon("bad"),
      title: say(look, "Leave {team}", { team: markup`<bdi>${team!.name}</bdi>` }),
      detail: say(look, "You can come back only by a new invitation."),
      more: markup`<details><summary>${say(look, "Leave the team")}</summary>
${
        form({
          action: `${path}/leave`,
          hidden: { team: team!.slug },
          content: markup`<button class="bad">${say(look, "Yes, leave")}</button>`,
        })
      }</details>`,
    }),
  ]);
  return { id: "leave", title: say(look, "Leave the team"), content };
}

/** The page of a team, or that of somebody's teams where none is chosen. */
export function teamPageOf(look: Look, view: TeamView): Page {
  const { team, problem, done, signOut, links } = view;
  const sections = [
    ...team === null ? [] : [memberSection(look, view), invitationSection(look, view)],
    ...view.sections,
    teamSection(look, view),
    ...team === null ? [] : [leaveSection(look, view)],
  ].filter((one) => one !== null);
  const title = team === null ? say(look, "Your teams") : markup`<bdi>${team.name}</bdi>`;
  return {
    title,
    isError: Boolean(problem || view.typed.email.error || view.typed.name.error),
    bar: { signOut, sections, links },
    body: markup`${heading(title)}${problem !== null && note("bad", markup`<p>${problem}</p>`)}${
      done !== null && note("good", markup`<p>${done}</p>`)
    }${sections.map(({ notice = null }) => notice)}${
      sections.map(({ id, title, lead, content }) => section(id, title, { lead, content }))
    }`,
  };
}
