import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { TestBrowser } from "../support/browser.ts";
import { inMatrix } from "../support/matrix.ts";
import { mailed, mailedLink } from "./mails.ts";
import { addAuthenticator, look, type Visitor, watch } from "./visitors.ts";

/** Requirements of the walk besides a browser. */
export interface WaysWalk {
  /** URL of the application. */
  origin: string;
  /** URL of the identity provider. */
  issuer: string;
  /** The mails of the application so far, as its mails shows them. */
  mails(): string;
  /** Runs a statement on the application's database. */
  change(sql: string, ...values: string[]): void;
}

/** The pages that only a visitor with scripts sees, or sees in full. */
const ONLY_WITH_SCRIPTS = [
  "sign-in",
  "account",
  "account-password",
  "sign-in-passkey",
  "new-password",
  "activity",
];

/**
 * Pages of the starter's own that the other visitor sees in the matrix alone; those of the library are looked at on a
 * phone in `pages/`.
 */
const ONLY_IN_MATRIX = ["not-found", "limit"];

const password = "quite another few words";

/** A visitor's page, and what all parts of a walk do there. */
interface Place {
  page: Page;
  hasScripts: boolean;
  /** Looks at a page, by default the visitor's. */
  shoot(name: string, of?: Page): Promise<void>;
  /** Waits for a path of the application. */
  arrive(path: string): Promise<void>;
}

/**
 * Clicks through what the starter shows of its own, of limits and errors, as one visitor: whom the identity provider has
 * signed in, and in the matrix, after that, every other way, with teams of their own. The library's own pages are walked
 * through in `pages/`, `passkey/` and `oauth/` too.
 */
