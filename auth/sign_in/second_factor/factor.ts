/**
 * The second factor of a user: its options, the check of a code, recovery codes, trusted browsers, and what a session has
 * proved.
 *
 * @module
 */

import type { RequestStore, Settings } from "../../core/contracts.ts";
import { readHostCookie, writeHostCookie } from "../../session/cookie.ts";
import { SecondFactorError } from "../../errors.ts";
import { hashText } from "../../lib/hash.ts";
import { seal, unseal } from "../../lib/keys.ts";
import { createSecret, isSecret, randomBytes } from "../../lib/secret.ts";
import { rolesOf } from "../../rbac/permissions.ts";
import { passkeyGroup } from "../../storage/passkeys.ts";
import {
  secondFactorGroup,
  type SecondFactorMeans,
  type SecondFactorStorage,
} from "../../storage/second_factors.ts";
import { groupOf } from "../../storage/storage.ts";
import type { AuthContext, DefaultEnv } from "../../types/application.ts";
import type { Awaitable } from "../../types/callbacks.ts";
import type { SecondFactorNews } from "../../pages/mails.ts";
import type { User } from "../../types/user.ts";
import { findStep, isTotpCode, toBase32 } from "./totp.ts";

/** A mail about two-step sign-in, ready to be sent. */
export interface SecondFactorMail {
  /** Its subject, for mails that an application writes itself. */
  kind: SecondFactorNews;
  /** The recipient: one plain address, its domain as A-labels. Use it as the only recipient, as it is. */
  to: string;
  /** Subject, in the language of the visitor. */
  subject: string;
  /** Plain text. */
  text: string;
  /** The same as HTML, in the looks of the application's theme. */
  html: string;
  /**
   * The link in it, to the page on which two-step sign-in is looked after; of `recovery-requested` to the one on which the
   * request is cancelled, which is a secret.
   */
  url: string;
  /** Time at which the request is over to which the link leads; null for a link that does not end. */
  expires: Date | null;
}

/** The way back for who has lost all second factors. */
export interface SecondFactorRecovery {
  /**
   * Seconds from a request until it takes effect, 86,400 to 2,592,000 (1 to 30 days), in which its owner can cancel it.
   * Default 259,200 (72 hours).
   */
  after?: number;
}

/** Options for `secondFactor()`. */
export interface SecondFactorConfig<Env = DefaultEnv> {
  /**
   * Tells the owner of an account by mail that its second factor was turned on or off, that recovery codes were replaced or
   * used, that there were too many wrong codes, or of a request for recovery. What it throws is logged, and fails nothing but
   * such a request. Default: in development
   * the mails go to the terminal and to `/auth/dev/mail`; in production it must be given.
   */
  sendMail?(mail: SecondFactorMail, context: AuthContext<Env>): Awaitable<unknown>;
  /** Name of the application in authenticator apps. Default: the name of the theme, else the host. */
  issuer?: string;
  /**
   * Seconds for which a browser can be trusted, 0 to 7,776,000 (90 days): there a sign-in asks for no second factor. 0: no
   * browser can. Default 2,592,000 (30 days).
   */
  trustBrowsersFor?: number;
  /**
   * Says if a user must have a second factor: at the end of each sign-in, for its place and for each tenant of which they are a
   * member, where who has none turns one on before there is a session; and in each request of a tenant, where a session
   * that has proved none counts for nobody. The user's `roles` are all roles of the site, that of `role` too. Whatever is
   * not `false` is a yes. Default: nobody must.
   */
  required?(user: User, about: SecondFactorQuestion): Awaitable<boolean>;
  /**
   * Lets somebody who has lost the app and the recovery codes ask for the removal of the factor, in a sign-in by password or
   * passkey. The owner is told at once, by mail and on the account page, and can cancel it; what is not cancelled takes
   * effect after the delay, for a week, in a new sign-in of that kind. Default: nobody can, and
   * `resetSecondFactor()` is the only way back.
   */
  recovery?: SecondFactorRecovery;
}

/** About the sign-in or the request for which `required()` is asked. */
export interface SecondFactorQuestion {
  /** Id of the tenant of which it is asked; null in none. */
  tenantId: string | null;
  /** Roles of the user as a member of that tenant; empty for who is none. */
  memberRoles: readonly string[];
}

/** Validated options of `secondFactor()`. */
export interface CheckedSecondFactor {
  /** Id of the module, and of the provider in its events. */
  id: "second-factor";
  /** See {@linkcode SecondFactorConfig}. */
  send: NonNullable<SecondFactorConfig<unknown>["sendMail"]>;
  /** See {@linkcode SecondFactorConfig}. */
  issuer: string | null;
  /** See {@linkcode SecondFactorConfig}; in milliseconds. */
  trust: number;
  /** See {@linkcode SecondFactorConfig}. */
  required: SecondFactorConfig<unknown>["required"];
  /** Delay of a request for recovery, in milliseconds; null where there are none. */
  recovery: number | null;
}

