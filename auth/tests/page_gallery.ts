import type { Look } from "../core/contracts.ts";
import { SecondFactorError } from "../errors.ts";
import { apiKeyList, type ApiKeysView, newKeyPage } from "../pages/api_keys.ts";
import { markup } from "../lib/html.ts";
import { type Page, say, sayOwn } from "../pages/frame.ts";
import {
  checkMailPage,
  donePage,
  expiredLinkPage,
  type LinkAbout,
  openedLinkPage,
} from "../pages/mail.ts";
import {
  automaticPasskeyMail,
  emailChangeMail,
  factorResetMail,
  knownAccountMail,
  type MailText,
  newDeviceMail,
  passkeyMail,
  passwordChangedMail,
  resetMail,
  secondFactorMail,
  signInMail,
  verificationMail,
} from "../pages/mails.ts";
import {
  endedInvitationPage,
  invitationMail,
  invitationPage,
  type InvitationView,
  joinedPage,
  teamPageOf,
  type TeamView,
} from "../pages/team.ts";
import { icon, section, type Way } from "../pages/parts.ts";
import {
  addedPasskeys,
  nextTimePart,
  passkeyRemovedPage,
  removalOverPage,
  removalPage,
} from "../pages/passkey.ts";
import { forgotPage, forgotSentPage, newPasswordPage } from "../pages/password.ts";
import {
  cancelRecoveryPage,
  managePage,
  type ManageView,
  passkeyStepPage,
  recoveryCodesPage,
  recoveryNotice,
  recoveryPage,
  secondFactorSection,
  setUpPage,
  stepOverPage,
  stepPage,
} from "../pages/second_factor.ts";
import { passwordPage, signInPage, type SignInView, signUpPage } from "../pages/sign_in.ts";
import {
  errorPage,
  failedPage,
  limitedPage,
  noAccessPage,
  questionPage,
  signedOutPage,
  signOutPage,
} from "../pages/trouble.ts";
import { PROVIDER_MARKS } from "../sign_in/provider_marks.ts";

const EMAIL = "ada@example.com";

const ADDED = [
  { id: "one", name: "Google Password Manager", at: new Date(Date.UTC(2026, 9, 1, 10)) },
  { id: "two", name: null, at: new Date(Date.UTC(2026, 9, 12, 10)) },
];

const passkeyWay = (look: Look) =>
  markup`<section>
<form method="post" action="/auth/second-factor" class="ways">
<button>${icon("key")}<span>${say(look, "Continue with a passkey")}</span></button>
</form>
</section>
`;

const WAYS: readonly Way[] = [
  { name: "Google", logo: PROVIDER_MARKS.google, action: "/auth/signin/google" },
  { name: "GitHub", logo: PROVIDER_MARKS.github, action: "/auth/signin/github", lastUsed: true },
  { name: "Apple", logo: PROVIDER_MARKS.apple, action: "/auth/signin/apple" },
  { name: "Übermorgen Identity Services of Northern Europe", action: "/auth/signin/x" },
];

const ENTRY: SignInView["forms"][number] = {
  id: "passwords",
  action: "/auth/signin",
  fields: [{ key: "email", label: "Email", type: "email", required: true }],
  submit: "Continue",
  forgot: null,
  link: null,
  lastUsed: null,
};

const SIGN_IN: SignInView = {
  ways: WAYS,
  buttons: [],
  forms: [ENTRY],
  hidden: { callbackUrl: "/inside" },
  values: new Map(),
  problem: null,
  byLinkAlone: false,
  signUp: "/auth/signup",
};

const WITH_PASSWORD: SignInView["forms"][number] = {
  ...ENTRY,
  fields: [...ENTRY.fields, {
    key: "password",
    label: "Password",
    type: "password",
    required: true,
  }],
  submit: "Sign in",
  forgot: "/auth/forgot",
  link: "/auth/signin/email",
  lastUsed: "form",
};

const problem = (look: Look, code: string, text: string) => ({ code, message: sayOwn(look, text) });
const WRONG_EMAIL = "Enter a whole email address, such as ada@example.com.";
const WRONG = "That email or password is wrong.";
const SHORT = "Use at least 15 characters";
const RESEND = { action: "/auth/resend", hidden: { email: EMAIL } };
const ENDS = { password: true, passkeys: 2, accounts: ["GitHub", "Google"] };