export async function waysWalk(
  browser: TestBrowser,
  visitor: Visitor,
  walk: WaysWalk,
): Promise<void> {
  const { origin, issuer } = walk;
  const hasScripts = visitor.options.javaScriptEnabled !== false;
  const context = await browser.newContext(visitor.options);
  const page = await context.newPage();
  const complaints = watch(page, [origin, issuer]);
  if (hasScripts) await addAuthenticator(page);
  let shots = 0;
  async function shoot(name: string, of: Page = page): Promise<void> {
    const missed = [...ONLY_WITH_SCRIPTS, ...inMatrix ? [] : ONLY_IN_MATRIX];
    const everywhere = hasScripts && missed.includes(name);
    const number = String(++shots).padStart(2, "0");
    await look(of, `ways-${visitor.name}-${number}-${name}`, { everywhere });
  }
  async function arrive(path: string): Promise<void> {
    await page.waitForURL(`${origin}${path}`);
  }
  const place: Place = { page, hasScripts, shoot, arrive };
  let email = await byProvider(walk, place);
  if (inMatrix) email = await otherWays(browser, visitor, { ...walk, ...place });
  await ownPages(visitor, email, { ...walk, ...place });
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Signs in as somebody of the identity provider, whose address is given back. */
async function byProvider({ origin }: WaysWalk, place: Place): Promise<string> {
  const { page, shoot, arrive } = place;
  await page.goto(`${origin}/auth/account`);
  await arrive("/auth/signin?callbackUrl=%2Fauth%2Faccount");
  await shoot("sign-in");
  await page.getByRole("button", { name: "Continue with Company" }).click();
  await page.getByRole("button", { name: /Cancel/ }).click();
  await page.getByText("The sign-in was cancelled.").waitFor();
  await page.getByRole("button", { name: "Continue with Company" }).click();
  await shoot("identity-provider");
  await page.getByRole("button", { name: /Ada Lovelace/ }).click();
  await arrive("/auth/account");
  return "ada@example.com";
}

/** With a passkey (where there are scripts), by a link and by a new password; gives the address that is signed in last. */
async function otherWays(
  browser: TestBrowser,
  visitor: Visitor,
  walk: WaysWalk & Place,
): Promise<string> {
  const { origin, mails, change, page, hasScripts, shoot, arrive } = walk;
  async function signOut(): Promise<void> {
    await page.locator("header").getByRole("button", { name: "Sign out" }).click();
    await arrive("/");
  }

  // With a passkey, added on the account page.
  if (hasScripts) {
    await page.getByText("Add a passkey").click();
    await page.getByLabel("Name of the new passkey").fill("Laptop");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByText("The passkey is added.").waitFor();
    await shoot("account");
    await signOut();
    await page.goto(`${origin}/auth/signin?callbackUrl=/dashboard`);
    await page.getByRole("button", { name: "Continue with a passkey" }).waitFor();
    await shoot("sign-in-passkey");
    await page.getByRole("button", { name: "Continue with a passkey" }).click();
    await arrive("/dashboard");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await arrive("/auth/account");
    await page.locator("summary", { hasText: "Remove" }).click();
    await page.getByRole("button", { name: "Remove this passkey Laptop" }).click();
    await page.getByText("The passkey is removed.").waitFor();
  } else {
    await shoot("account");
  }

  // What needs a fresh proof asks for it, and brings back.
  change("UPDATE sessions SET authenticated_at = 0");
  await page.goto(`${origin}/auth/account/password`);
  assert.equal(new URL(page.url()).pathname, "/auth/signin");
  await page.getByText("Sign in again to continue.").waitFor();
  await shoot("sign-in-again");
  await page.getByRole("button", { name: "Continue with Company" }).click();
  // The provider remembers who this is.
  await arrive("/auth/account/password");
  await shoot("account-password");

  // A team of one's own, which nobody else sees.
  const team = `team-${visitor.name}`;
  await page.goto(`${origin}/dashboard`);
  await page.getByRole("link", { name: "Go to your teams" }).click();
  await arrive("/auth/team");
  await shoot("no-team");
  await page.getByLabel("Name of the new team").fill(team);
  await page.getByRole("button", { name: "Create the team" }).click();
  await arrive(`/auth/team?team=${team}&done=created`);
  const guest = `guest-${visitor.name}@example.com`;
  await page.getByLabel("Invite by email").fill(guest);
  await page.getByRole("button", { name: "Send the invitation" }).click();
  await page.getByText(guest).first().waitFor();
  await shoot("team");
  const stranger = await (await browser.newContext(visitor.options)).newPage();
  const invitation = await mailedLink(mails, { to: guest, path: "/auth/team/join" });
  assert.equal((await stranger.goto(`${origin}/t/${team}`))?.status(), 401);
  await shoot("team-for-members", stranger);
  await stranger.goto(invitation);
  await stranger.getByText("Ada Lovelace").waitFor();
  await shoot("team-invitation", stranger);
  await stranger.getByRole("button", { name: "Create account and join" }).click();
  await stranger.waitForURL(`${origin}/auth/team?team=${team}*`);
  await shoot("team-joined", stranger);
  await stranger.getByRole("link", { name: "Open" }).click();
  await stranger.waitForURL(`${origin}/t/${team}`);
  assert.equal((await stranger.goto(`${origin}/t/no-such-team`))?.status(), 404);
  await stranger.context().close();
  await page.goto(`${origin}/t/${team}`);
  await page.getByRole("link", { name: "Members and invitations" }).click();
  await page.getByText(guest).first().waitFor();
  await shoot("team-of-two");
  await page.goto(`${origin}/`);
  await signOut();

  // By a link in a mail.
  const email = `link-${visitor.name}@example.com`;
  await page.goto(`${origin}/auth/signin?callbackUrl=/dashboard`);
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: /^Continue(?! with)/ }).click();
  await page.getByRole("button", { name: "Sign in by email instead" }).click();
  await arrive("/auth/verify-request");
  await page.getByRole("heading", { name: "Check your email" }).waitFor();
  await shoot("link-sent");
  const signInLink = await mailedLink(mails, { to: email, path: "/auth/callback/email" });
  // It signs in, and sets no password; the attempt does not use it up.
  const token = new URL(signInLink).searchParams.get("token") ?? "";
  assert.ok(token.length > 20);
  await page.goto(`${origin}/auth/reset?token=${token}`);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await page.goto(signInLink);
  await shoot("link-confirm");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await arrive("/dashboard");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), `Hello, ${email}`);

  // By a new password, which ends every session.
  const [before] = (await page.context().cookies()).filter(({ name }) =>
    name.endsWith("session-token")
  );
  await page.goto(`${origin}/auth/forgot`);
  await page.getByLabel("Email").fill(email);
  await shoot("forgot");
  await page.locator("button.go").click();
  await arrive("/auth/forgot/sent");
  await page.getByText(`If ${email} has an account`).waitFor();
  const link = await mailedLink(mails, { to: email, path: "/auth/reset" });
  await page.goto(link);
  await shoot("new-password");
  await page.getByLabel("New password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // A link in a mail is no sign-in; the owner is told.
  await page.waitForURL(`${origin}/auth/reset/done*`);
  await shoot("password-set");
  assert.equal((await page.request.get(`${origin}/api/me`)).status(), 401);
  await mailed(mails, { to: email, subject: "Your password has changed" });
  const replay = await fetch(`${origin}/api/me`, {
    headers: { cookie: `${before?.name}=${before?.value}` },
  });
  assert.equal(replay.status, 401, "the session of before has ended");
  await replay.body?.cancel();
  await page.goto(link);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  await page.goto(`${origin}/auth/signin?callbackUrl=/dashboard`);
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: /^Continue(?! with)/ }).click();
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await arrive("/dashboard");
  return email;
}

