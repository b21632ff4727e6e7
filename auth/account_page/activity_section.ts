import { type Html, type HtmlValue, markup } from "../http/html.ts";
import type { ActivityRecord } from "../storage/activity_storage.ts";
import { moment, section } from "./account_forms.ts";
import type { AccountView } from "./account_sections.ts";
import { describeNetwork } from "./client_network.ts";
import { UNKNOWN_BROWSER } from "./describe_browser.ts";

/** What an entry says. Where a provider is named, the second text says it. */
const TEXTS: Readonly<Record<string, readonly [text: string, named?: (name: string) => string]>> = {
  "sign-up": ["The account was made", (name) => `The account was made with ${name}`],
  "sign-in": ["Signed in", (name) => `Signed in with ${name}`],
  "sign-out": ["Signed out"],
  "session-revoked": ["Signed out elsewhere"],
  "email-verified": ["E-mail address confirmed"],
  "email-changed": ["E-mail address changed"],
  "account-linked": ["Account connected", (name) => `Connected ${name}`],
  "account-unlinked": ["Account disconnected", (name) => `Disconnected ${name}`],
  "passkey-added": ["Passkey added"],
  "passkey-removed": ["Passkey removed"],
  "password-changed": ["Password changed"],
  "replay-detected": ["A passkey was refused, of which there may be a copy"],
};

// The others are one click away.
const OPEN = 5;

function entryItem(
  { type, provider, device, network, at }: ActivityRecord,
  names: ReadonlyMap<string, string>,
): Html {
  const [text, named] = TEXTS[type]!;
  const name = provider === null ? undefined : names.get(provider) ?? provider;
  const place = [device ?? UNKNOWN_BROWSER, ...network === null ? [] : [describeNetwork(network)]];
  // Neither is known of what somebody else did.
  const isPlaced = device !== null || network !== null;
  return markup`<li><div><p><strong>${
    name === undefined || named === undefined ? text : named(name)
  }</strong></p>
<p class="quiet">${moment(new Date(at))}${
    isPlaced && place.map((part) => markup` · <span>${part}</span>`)
  }</p></div></li>
`;
}

/** What happened to the account lately. */
export function activitySection({ activity, names }: AccountView): HtmlValue {
  const items = activity
    .filter(({ type }) => Object.hasOwn(TEXTS, type))
    .map((entry) => entryItem(entry, names));
  const more = items.slice(OPEN);
  return section("Recent activity", [
    items.length === 0
      ? markup`<p class="quiet">Nothing has happened lately.</p>\n`
      : markup`<ul>\n${items.slice(0, OPEN)}</ul>\n`,
    more.length > 0 &&
    markup`<details><summary>Show more</summary>\n<ul>\n${more}</ul></details>\n`,
    markup`<p class="quiet">Something here was not you? Sign out all other devices, and change how you sign in.</p>\n`,
  ]);
}