/** A page whose parts that open are open. */
function unfolded(page: Page): Page {
  return { ...page, body: { markup: page.body.markup.replaceAll("<details>", "<details open>") } };
}

function opened(about: LinkAbout, more = {}) {
  return (look: Look): Page =>
    openedLinkPage(look, {
      action: "/auth/confirm",
      hidden: { token: "t" },
      address: EMAIL,
      about,
      ...more,
    });
}

function password(more = {}) {
  return (look: Look): Page =>
    passwordPage(look, {
      action: "/auth/signin/password",
      email: EMAIL,
      change: "/auth/signin",
      forgot: "/auth/forgot",
      emailLink: { action: "/auth/signin/email" },
      ...more,
    });
}

const MANAGE: ManageView = {
  path: "/auth/second-factor/setup",
  since: new Date(Date.UTC(2026, 10, 22, 14, 20)),
  codes: 9,
  browsers: [{
    id: "hash",
    name: "Firefox on Windows",
    until: new Date(Date.UTC(2026, 10, 29, 14, 20)),
  }],
  account: "/auth/account",
};

const KEYS: ApiKeysView = {
  path: "/auth/api-keys",
  keys: [
    {
      id: "3Kf9",
      name: "Nightly export",
      permissions: ["posts:read"],
      createdAt: new Date(Date.UTC(2026, 0, 2)),
      expires: new Date(Date.UTC(2026, 3, 2)),
      lastUsedAt: new Date(Date.UTC(2026, 0, 5)),
      previousUntil: new Date(Date.UTC(2026, 0, 6, 12)),
      maker: "Ada Lovelace",
    },
    {
      id: "9Xw2",
      name: "The label printer in the warehouse of Friedrichshafen am Bodensee",
      permissions: ["posts:read", "posts:update:own", "*"],
      createdAt: new Date(Date.UTC(2025, 0, 2)),
      expires: new Date(Date.UTC(2025, 3, 2)),
      lastUsedAt: null,
      previousUntil: null,
    },
  ],
  permissions: [["posts:read", "Your data"], ["posts:update:own", "Profile"]],
  refused: null,
  fresh: true,
  signIn: "/auth/signin",
  now: Date.UTC(2026, 0, 5),
  tenant: null,
  back: "/auth/account",
};

/** A section as it stands on the account page. */
function apiKeySection(view: Partial<ApiKeysView> = {}): (look: Look) => Page {
  return (look) => ({
    title: say(look, "API keys"),
    bar: { signOut: { path: "/auth/signout", asks: false }, sections: [], links: [] },
    body: markup`<h1>${say(look, "Your account")}</h1>\n${
      section("api-keys", say(look, "API keys"), {
        lead: say(
          look,
          "For programs that use your data without you. You can revoke each one on its own.",
        ),
        content: apiKeyList(look, { ...KEYS, ...view }),
      })
    }`,
  });
}

const FAILED = { code: "X", message: "There is nothing at this address" };

const ROLES = [{ id: "editor", name: "Editor" }, { id: "owner", name: "Owner" }];

const TEAM: TeamView = {
  path: "/auth/team",
  team: { name: "Acme Ltd", slug: "acme" },
  members: [
    {
      id: "u1",
      name: "Ada Lovelace",
      email: EMAIL,
      roles: [ROLES[1]!],
      isSelf: true,
      choices: null,
      removable: false,
      heir: false,
    },
    {
      id: "u2",
      name: null,
      email: "a-very-long-address-of-somebody-without-a-name@department.example.com",
      roles: ROLES,
      isSelf: false,
      choices: ROLES,
      removable: true,
      heir: true,
    },
    {
      id: "u3",
      name: null,
      email: null,
      roles: [],
      isSelf: false,
      choices: null,
      removable: false,
      heir: false,
    },
  ],
  search: "",
  next: "/auth/team?team=acme&after=u3",
  invitations: {
    rows: [{
      id: "i1",
      email: "grace@example.com",
      roles: ["Editor"],
      expiresAt: new Date(Date.UTC(2026, 0, 12)),
      resendable: true,
      revocable: true,
    }],
    next: null,
    choices: ROLES,
  },
  sections: [],
  teams: [
    { name: "Acme Ltd", slug: "acme", current: true, home: "/t/acme" },
    { name: "Globex", slug: "globex", current: false, home: null },
  ],
  links: [
    markup`<a href="/auth/account">Your account</a>`,
    markup`<a href="/auth/admin">Users</a>`,
  ],
  closed: ["Initech"],
  byCookie: true,
  creates: true,
  typed: { email: {}, name: {} },
  signOut: { path: "/auth/signout", asks: false },
  problem: null,
  done: null,
};

