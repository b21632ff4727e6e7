/**
 * Pages of API keys.
 *
 * @module
 */

import type { Look } from "../core/contracts.ts";
import { type Html, markup } from "../lib/html.ts";
import { day, isActedFor, moment, type Page, say, sayOwn } from "./frame.ts";
import {
  copyButton,
  field,
  form,
  heading,
  icon,
  link,
  note,
  row,
  rowButton,
  rows,
  tag,
} from "./parts.ts";

/** A key in a list. */
export interface ApiKeyView {
  /** Public id. */
  id: string;
  /** Name that its maker gave it. */
  name: string;
  /** Permissions. */
  permissions: readonly string[];
  /** Time at which it was made. */
  createdAt: Date;
  /** Time at which it ends; null for never. */
  expires: Date | null;
  /** Time of its last use; null for none. */
  lastUsedAt: Date | null;
  /** End of the secret before the last rotation; null for none that counts. */
  previousUntil: Date | null;
  /** Name of who made it, in the list of a team. Default: it is not said. */
  maker?: string | undefined;
}

/** Data of the section with keys. */
export interface ApiKeysView {
  /** Path of the endpoints, such as "/auth/api-keys". */
  path: string;
  /** The keys. */
  keys: readonly ApiKeyView[];
  /** Permissions to choose from, with their labels; null where a key has all of its owner's. */
  permissions: readonly (readonly [permission: string, label: string])[] | null;
  /** True after recent authentication; without it, what makes a secret leads to the sign-in page first. */
  fresh: boolean;
  /** Address of the sign-in page, which leads back. */
  signIn: string;
  /** Now. */
  now: number;
  /** Id of the tenant whose keys they are; null for those of a user. */
  tenant: string | null;
  /** Path of the page that has the section. */
  back: string;
  /** Name in a form that was refused; null for none. */
  refused: string | null;
}

const ENDS = [
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
  ["", "Never"],
] as const;

function keyRow(look: Look, key: ApiKeyView, view: ApiKeysView): Html {
  const { id, name, permissions, createdAt, expires, lastUsedAt, previousUntil } = key;
  const { path, tenant, back, fresh, now, permissions: known } = view;
  const labels = new Map(known ?? []);
  const isOver = expires !== null && expires.getTime() <= now;
  const hidden = { id, tenant, callbackUrl: back };
  const may = permissions.map((one) => {
    const label = labels.get(one);
    return label === undefined
      ? one === "*" ? say(look, "Everything") : markup`<code>${one}</code>`
      : sayOwn(look, label);
  });
  return row({
    mark: icon("key"),
    title: markup`<bdi>${name}</bdi>${isOver && markup` ${tag(say(look, "Ended"), "bad")}`}`,
    detail: markup`${
      lastUsedAt === null
        ? say(look, "Never used")
        : say(look, "Last used {date}", { date: day(look, lastUsedAt) })
    } · ${
      expires === null
        ? say(look, "Added {date}", { date: day(look, createdAt) })
        : say(look, "Ends {date}", { date: day(look, expires) })
    } · <bdi>${may.map((one, index) => [index > 0 && ", ", one])}</bdi>${
      key.maker !== undefined &&
      markup` · ${say(look, "Created by {name}", { name: markup`<bdi>${key.maker}</bdi>` })}`
    }${
      previousUntil !== null &&
      markup` · ${
        say(look, "The key before works until {date}", { date: moment(look, previousUntil) })
      }`
    }`,
    actions: [
      fresh && !isOver && form({
        action: `${path}/rotate`,
        hidden,
        content: rowButton(say(look, "Replace"), { object: name }),
      }),
      form({
        action: `${path}/revoke`,
        hidden,
        content: rowButton(say(look, "Revoke"), { object: name, kind: "bad" }),
      }),
    ],
  });
}

function makeForm(look: Look, { path, permissions, tenant, back, refused }: ApiKeysView): Html {
  const chosen = permissions !== null &&
    permissions.map(([permission, label]) =>
      markup`<label class="check"><input type="checkbox" name="can:${permission}" value="yes"> ${
        sayOwn(look, label)
      } <small><code dir="ltr">${permission}</code></small></label>\n`
    );
  return form({
    action: path,
    hidden: { tenant, callbackUrl: back },
    content: [
      field({
        id: "key-name",
        name: "name",
        label: say(look, "Name of the key"),
        hint: say(look, "What will use it, such as “Nightly export”."),
        value: refused ?? "",
        error: refused?.trim() === ""
          ? say(look, "Fill in every required field and try again.")
          : null,
        autocomplete: "off",
        required: true,
        attributes: markup` maxlength="64"`,
      }),
      chosen,
      markup`<div class="field">
<label for="key-end">${say(look, "Ends")}</label>
<select id="key-end" name="days">
${
        ENDS.map(([value, label]) =>
          markup`<option value="${value}">${say(look, label)}</option>\n`
        )
      }</select>
</div>
<button>${icon("key")}${say(look, "Create key")}</button>
`,
    ],
  });
}

/** Writes the section with the keys of a user or a team. */
export function apiKeyList(look: Look, view: ApiKeysView): Html {
  const none = markup`<li><span class="quiet">${say(look, "No API keys yet.")}</span></li>\n`;
  return rows([
    view.keys.length === 0 ? none : view.keys.map((key) => keyRow(look, key, view)),
    view.fresh
      ? markup`<li><details${view.refused !== null && markup` open`}><summary>${
        say(look, "Create an API key")
      }</summary>\n${makeForm(look, view)}</details></li>\n`
      : !isActedFor(look) &&
        markup`<li class="small">${link(view.signIn, say(look, "Create an API key"))}</li>\n`,
  ]);
}

/** The page that shows a key, once. */
export function newKeyPage(
  look: Look,
  { key, name, next, previousUntil }: {
    key: string;
    name: string;
    next: string;
    previousUntil: Date | null;
  },
): Page {
  const title = say(look, "Copy your API key");
  return {
    title,
    hasLists: true,
    hasScript: true,
    body: markup`${
      heading(
        title,
        say(look, "It is shown only now. Whoever has it can use it, so keep it like a password."),
      )
    }<div class="field">
<label for="api-key"><bdi>${name}</bdi></label>
<textarea id="api-key" class="code" dir="ltr" rows="4" readonly spellcheck="false" autocomplete="off">${key}</textarea>
</div>
${copyButton(look, "api-key")}
${
      previousUntil !== null &&
      note(
        "plain",
        markup`<p>${
          say(look, "The key before works until {date}", { date: moment(look, previousUntil) })
        }</p>`,
      )
    }<a class="button go" href="${next}">${say(look, "I have copied it")}</a>
`,
  };
}