/** A limit of the application's own, and who reads what was written. */
async function ownPages(
  visitor: Visitor,
  email: string,
  { origin, change, page, hasScripts, shoot }: WaysWalk & Place,
): Promise<void> {
  await page.goto(`${origin}/dashboard`);
  await shoot("dashboard");
  assert.equal((await page.goto(`${origin}/nothing/here`))?.status(), 404);
  await shoot("not-found");
  change("DELETE FROM rate_limits");
  await page.goto(`${origin}/contact`);
  await page.getByLabel("Your email").fill("ada@localhost");
  await page.getByLabel("Message").fill("Kept");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("This is not an email address.").waitFor();
  assert.equal(await page.getByLabel("Your email").inputValue(), "ada@localhost");
  assert.equal(await page.getByLabel("Message").inputValue(), "Kept");
  if (hasScripts) {
    await page.getByLabel("Message").pressSequentially(" on");
    await page.getByText(`${2000 - "Kept on".length} characters left.`).waitFor();
  }
  for (const text of ["One", "Two", "Three", "Four"]) {
    await page.goto(`${origin}/contact`);
    await page.getByLabel("Your email").fill(email);
    const message = `${text} of ${visitor.name}`;
    if (hasScripts) {
      await page.getByLabel("Message").pressSequentially(message);
      await page.getByText(`${2000 - message.length} characters left.`).waitFor();
    } else await page.getByLabel("Message").fill(message);
    await page.getByRole("button", { name: "Send" }).click();
    if (text === "Four") break;
    await page.getByText("Thank you").waitFor();
    if (text !== "One") continue;
    // Tracks: AB-17
    await page.reload();
    await page.getByLabel("Message").waitFor();
    assert.equal(await page.getByText("Thank you").count(), 0);
  }
  await page.getByText(/You have sent many messages/).waitFor();
  assert.equal(await page.getByLabel("Message").inputValue(), `Four of ${visitor.name}`);
  await shoot("limit");
  assert.equal((await page.goto(`${origin}/admin`))?.status(), 403);
  await shoot("forbidden");
  change("UPDATE users SET role = 'support' WHERE email = ?", email);
  await page.goto(`${origin}/admin`);
  await page.getByText(`Three of ${visitor.name}`).waitFor();
  assert.equal((await page.goto(`${origin}/auth/admin`))?.status(), 403, "support reads messages");
  assert.equal((await page.goto(`${origin}/admin/activity`))?.status(), 403);
  change("UPDATE users SET role = 'admin' WHERE email = ?", email);
  await page.goto(`${origin}/admin`);
  await shoot("admin");
  await page.getByRole("link", { name: "Look after users" }).click();
  await page.getByText(email).first().waitFor();
  await shoot("users");
  await page.goto(`${origin}/admin`);
  if (hasScripts) {
    await page.getByRole("link", { name: "What happened lately" }).click();
    await page.getByText(inMatrix ? "password changed" : "Ada Lovelace: sign in").first().waitFor();
    await shoot("activity");
  }
}