const INVITATION: InvitationView = {
  action: "/auth/team/join",
  token: "token",
  team: "Acme Ltd",
  inviter: "Ada Lovelace",
  roles: ["Editor"],
  address: "grace@example.com",
  visitor: "same",
  user: "grace@example.com",
  ends: null,
  signIn: "/auth/signin",
  account: "/auth/account",
};

function invitationFor(changes: Partial<InvitationView>): (look: Look) => Page {
  return (look) => invitationPage(look, { ...INVITATION, ...changes });
}

/** Every page of a card in every state, by name, as its data make it. */
export const GALLERY: Readonly<Record<string, (look: Look) => Page>> = {
  "team": (look) => teamPageOf(look, { ...TEAM, done: say(look, "The invitation is on its way.") }),
  "team.member": (look) => teamPageOf(look, { ...TEAM, invitations: null, creates: false }),
  "team.nobody_found": (look) => teamPageOf(look, { ...TEAM, members: [], search: "zoe" }),
  "team.last_owner": (look) =>
    teamPageOf(look, {
      ...TEAM,
      problem: say(look, "A team keeps an owner. Make somebody else the owner first."),
    }),
  "team.none": (look) =>
    teamPageOf(look, {
      ...TEAM,
      team: null,
      members: [],
      invitations: null,
      next: null,
      teams: [],
      closed: [],
    }),
  "invitation": invitationFor({}),
  "invitation.new": invitationFor({ visitor: "new", user: null, inviter: null }),
  "invitation.known": invitationFor({ visitor: "known", user: null }),
  "invitation.other": invitationFor({ visitor: "other", user: EMAIL }),
  "invitation.unproved": invitationFor({
    visitor: "unproved",
    ends: { password: true, passkeys: 2, accounts: ["GitHub"] },
  }),
  "invitation.stuck": invitationFor({ visitor: "stuck" }),
  "invitation.ended": (look) => endedInvitationPage(look),
  "invitation.joined": (look) => joinedPage(look, { team: "Acme Ltd", signIn: "/auth/signin" }),
  "api_keys": apiKeySection(),
  "api_keys.refused": apiKeySection({ refused: "" }),
  "api_keys.none": apiKeySection({ keys: [], permissions: null }),
  "api_keys.not_fresh": apiKeySection({ fresh: false }),
  "api_key.new": (look) =>
    newKeyPage(look, {
      key: `acme_live_${"3Kf9Zq".repeat(3).slice(0, 17)}_${
        "aB3dE6gH9".repeat(5).slice(0, 43)
      }_1A2b3C`,
      name: "Nightly export",
      next: "/auth/account",
      previousUntil: new Date(Date.UTC(2026, 0, 6, 12)),
    }),
  "sign_in": (look) => signInPage(look, SIGN_IN),
  "sign_in.error": (look) =>
    signInPage(look, {
      ...SIGN_IN,
      values: new Map([["email", "ada@example"]]),
      problem: problem(look, "INVALID_EMAIL", WRONG_EMAIL),
    }),
  "sign_in.ended": (look) =>
    signInPage(look, {
      ...SIGN_IN,
      problem: problem(look, "SESSION_EXPIRED", "Your session ended. Sign in to go on."),
    }),
  "sign_in.refused": (look) =>
    signInPage(look, {
      ...SIGN_IN,
      problem: problem(look, "ACCESS_DENIED", "You are not allowed to sign in."),
    }),
  "sign_in.email_only": (look) =>
    signInPage(look, { ...SIGN_IN, ways: [], byLinkAlone: true, signUp: null }),
  "sign_in.credentials": (look) =>
    signInPage(look, { ...SIGN_IN, forms: [WITH_PASSWORD], signUp: null }),
  "sign_in.wrong": (look) =>
    signInPage(look, {
      ...SIGN_IN,
      forms: [WITH_PASSWORD],
      values: new Map([["email", EMAIL]]),
      problem: problem(look, "INVALID_CREDENTIALS", WRONG),
    }),
  "sign_in.empty": (look) => signInPage(look, { ...SIGN_IN, ways: [], forms: [], signUp: null }),
  "sign_in_password": password(),
  "sign_in_password.error": (look) => password({ error: sayOwn(look, WRONG) })(look),
  "sign_up": (look) =>
    signUpPage(look, {
      action: "/auth/signup",
      signIn: "/auth/signin",
      ways: WAYS.slice(0, 2),
      name: {},
      email: {},
      password: { min: 15 },
    }),
  "sign_up.error": (look) =>
    signUpPage(look, {
      action: "/auth/signup",
      signIn: "/auth/signin",
      name: { value: "Ada Lovelace" },
      email: { value: "ada@example", error: sayOwn(look, WRONG_EMAIL) },
      password: { min: 15, error: sayOwn(look, SHORT) },
    }),
  "check_your_mail": (look) =>
    checkMailPage(look, {
      address: EMAIL,
      code: { action: "/auth/code" },
      resend: RESEND,
      change: "/auth/signin",
    }),
  "check_your_mail.error": (look) =>
    checkMailPage(look, {
      address: EMAIL,
      code: {
        action: "/auth/code",
        value: "318 204",
        error: say(look, "That code doesn’t match. Only the newest one works."),
      },
      resend: RESEND,
      change: "/auth/signin",
    }),
  "check_your_mail.resent": (look) =>
    checkMailPage(look, {
      address: "ada.lovelace@gmail.com",
      code: { action: "/auth/code" },
      resend: RESEND,
      resent: true,
      change: "/auth/signin",
    }),
  "check_your_mail.link": (look) =>
    checkMailPage(look, {
      address: `a.very.long.name.that.goes.on.and.on@subdomain.of.a.long.domain.example`,
      code: null,
      resend: RESEND,
      resent: true,
      change: "/auth/signin",
    }),
  "check_your_mail.unknown": (look) =>
    checkMailPage(look, { address: null, code: null, resend: null, change: "/auth/signin" }),
  "verify": opened("sign-in"),
  "verify.elsewhere": opened("sign-in", { elsewhere: true, ends: ENDS }),
  "verify.sign_up": opened("sign-up"),
  "verify.sign_up_elsewhere": opened("sign-up", {
    elsewhere: true,
    password: { ask: "chosen", min: 15, other: "/auth/confirm?new" },
  }),
  "verify.sign_up_new": (look) =>
    opened("sign-up", {
      password: { ask: "new", min: 15, error: sayOwn(look, SHORT) },
    })(look),
  "verify.change": opened("change-email"),
  "verify.confirm": opened("confirm-email"),
  "verify.expired": (look) =>
    expiredLinkPage(look, {
      action: "/auth/signin/email",
      email: EMAIL,
      seconds: 900,
      signIn: "/auth/signin",
    }),
  "verify.expired_unknown": (look) =>
    expiredLinkPage(look, {
      action: "/auth/signin/email",
      email: null,
      seconds: null,
      signIn: "/auth/signin",
    }),
  "done": (look) =>
    donePage(look, {
      title: say(look, "Your email address"),
      text: say(look, "Your address is confirmed."),
      next: { href: "/auth/account", label: say(look, "Go to your account") },
    }),
  "forgot": (look) =>
    forgotPage(look, { action: "/auth/forgot", signIn: "/auth/signin", email: {} }),
  "forgot.sent": (look) =>
    forgotSentPage(look, {
      address: EMAIL,
      seconds: 900,
      signIn: "/auth/signin",
      resend: RESEND,
      resent: true,
    }),
  "new_password": (look) =>
    newPasswordPage(look, {
      action: "/auth/password",
      hidden: { token: "t" },
      email: EMAIL,
      change: "/auth/signin",
      password: { min: 15 },
      signsIn: true,
    }),
  "new_password.error": (look) =>
    newPasswordPage(look, {
      action: "/auth/password",
      hidden: {},
      email: EMAIL,
      password: { min: 15, error: sayOwn(look, SHORT) },
      current: {},
      signsIn: false,
    }),
  "new_password.passkeys": (look) =>
    newPasswordPage(look, {
      action: "/auth/password",
      hidden: {},
      email: EMAIL,
      password: { min: 15 },
      signsIn: false,
      added: addedPasskeys(look, ADDED, { ticks: true }),
    }),
  "new_password.passkeys_shown": (look) =>
    newPasswordPage(look, {
      action: "/auth/password",
      hidden: {},
      email: EMAIL,
      password: { min: 15 },
      signsIn: false,
      added: addedPasskeys(look, ADDED, { ticks: false }),
    }),
  "passkey.remove": (look) =>
    removalPage(look, { action: "/auth/passkey/remove", hidden: {}, name: "Chrome", at: AT }),
  "passkey.removed": (look) => passkeyRemovedPage(look, { reset: "/auth/forgot" }),
  "passkey.remove_over": (look) => removalOverPage(look, { next: "/auth/account" }),
  "passkey.next_time": (look) => {
    const { markup: hidden } = nextTimePart(look, {
      action: "/auth/passkey/register",
      options: "/auth/passkey/options/register",
      callbackUrl: "/",
      messages: markup``,
    });
    const title = say(look, "Passkeys");
    // As the script shows it.
    const shown = { markup: hidden.replaceAll(" hidden", "") };
    return { title, body: markup`<h1>${title}</h1>\n${shown}` };
  },
  "sign_out": (look) => signOutPage(look, { action: "/auth/signout" }),
  "signed_out": (look) => signedOutPage(look, { signIn: "/auth/signin" }),
  "confirm": (look) =>
    signInPage(look, {
      ...SIGN_IN,
      problem: {
        code: "REAUTHENTICATION_REQUIRED",
        message: sayOwn(look, "Sign in again to continue."),
      },
      confirm: { email: EMAIL, user: EMAIL, other: "/auth/signin", cancel: "/auth/account" },
    }),
  "question": (look) =>
    questionPage(look, {
      title: say(look, "Delete your account?"),
      text: say(
        look,
        "This cannot be undone: it deletes the account of {address} and signs you out everywhere. You lose with it:",
        { address: markup`<b><bdi>${EMAIL}</bdi></b>` },
      ),
      losses: [say(look, "Your name"), say(look, "Memberships of teams")],
      action: "/auth/account/delete",
      button: say(look, "Delete account"),
      cancel: { href: "/auth/account", label: say(look, "Keep it") },
    }),
  "second_factor": (look) =>
    stepPage(look, {
      action: "/auth/second-factor",
      hidden: {},
      recovery: false,
      other: "/auth/second-factor?way=recovery",
      trust: 2_592_000,
    }),
  "second_factor.error": (look) =>
    stepPage(look, {
      action: "/auth/second-factor",
      hidden: {},
      recovery: false,
      other: "/auth/second-factor?way=recovery",
      trust: 2_592_000,
      error: say(
        look,
        "That code is wrong, or it has been used before. Wait for the next one and try again.",
      ),
    }),
  "second_factor.passkey": (look) =>
    passkeyStepPage(look, {
      ways: [passkeyWay(look)],
      setUp: null,
      signIn: "/auth/signin",
    }),
  "second_factor.passkey_of_session": (look) =>
    passkeyStepPage(look, {
      ways: [passkeyWay(look)],
      setUp: "/auth/second-factor/setup",
      signIn: "/auth/signin",
    }),
  "second_factor.recovery": (look) =>
    stepPage(look, {
      action: "/auth/second-factor",
      hidden: { way: "recovery" },
      recovery: true,
      other: "/auth/second-factor",
      trust: null,
      error: say(look, "That recovery code is wrong, or it has been used before."),
      problem: say(
        look,
        "There have been too many wrong codes today. Use a recovery code, or a passkey if you have one.",
      ),
    }),
  "second_factor.lost": (look) =>
    stepPage(look, {
      action: "/auth/second-factor",
      hidden: {},
      recovery: true,
      other: "/auth/second-factor",
      trust: 2_592_000,
      lost: { href: "/auth/second-factor/recovery", isOpen: false },
    }),
  "second_factor.lost_open": (look) =>
    stepPage(look, {
      action: "/auth/second-factor",
      hidden: {},
      recovery: false,
      other: "/auth/second-factor?way=recovery",
      trust: null,
      lost: { href: "/auth/second-factor/recovery", isOpen: true },
    }),
  ...Object.fromEntries(
    (["none", "asked", "open", "cancelled"] as const).map((status) => [
      `second_factor.recovery_${status}`,
      (look: Look) => recoveryPage(look, { ...RECOVERY, status }),
    ]),
  ),
  "second_factor.recovery_refused": (look) =>
    recoveryPage(look, {
      ...RECOVERY,
      status: "none",
      problem: sayOwn(
        look,
        new SecondFactorError(undefined, { code: "SECOND_FACTOR_RECOVERY_REFUSED" }).message,
      ),
    }),
  "second_factor.recovery_early": (look) =>
    recoveryPage(look, {
      ...RECOVERY,
      status: "asked",
      problem: sayOwn(
        look,
        new SecondFactorError(undefined, { code: "SECOND_FACTOR_RECOVERY_EARLY" }).message,
      ),
    }),
  "second_factor.recovery_cancel": (look) =>
    cancelRecoveryPage(look, {
      action: "/auth/second-factor/recovery/cancel",
      hidden: { request: "hash", token: "token" },
      from: AT,
    }),
  "second_factor.recovery_notice": (look) => ({
    title: say(look, "Your account"),
    body: markup`<h1>${say(look, "Your account")}</h1>${
      recoveryNotice(look, { action: "/auth/second-factor/recovery/cancel", from: AT })
    }`,
  }),
  "second_factor.over": (look) => stepOverPage(look, { signIn: "/auth/signin", tries: false }),
  "second_factor.tries": (look) => stepOverPage(look, { signIn: "/auth/signin", tries: true }),
  "second_factor_setup": (look) =>
    setUpPage(look, {
      action: "/auth/second-factor/setup",
      hidden: { setUp: "sealed" },
      secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
      uri:
        "otpauth://totp/Acme:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Acme",
      modules: Array.from({ length: 37 }, (_, y) =>
        Array.from({ length: 37 }, (_, x) => (x * y) % 3 === 0)),
      account: "/auth/account",
    }),
  "second_factor_setup.codes": (look) =>
    recoveryCodesPage(look, {
      codes: Array.from({ length: 10 }, (_, index) => `7kq4-m2xr-td${index % 6 + 2}p-9whc`),
      next: "/auth/account",
    }),
  "second_factor_setup.on": (look) => managePage(look, MANAGE),
  "second_factor_setup.asks": (look) => unfolded(managePage(look, MANAGE)),
  "second_factor.section": (look) => ({
    title: say(look, "Two-step sign-in"),
    hasLists: true,
    body: markup`<h1>${say(look, "Two-step sign-in")}</h1>${
      secondFactorSection(look, { path: "/auth/second-factor/setup", since: null })
    }${secondFactorSection(look, { path: "/auth/second-factor/setup", since: AT })}`,
  }),
  "error": (look) => errorPage(look, { code: "OAUTH_UNAVAILABLE", signIn: "/auth/signin" }),
  "error.unknown": (look) => errorPage(look, { code: null, signIn: "/auth/signin" }),
  "error.limited": (look) =>
    limitedPage(look, {
      seconds: 700,
      now: Date.UTC(2026, 10, 22, 14, 20),
      emailLink: { action: "/auth/signin/email" },
      forgot: "/auth/forgot",
      signIn: "/auth/signin",
    }),
  "error.limited_alone": (look) => limitedPage(look, { seconds: null, signIn: "/auth/signin" }),
  "error.no_access": (look) => noAccessPage(look, { user: EMAIL, signOut: "/auth/signout" }),
  ...Object.fromEntries(
    [400, 401, 403, 404, 429, 503, 500].map((status) => [
      `error.${status}`,
      (look: Look) =>
        failedPage(look, {
          ...FAILED,
          status,
          ...status >= 500 && { requestId: "0d6c5a1e-8a6c-4f0e-9d0f-2f1a9f6b8c11" },
        }, null),
    ]),
  ),
};