/** Paths below `basePath`. */
export const PATHS = {
  step: "/second-factor",
  setUp: "/second-factor/setup",
  off: "/second-factor/setup/off",
  // Beside those of the sign-in, whose script finds its other paths by it.
  passkey: "/passkey/options/second-factor",
  codes: "/second-factor/setup/codes",
  browsers: "/second-factor/setup/browsers",
  recovery: "/second-factor/recovery",
  recoveryCancel: "/second-factor/recovery/cancel",
  recoveryFinish: "/second-factor/recovery/finish",
} as const;

/** Means by which a second factor was proved. */
export type ProvedBy = Extract<SecondFactorMeans, "totp" | "recovery" | "passkey">;

const DAY = 86_400_000;
const TRIES_A_DAY = 20;
const RECOVERY_CODES = 10;
// 80 bits each, which nobody guesses: a fast hash is enough.
const RECOVERY_BYTES = 10;
const KEPT_BROWSERS = 10;
/** Time for which a row tells what a session has proved, in milliseconds: no session of a browser is older. */
const SESSION_LIFE = 400 * DAY;

/** Operations on second factors of an application's storage. */
export function factorsOf({ storage }: Pick<Settings, "storage">): SecondFactorStorage {
  return groupOf(storage, secondFactorGroup);
}

/** True for a user who has a passkey, where passkeys are a factor: it stands for the app of who has none. */
export async function hasPasskey(
  { providers, storage }: Pick<Settings, "providers" | "storage">,
  userId: string,
): Promise<boolean> {
  if (![...providers.values()].some(({ factor }) => factor !== undefined)) return false;
  return (await groupOf(storage, passkeyGroup).listPasskeys(userId)).length > 0;
}

/** True where a user must have a second factor: at this place, or in a tenant of which they are a member. */
export async function mustHaveFactor(
  { tenancy }: Pick<Settings, "tenancy">,
  { required }: Pick<CheckedSecondFactor, "required">,
  { user, tenantId }: { user: User; tenantId: string | null },
): Promise<boolean> {
  if (required === undefined) return false;
  const holder = { ...user, roles: rolesOf(user) };
  const places = new Map<string | null, readonly string[]>([[tenantId, []]]);
  const members = tenancy?.members;
  let cursor: string | null | undefined;
  while (members && cursor !== null) {
    const page = await members.listOfUser(user.id, cursor === undefined ? {} : { cursor });
    for (const member of page.members) places.set(member.tenantId, member.roles);
    cursor = page.cursor;
  }
  for (const [place, memberRoles] of places) {
    if (await required(holder, { tenantId: place, memberRoles }) !== false) return true;
  }
  return false;
}

/** Path of the account page where there is one, else the start page. */
export function accountPath({ auth: { settings: { basePath, modules } } }: RequestStore): string {
  return modules.some(({ id }) => id === "account") ? `${basePath}/account` : "/";
}

/** Seals a text for one place, where alone it opens. */
export function sealFor({ secrets }: Pick<Settings, "secrets">, text: string, place: string) {
  return seal(text, { secrets, purpose: "second-factor", place });
}

/** Opens what {@linkcode sealFor} made for the same place; else null. */
export function openFor({ secrets }: Pick<Settings, "secrets">, text: string, place: string) {
  return unseal(text, { secrets, purpose: "second-factor", place });
}

/** Place of the shared secret of a user. */
export function placeOfSecret(userId: string): string {
  return `totp\n${userId}`;
}

/** Makes recovery codes, as their owner reads them. */
export function createRecoveryCodes(): string[] {
  return Array.from(
    { length: RECOVERY_CODES },
    () => toBase32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g)!.join("-"),
  );
}

/** Hash stored for a recovery code, in whatever way it is typed. */
export async function hashRecoveryCode(userId: string, typed: string): Promise<string> {
  return await hashText(`${userId}\n${typed.toLowerCase().replace(/[^a-z2-7]/g, "")}`);
}

/** A user's answer to the question for the second factor. */
export interface Answer {
  /** Typed text. */
  code: string;
  /** Told when the last try of the day was wrong. */
  closed(): void;
  /** Told when a recovery code was taken, with how many are left. */
  recovered(left: number): void;
}

