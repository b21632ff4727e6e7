import assert from "node:assert/strict";
import { CEILING } from "../support/until.ts";
import type { Client } from "../support/client.ts";

/** Somebody who signs up. */
export interface Account {
  name: string;
  email: string;
  password: string;
}

/** Answer to a request, as what it says. */
export async function textOf(response: Promise<Response>): Promise<string> {
  return await (await response).text();
}

/** Waits until the mails say something that matches. */
async function waitFor(mails: () => string, pattern: RegExp): Promise<RegExpExecArray> {
  const deadline = Date.now() + CEILING;
  while (Date.now() < deadline) {
    const found = [...mails().matchAll(pattern)].at(-1);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`No mail matches ${pattern}:\n${mails()}`);
}

/** The newest link to a path that was mailed to an address. `mails` gives the terminal of the application so far. */
export async function mailedLink(
  mails: () => string,
  { to, path }: { to: string; path: string },
): Promise<string> {
  const pattern = new RegExp(`To: ${to}\\s(?:(?!To: )[^])*?(http\\S+${path}\\S*)`, "g");
  return (await waitFor(mails, pattern))[1]!;
}

/** Waits for a mail whose subject ends so: before it stands the name of the application. */
export async function mailed(
  mails: () => string,
  { to, subject }: { to: string; subject: string },
): Promise<void> {
  await waitFor(mails, new RegExp(`To: ${to}\\s+Subject: .*${subject}`, "g"));
}

/** The values of a page's hidden fields. */
export function hiddenFields(page: string): Record<string, string> {
  const fields = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, value!]));
}

/** Signs somebody up in a browser, opens the link in the mail there, and presses the button: the visitor is signed in. */
export async function signUp(
  visitor: Client,
  account: Account,
  mails: () => string,
): Promise<Response> {
  const asked = await visitor.post("/auth/signup", { ...account, callbackUrl: "/dashboard" });
  assert.equal(asked.status, 303, await asked.text());
  const link = await mailedLink(mails, { to: account.email, path: "/auth/signup/confirm" });
  const page = await textOf(visitor.fetch(link));
  const confirmed = await visitor.post("/auth/signup/confirm", hiddenFields(page));
  assert.equal(confirmed.status, 303, await confirmed.text());
  return confirmed;
}