const URL = "https://acme.example/auth/callback/email?token=Kx7fQ2mVbT9wLz4R8nPq3sYd6hJc1gXe";
const AT = new Date(Date.UTC(2026, 10, 22, 14, 20));

const RECOVERY = {
  action: "/auth/second-factor/recovery",
  finish: "/auth/second-factor/recovery/finish",
  hidden: {},
  back: "/auth/second-factor",
  after: 259_200,
  from: AT,
  until: new Date(AT.getTime() + 604_800_000),
};

/** Every mail, by name. */
export const MAILS: Readonly<Record<string, (look: Look) => MailText>> = {
  "sign_in_link": (look) => signInMail(look, { url: URL, seconds: 900 }),
  "sign_in_ends": (look) => signInMail(look, { url: URL, seconds: 900, ends: true }),
  "sign_in_code": (look) => signInMail(look, { url: URL, code: "482913", seconds: 600 }),
  "invitation": (look) =>
    invitationMail(look, {
      team: "Acme Ltd",
      inviter: "Ada Lovelace",
      address: EMAIL,
      url: URL,
      seconds: 604_800,
    }),
  "invitation_unnamed": (look) =>
    invitationMail(look, {
      team: "Acme Ltd",
      inviter: null,
      address: EMAIL,
      url: URL,
      seconds: 604_800,
    }),
  "verification": (look) => verificationMail(look, { url: URL, seconds: 86_400 }),
  "reset": (look) => resetMail(look, { url: URL, seconds: 3600 }),
  "known_account": (look) =>
    knownAccountMail(look, { signIn: URL, reset: "https://acme.example/auth/forgot" }),
  ...Object.fromEntries(
    ([
      "added",
      "removed",
      "codes",
      "recovery",
      "closed",
      "recovery-requested",
      "recovery-cancelled",
    ] as const).map((news) => [
      `second_factor_${news.replace("-", "_")}`,
      (look: Look) =>
        secondFactorMail(look, {
          news,
          at: AT,
          left: 9,
          url: URL,
          ...news === "recovery-requested" && { from: new Date(AT.getTime() + 259_200_000) },
        }),
    ]),
  ),
  "passkey_added": (look) => passkeyMail(look, { isAdded: true, at: AT, url: URL }),
  "passkey_removed": (look) => passkeyMail(look, { isAdded: false, at: AT, url: URL }),
  "automatic_passkey": (look) =>
    automaticPasskeyMail(look, { at: AT, name: "Chrome", url: URL, seconds: 604_800 }),
  "second_factor_reset": (look) => factorResetMail(look, { at: AT, url: URL }),
  "password_changed": (look) => passwordChangedMail(look, { at: AT, reset: URL }),
  "password_changed_passkeys": (look) =>
    passwordChangedMail(look, {
      at: AT,
      reset: URL,
      passkeys: 2,
      account: "https://acme.example/auth/account",
    }),
  "new_device": (look) =>
    newDeviceMail(look, {
      address: EMAIL,
      at: AT,
      browser: "Firefox on Windows",
      place: "192.0.2.x",
      account: URL,
    }),
  "email_change_old": (look) =>
    emailChangeMail(look, { part: "old", newEmail: "new@example.com", url: URL, seconds: 3600 }),
  "email_confirmation": (look) =>
    emailChangeMail(look, { part: "own", newEmail: EMAIL, url: URL, seconds: 3600 }),
  "email_change_new": (look) =>
    emailChangeMail(look, { part: "new", newEmail: "new@example.com", url: URL, seconds: 3600 }),
};