/** Checks a code of the app. Each try is counted before it is looked at, so that of any number at once 20 a day are. */
async function proveTotp(store: RequestStore, userId: string, answer: Answer): Promise<boolean> {
  const { auth: { settings }, report } = store;
  const { now, logger } = settings;
  const at = now();
  const factors = factorsOf(settings);
  const factor = await factors.tryCode(userId, { at, since: at - DAY, max: TRIES_A_DAY });
  if (factor === null) {
    // Of who has a passkey alone no code is right.
    if (await factors.readFactor(userId) === null) return false;
    throw new SecondFactorError(undefined, { code: "SECOND_FACTOR_CLOSED" });
  }
  const secret = await openFor(settings, factor.secret, placeOfSecret(userId));
  if (secret === null) {
    logger.error("second-factor-unreadable", {
      requestId: store.requestId(),
      userId,
      message: "The secret of a second factor was sealed with a `secret` that is not configured",
    });
  }
  const step = secret === null ? null : await findStep(secret, answer.code, at);
  if (step !== null) {
    if (await factors.takeStep(userId, step, factor.secret)) return true;
    // Its secret may have been sealed anew meanwhile, by `resealSecrets()`: it is the same one.
    const { secret: anew, createdAt } = await factors.readFactor(userId) ?? factor;
    const isSame = anew !== factor.secret && createdAt === factor.createdAt;
    if (isSame && await factors.takeStep(userId, step, anew)) return true;
    // Its owner has pressed twice, or somebody has seen it. Either way it was the right one: it closes nothing.
    report({ type: "replay-detected", provider: "second-factor", userId });
    return false;
  }
  if (factor.tries >= TRIES_A_DAY) {
    report({ type: "second-factor-closed", userId });
    answer.closed();
  }
  return false;
}

/**
 * Checks what somebody has typed who has proved the first factor: a code of the app or a recovery code, each of which is
 * accepted once.
 *
 * @throws {SecondFactorError} When it is wrong, or when there have been too many wrong codes today.
 */
export async function proveFactor(
  store: RequestStore,
  userId: string,
  { code: typed, ...told }: Answer,
): Promise<ProvedBy> {
  const { auth: { settings }, report } = store;
  const code = typed.replace(/[\s-]/g, "");
  let proved: ProvedBy | null = null;
  if (isTotpCode(code)) {
    if (await proveTotp(store, userId, { code, ...told })) proved = "totp";
  } else if (code !== "") {
    const factors = factorsOf(settings);
    if (await factors.takeRecoveryCode(userId, await hashRecoveryCode(userId, code))) {
      proved = "recovery";
      report({ type: "recovery-code-used", userId });
      told.recovered(await factors.countRecoveryCodes(userId));
    }
  }
  if (proved !== null) return proved;
  const error = new SecondFactorError();
  report({ type: "sign-in-failed", provider: "second-factor", code: error.code, userId });
  throw error;
}

/** Stores what a session has proved; a moment of 0 is never fresh. */
export async function markSession(
  settings: Settings,
  { sessionId, userId, method, at = settings.now() }: {
    sessionId: string;
    userId: string;
    method: SecondFactorMeans;
    at?: number;
  },
): Promise<void> {
  const expiresAt = settings.now() + SESSION_LIFE;
  await factorsOf(settings).putSessionFactor({ sessionId, userId, method, at, expiresAt });
}

const TRUSTED = "framework.trusted";
const KEPT_IDS = 4;

/** Of the user too: the ids of a browser's users stand in one cookie, and the table links none of them. */
async function hashBrowser(id: string, userId: string): Promise<string> {
  return await hashText(`${id}\n${userId}`);
}

/** Ids of a browser, the newest first: several people may trust it. */
function readIds(store: RequestStore): string[] {
  return (readHostCookie(store, TRUSTED) ?? "").split(".").filter(isSecret).slice(0, KEPT_IDS);
}

/** True where this user has trusted the browser of a request, and the trust still counts. */
export async function isTrusted(store: RequestStore, userId: string): Promise<boolean> {
  const ids = readIds(store);
  if (ids.length === 0) return false;
  const { settings } = store.auth;
  const hashes = await Promise.all(ids.map((id) => hashBrowser(id, userId)));
  const trusted = await factorsOf(settings).listTrustedBrowsers(userId, settings.now());
  return trusted.some(({ idHash }) => hashes.includes(idHash));
}

/** Trusts the browser of a request, for this user. */
export async function trustBrowser(
  store: RequestStore,
  { trust }: CheckedSecondFactor,
  userId: string,
): Promise<void> {
  const { settings } = store.auth;
  // Never one that the browser has brought: it may be planted, or a copy from before the trust was ended.
  const id = createSecret();
  const createdAt = settings.now();
  await factorsOf(settings).putTrustedBrowser({
    idHash: await hashBrowser(id, userId),
    userId,
    userAgent: store.request.headers.get("user-agent")?.slice(0, 256) ?? null,
    createdAt,
    expiresAt: createdAt + trust,
  }, { keep: KEPT_BROWSERS });
  const value = [id, ...readIds(store)].slice(0, KEPT_IDS).join(".");
  writeHostCookie(store, { name: TRUSTED, value, maxAge: Math.floor(trust / 1000) });
}
