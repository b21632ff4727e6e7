/**
 * The page of a team.
 *
 * @module
 */

import type {
  AccountSection,
  Endpoint,
  EndpointContext,
  EndpointEntry,
  Look,
  RequestStore,
  Settings,
} from "../core/contracts.ts";
import { knownErrorMessage, withErrorHeaders } from "../core/error_response.ts";
import type { Provider } from "../core/provider.ts";
import { doneResponse, ownRedirect } from "../core/redirect.ts";
import { reportChange } from "../core/report.ts";
import { prefersJson } from "../core/request.ts";
import {
  type AuthError,
  ConfigurationError,
  ForbiddenError,
  isAuthError,
  RateLimitedError,
  ReauthenticationRequiredError,
  RedirectError,
  RequestError,
  TenantExistsError,
} from "../errors.ts";
import { readFields } from "../lib/body.ts";
import { otherPlaces, type PlacedModule } from "../account/sections.ts";
import { checkKeys, isOptions, wrongOption } from "../lib/options.ts";
import { type Html, markup } from "../lib/html.ts";
import { lookOf, pageResponse, say } from "../pages/frame.ts";
import { link } from "../pages/parts.ts";
import { type MemberView, type RoleView, teamPageOf, type TeamView } from "../pages/team.ts";
import type { PageText } from "../pages/texts.ts";
import { errorText, knownError, retryAfterOf, waitText } from "../pages/trouble.ts";
import { limitHeaders, limitKey, secondsOf } from "../rate_limit/keys.ts";
import { limitsOf } from "../rate_limit/sign_in.ts";
import { groupOf } from "../storage/storage.ts";
import { MOST_USERS, teamGroup } from "../storage/teams.ts";
import { isSlug } from "../tenant/validation.ts";
import type { DefaultEnv, SendMail } from "../types/application.ts";
import type { Member, Tenant } from "../types/tenant.ts";
import type { User } from "../types/user.ts";
import {
  inviteTo,
  JOIN_PATH,
  mayRevoke,
  readAge,
  readInvitations,
  resendFrom,
  revokeFrom,
} from "./invitations.ts";
import { acceptInvitation, showInvitation, switchAccount } from "./join.ts";
import { exportTeams, giveTeamsUp } from "./account.ts";
import { changeRoles, handOver, KEEPS_OWNER, leaveTeam, removeFromTeam } from "./members.ts";
import { INVITE, MANAGE, mayGive, mayInTeam, mayTake, OWNER, teamRoles } from "./rights.ts";
import {
  actIn,
  type Acting,
  enterTeam,
  homeOf,
  PART,
  requirePerson,
  TEAM_PATH,
  type TeamModule,
  type TeamOptions,
  teamOptionsOf,
  tenancyOf,
} from "./team.ts";

/** Options for `teamPage()`. */
export interface TeamPageOptions<Env = DefaultEnv> {
  /** Sends the mails with invitations. */
  sendMail: SendMail<Env>;
  /** Seconds for which an invitation holds, 60 to 31,536,000. Default 604,800, a week. */
  expires?: number;
  /**
   * Most invitations that an owner sends on the first day of the membership, 1 to 1000; afterwards 20 in an hour are. Who
   * has just made an account could otherwise write to many strangers in the name of the application. Default 20.
   */
  firstInvitations?: number;
  /**
   * Allows users to make a team, whose owner they are: all who have proved their address, or those of whom a function
   * says true. Five in a day. Default false.
   */
  canCreate?: boolean | ((user: User) => boolean | Promise<boolean>);
  /**
   * Further names that no team made by a user has in addresses, beside such as "www", "api", "login" and "admin": those of
   * your own pages and hosts. A team of that name gets some letters more. Default: none.
   */
  reservedSlugs?: readonly string[];
}

// Hosts and paths that visitors, browsers and mail servers take for the site's own (RFC 2142, RFC 6762, autoconfiguration).
const RESERVED_SLUGS: readonly string[] =
  /* @__PURE__ */ "www,api,app,auth,login,signin,signup,signout,logout,register,account,accounts,admin,administrator,root,security,abuse,postmaster,hostmaster,webmaster,noreply,mail,smtp,imap,pop,ftp,ns1,ns2,mx,dns,wpad,isatap,autoconfig,autodiscover,localhost,local,static,assets,cdn,media,img,images,files,download,downloads,docs,help,support,status,blog,news,shop,billing,pay,payments,dashboard,settings,team,teams,user,users,internal,staging,test,dev,demo,beta,sso,oauth,oidc,saml,id,identity,secure,portal,console,webmail,email,vpn,git,hooks,webhooks,mta-sts,openpgpkey"
    .split(",");

const WEEK = 604_800;

// Most members that one search looks at; the rest is behind a link.
const SEARCHED = 500;

function readOptions(options: unknown): TeamOptions {
  if (!isOptions(options)) throw wrongOption("teamPage()", options, "an object with sendMail");
  const known = ["sendMail", "expires", "canCreate", "reservedSlugs", "firstInvitations"];
  checkKeys(options, known, "");
  const { sendMail, expires, canCreate = false, reservedSlugs = [] } = options;
  const { firstInvitations = 20 } = options;
  if (typeof sendMail !== "function") {
    throw wrongOption("sendMail", sendMail, "a function that is given the mail");
  }
  if (typeof canCreate !== "boolean" && typeof canCreate !== "function") {
    throw wrongOption("canCreate", canCreate, "true, false, or a function that is given the user");
  }
  if (!Array.isArray(reservedSlugs) || !reservedSlugs.every(isSlug)) {
    throw wrongOption("reservedSlugs", reservedSlugs, 'a list of slugs, such as ["pricing"]');
  }
  const isCount = typeof firstInvitations === "number" && Number.isInteger(firstInvitations) &&
    firstInvitations >= 1 && firstInvitations <= 1000;
  if (!isCount) {
    throw wrongOption("firstInvitations", firstInvitations, "a whole number from 1 to 1000");
  }
  return {
    reserved: new Set([...RESERVED_SLUGS, ...reservedSlugs]),
    send: sendMail as SendMail<unknown>,
    expires: readAge(expires, WEEK),
    firstInvitations,
    canCreate: canCreate as TeamOptions["canCreate"],
  };
}

function check(settings: Settings): void {
  const { tenancy, rbac } = settings;
  // First what no binding changes: it is then found before there is a database.
  if (rbac !== null && rbac.teamRoles === undefined) {
    throw new ConfigurationError(
      "teamPage() needs the roles of teams, a list beside the roles of the site, since whoever owns a team could " +
        "otherwise make administrators of the site. Add to defineRBAC() (app/auth/rbac.ts): " +
        `teamRoles: [{ id: "${OWNER}", name: "Owner", permissions: ["team:*"] }, ` +
        '{ id: "member", name: "Member", permissions: [] }]',
      { field: "rbac.teamRoles" },
    );
  }
  if (!teamRoles(settings).some(({ id }) => id === OWNER)) {
    throw new ConfigurationError(
      `teamPage() needs a role with the id "${OWNER}" among teamRoles of defineRBAC(), for those who make teams`,
      { field: "rbac.teamRoles" },
    );
  }
  if (!settings.hasDatabase) {
    throw wrongOption("database", undefined, "a database, which teamPage() needs");
  }
  if (tenancy === null || tenancy.members === null) {
    throw wrongOption(
      "tenancy",
      undefined,
      "what defineTenancy() returns (app/auth/tenant.ts), with a storage of members, which teamPage() needs",
    );
  }
  // Says at once when the storage cannot keep invitations.
  groupOf(settings.storage, teamGroup);
  tenancy.scopeRoles();
}

/**
 * The page `/auth/team`, on which the members of a team see each other, and who may invites by mail, changes roles,
 * removes members and hands over the team; everybody can leave, but for the last owner, and go on to another team of
 * theirs. It works without scripts.
 *
 * It stands among the providers, and needs `tenancy` and a database. What a membership permits here is said by
 * `teamRoles` of `defineRBAC()`: "team:invite" and "team:manage", by default those of the role "owner". A role of a member
 * then counts as `hasRole("team:owner")`, in requests of that team alone, and as no role of the site. Applications that do
 * not import it do not bundle it.
 *
 * @param options How mails are sent, how long invitations hold, and who may make a team.
 * @throws {ConfigurationError} When an option is wrong; when the application is made, without tenants or their roles.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, teamPage } from "@framework/auth";
 * import {
 *   createMemoryTenantMembers,
 *   createMemoryTenantStorage,
 *   defineTenancy,
 * } from "@framework/auth/tenant";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   tenancy: defineTenancy({
 *     strategy: "path",
 *     storage: createMemoryTenantStorage(),
 *     members: createMemoryTenantMembers(),
 *   }),
 *   providers: [teamPage({
 *     sendMail: async ({ to, subject, text, html }) => {
 *       // your mailer
 *     },
 *   })],
 * });
 * const response = await auth.handle(new Request("http://localhost/auth/team"), {});
 * equal(response?.headers.get("location"), "http://localhost/auth/signin?callbackUrl=%2Fauth%2Fteam");
 * ```
 */
export function teamPage<Env = DefaultEnv>(options: TeamPageOptions<Env>): Provider {
  const team = readOptions(options);
  const definition: TeamModule & PlacedModule = {
    id: "team",
    place: { path: TEAM_PATH, title: "Your teams" },
    team,
    endpoints,
    check,
    accountData: exportTeams,
    letGo: giveTeamsUp,
  };
  return { kind: "provider", definition };
}

// The only notes that the page shows when its address names them.
const NOTES: ReadonlyMap<string | null, PageText> = new Map([
  ["invited", "The invitation is on its way."],
  ["revoked", "The invitation is revoked."],
  ["saved", "Your changes are saved."],
  ["removed", "They are no longer a member."],
  ["left", "You have left the team."],
  ["handed-over", "The team has a new owner."],
  ["joined", "You’re a member now."],
  ["welcome", "You’re a member now."],
  ["created", "Your team is ready."],
]);

// Sentences of errors that only this page knows.
const PROBLEMS: ReadonlyMap<string, PageText> = new Map([
  ["LAST_OWNER", KEEPS_OWNER],
  [
    "SUSPENDED_OWNER",
    "A suspended team keeps its owner. The people who run this site can make somebody else the owner.",
  ],
  ["INVALID_TENANT", "Give the team a name of 1 to 200 characters."],
  ["TENANT_NOT_FOUND", "You are not a member of this team."],
]);

/** Parameters of the page. */
interface Shown {
  slug: string | null;
  done?: string | null;
  /** Id of a member who has just been removed. */
  removed?: string | null;
  problem?: Html | null;
  search?: string;
  cursor?: string | null;
  invitationCursor?: string | null;
  typed?: TeamView["typed"];
  status?: number;
}

function pathTo({ auth }: RequestStore, parameters: Record<string, string | null>): string {
  const { basePath } = auth.settings;
  const url = new URL(ownRedirect(basePath + TEAM_PATH, auth.origin(), parameters));
  return url.pathname + url.search;
}

/** The team of the page: named, of the request, or the only one that there is; null where the user chooses. */
async function teamOf(
  store: RequestStore,
  user: User,
  { slug, own }: { slug: string | null; own: readonly Tenant[] },
): Promise<Acting | null> {
  if (slug !== null) return await actIn(store, user, slug);
  const [only] = own;
  const here = await store.auth.tenant!.load();
  if (here !== null && own.some(({ id }) => id === here.id)) return await actIn(store, user, null);
  return only !== undefined && own.length === 1 ? await actIn(store, user, only.slug) : null;
}

/** Teams of a user, suspended ones among them, at most 20. */
async function teamsOf({ auth: { settings } }: RequestStore, user: User): Promise<Tenant[]> {
  const { members, storage } = tenancyOf(settings);
  const page = await members.listOfUser(user.id, { limit: PART });
  const found = await Promise.all(page.members.map(({ tenantId }) => storage.get(tenantId)));
  return found.filter((one) => one !== null).sort((a, b) => a.name.localeCompare(b.name));
}

interface Person {
  member: Member;
  user: User | undefined;
}

async function withUsers(store: RequestStore, members: readonly Member[]): Promise<Person[]> {
  const people = groupOf(store.auth.settings.storage, teamGroup);
  const users = await people.readUsers(members.map(({ userId }) => userId));
  return members.map((member) => ({
    member,
    user: users.find(({ id }) => id === member.userId),
  }));
}

/** A part of the members, or of those whose name, or address where it is shown, has a text in it. */
async function findMembers(
  store: RequestStore,
  acting: Acting,
  { search, cursor, seesEmail }: { search: string; cursor: string | null; seesEmail: boolean },
): Promise<{ people: Person[]; cursor: string | null }> {
  const { members } = tenancyOf(store.auth.settings);
  const { id } = acting.tenant;
  const after = (cursor: string | null) => cursor === null ? {} : { cursor };
  if (search === "") {
    const page = await members.listOfTenant(id, { limit: PART, ...after(cursor) });
    return { people: await withUsers(store, page.members), cursor: page.cursor };
  }
  const wanted = search.toLowerCase();
  const people: Person[] = [];
  let next = cursor;
  for (let looked = 0; looked < SEARCHED; looked += MOST_USERS) {
    const page = await members.listOfTenant(id, { limit: MOST_USERS, ...after(next) });
    for (const one of await withUsers(store, page.members)) {
      const texts = [one.user?.name, seesEmail ? one.user?.email : null];
      if (!texts.some((text) => text?.toLowerCase().includes(wanted))) continue;
      people.push(one);
      if (people.length === PART) {
        const isLast = page.cursor === null && page.members.at(-1) === one.member;
        return { people, cursor: isLast ? null : one.member.userId };
      }
    }
    next = page.cursor;
    if (next === null) break;
  }
  return { people, cursor: next };
}

function rolesOf(settings: Settings, ids: readonly string[]): RoleView[] {
  const roles = teamRoles(settings);
  return ids.map((id) => ({ id, name: roles.find((role) => role.id === id)?.name ?? id }));
}

/** Roles that somebody may give. */
function choicesOf(settings: Settings, { member }: Acting): RoleView[] {
  return teamRoles(settings)
    .filter(({ id }) => mayGive(settings, member.roles, [id]))
    .map(({ id, name }) => ({ id, name }));
}

function memberView(settings: Settings, acting: Acting, { member, user }: Person): MemberView {
  const own = acting.member.roles;
  const seesEmail = mayInTeam(settings, own, MANAGE);
  const manages = seesEmail && mayTake(settings, own, member.roles);
  const isSelf = member.userId === acting.user.id;
  return {
    id: member.userId,
    name: user?.name || null,
    email: seesEmail || isSelf ? user?.email ?? null : null,
    roles: rolesOf(settings, member.roles),
    isSelf,
    choices: manages && !isSelf ? choicesOf(settings, acting) : null,
    removable: manages && !isSelf,
    heir: own.includes(OWNER) && !isSelf && !member.roles.includes(OWNER),
  };
}

/** Sections of other parts, such as API keys of the team. */
async function otherSections(
  store: RequestStore,
  look: Look,
  { tenant, user }: Acting,
  removed: string | null,
): Promise<AccountSection[]> {
  const back = pathTo(store, { team: tenant.slug });
  const about = { user, tenantId: tenant.id, back, removed };
  const made = await Promise.all(
    store.auth.settings.modules.map((module) =>
      "teamSection" in module ? module.teamSection?.(store, look, about) ?? null : null
    ),
  );
  return made.filter((one) => one !== null);
}

async function mayCreate({ auth: { settings } }: RequestStore, user: User): Promise<boolean> {
  const { canCreate } = teamOptionsOf(settings, "teamPage");
  // Who has proved nothing could write to strangers in the name of any team.
  if (canCreate === false || !user.emailVerified) return false;
  return canCreate === true || await canCreate(user) === true;
}

function problemOf(look: Look, code: string | null): Html | null {
  const own = code === null ? undefined : PROBLEMS.get(code);
  return own === undefined ? knownError(look, code) : say(look, own);
}

/** Sentence for what a form was refused for. */
function refusalOf(look: Look, error: AuthError): Html | null {
  if (error.code === "RATE_LIMITED") {
    return markup`${say(look, "Too many tries")}. ${waitText(look, retryAfterOf(error))}`;
  }
  // Its own words say what is wrong, those of the code that something is.
  return error.code === "BAD_REQUEST" ? errorText(look, error) : problemOf(look, error.code);
}

/** The page. */
async function teamResponse(context: EndpointContext, shown: Shown): Promise<Response> {
  const { store, store: { auth: { settings } } } = context;
  const { basePath, pages } = settings;
  const user = await requirePerson(context);
  const all = await teamsOf(store, user);
  const own = all.filter(({ suspendedAt }) => suspendedAt === undefined);
  const closed = all.filter(({ suspendedAt }) => suspendedAt !== undefined);
  const isClosed = closed.some(({ slug }) => slug === shown.slug);
  const acting = isClosed ? null : await teamOf(store, user, { slug: shown.slug, own });
  const look = lookOf(store);
  const { search = "", cursor = null, invitationCursor } = shown;
  const seesEmail = acting !== null && mayInTeam(settings, acting.member.roles, MANAGE);
  const found = acting === null
    ? { people: [], cursor: null }
    : await findMembers(store, acting, { search, cursor, seesEmail });
  const invites = acting !== null && mayInTeam(settings, acting.member.roles, INVITE);
  const open = invites ? await readInvitations(store, acting, invitationCursor ?? undefined) : null;
  const slug = acting?.tenant.slug ?? null;
  const { naming } = tenancyOf(settings);
  const note = NOTES.get(shown.done ?? null);
  // An account that an invitation made has neither a name nor a password, and nothing else would lead there.
  const welcome = shown.done === "welcome" && !user.name &&
      settings.modules.some(({ id }) => id === "account")
    ? say(look, "You’re a member now. Add your name and a way to sign in on {account}.", {
      account: link(`${basePath}/account`, say(look, "your account page")),
    })
    : null;
  const page = teamPageOf(look, {
    path: basePath + TEAM_PATH,
    team: acting?.tenant ?? null,
    members: found.people.map((one) => memberView(settings, acting!, one)),
    search,
    next: found.cursor === null
      ? null
      : pathTo(store, { team: slug, search: search || null, after: found.cursor }),
    invitations: open && {
      rows: open.invitations.map((one) => ({
        ...one,
        roles: rolesOf(settings, one.roles).map(({ name }) => name),
        resendable: mayGive(settings, acting!.member.roles, one.roles),
        revocable: mayRevoke(settings, acting!, one),
      })),
      next: open.cursor === null ? null : pathTo(store, { team: slug, invited: open.cursor }),
      choices: choicesOf(settings, acting!).toReversed(),
    },
    sections: acting === null
      ? []
      : await otherSections(store, look, acting, shown.removed ?? null),
    teams: own.map((tenant) => ({
      name: tenant.name,
      slug: tenant.slug,
      current: tenant.id === acting?.tenant.id,
      home: homeOf(store, tenant),
    })),
    closed: closed.map(({ name }) => name),
    byCookie: naming?.strategy === "cookie",
    creates: await mayCreate(store, user),
    typed: shown.typed ?? { email: {}, name: {} },
    signOut: { path: pages.signOut, asks: pages.signOut !== `${basePath}/signout` },
    links: otherPlaces(look, store.auth, { here: "team", user }),
    problem: shown.problem ?? null,
    done: welcome ?? (note === undefined ? null : say(look, note)),
  });
  return pageResponse(look, page, { status: shown.status ?? (isClosed ? 404 : 200) });
}

/** `GET /team`. */
async function showTeam(context: EndpointContext): Promise<Response> {
  const { searchParams } = context.url;
  return await teamResponse(context, {
    slug: searchParams.get("team"),
    done: searchParams.get("done"),
    removed: searchParams.get("done") === "removed" ? searchParams.get("user") : null,
    problem: problemOf(lookOf(context.store), searchParams.get("error")),
    search: (searchParams.get("search") ?? "").trim().slice(0, 100),
    cursor: searchParams.get("after"),
    invitationCursor: searchParams.get("invited"),
  });
}

/** A form of the page: who acts, in which team, and what was sent. */
interface Sent {
  context: EndpointContext;
  store: RequestStore;
  acting: Acting;
  fields: ReadonlyMap<string, string>;
}

function readField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw new RequestError("Fill in every required field");
  return value.trim();
}

/** Back to the page, which says what was done; a client that prefers JSON is told it, and of which team. */
function back(
  context: EndpointContext,
  { id, name, slug }: Tenant,
  { done, user = null }: { done: string | null; user?: string | null },
): Response {
  const { settings: { basePath }, origin } = context.store.auth;
  const parameters = { team: done === "left" ? null : slug, done, user };
  const target = ownRedirect(basePath + TEAM_PATH, origin(), parameters);
  return doneResponse(context, { done, team: { id, name, slug } }, target);
}

/** Answers a form, and what it was refused for on the page that has it. */
function answered(
  work: (sent: Omit<Sent, "acting">, user: User) => Promise<Response>,
): Endpoint {
  return async function answerTeamForm(context) {
    const { store } = context;
    const user = await requirePerson(context);
    const fields = await readFields(store.request, { optional: false });
    try {
      return await work({ context, store, fields }, user);
    } catch (error) {
      const isShown = isAuthError(error) && error.status >= 400 && error.status < 500 &&
        error.code !== "TENANT_NOT_FOUND" && error.code !== "SECOND_FACTOR_REQUIRED" &&
        !prefersJson(store.request) &&
        (PROBLEMS.has(error.code) || knownErrorMessage(error.code) !== null);
      if (!isShown) throw error;
      const problem = refusalOf(lookOf(store), error);
      // Beside its field, where one is to blame.
      const [email, name] = ["INVALID_EMAIL", "INVALID_TENANT"].map((code) =>
        error.code === code ? problem : null
      );
      const response = await teamResponse(context, {
        slug: fields.get("team") ?? null,
        problem: email ?? name ? null : problem,
        status: error.status,
        typed: {
          email: { value: fields.get("email"), error: email },
          name: { value: fields.get("name"), error: name },
        },
      });
      return withErrorHeaders(response, error);
    }
  };
}

/** Does what may take a fresh proof, for which the form leads to the sign-in page and back. */
async function proving<Result>(
  store: RequestStore,
  acting: Acting,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code } = new ReauthenticationRequiredError();
    if (!isAuthError(error) || error.code !== code || prefersJson(store.request)) throw error;
    const { auth } = store;
    const callbackUrl = pathTo(store, { team: acting.tenant.slug });
    throw new RedirectError(
      ownRedirect(auth.settings.pages.signIn, auth.origin(), { error: code, callbackUrl }),
    );
  }
}

/** A form about a team. */
function inTeam(
  work: (sent: Sent) => Promise<string | null>,
): Endpoint {
  return answered(async ({ context, store, fields }, person) => {
    const acting = await actIn(store, person, fields.get("team") ?? null);
    const done = await proving(store, acting, () => work({ context, store, acting, fields }));
    const user = done === "removed" ? fields.get("user") ?? null : null;
    return back(context, acting.tenant, { done, user });
  });
}

async function inviteByForm({ store, acting, fields }: Sent): Promise<string> {
  const { expires } = teamOptionsOf(store.auth.settings, "teamPage");
  const role = fields.get("role") ?? "";
  const roles = role === "" ? [] : [role];
  await inviteTo(store, acting, { email: readField(fields, "email"), roles, expires });
  return "invited";
}

async function resendByForm({ store, acting, fields }: Sent): Promise<string | null> {
  return await resendFrom(store, acting, readField(fields, "id")) ? "invited" : null;
}

async function revokeByForm({ store, acting, fields }: Sent): Promise<string | null> {
  return await revokeFrom(store, acting, readField(fields, "id")) ? "revoked" : null;
}

async function changeByForm({ store, acting, fields }: Sent): Promise<string> {
  const roles = [readField(fields, "role")];
  await changeRoles(store, acting, { userId: readField(fields, "user"), roles });
  return "saved";
}

async function removeByForm({ store, acting, fields }: Sent): Promise<string> {
  await removeFromTeam(store, acting, readField(fields, "user"));
  return "removed";
}

async function leaveByForm({ store, acting }: Sent): Promise<string> {
  await leaveTeam(store, acting);
  return "left";
}

async function handOverByForm({ store, acting, fields }: Sent): Promise<string> {
  await handOver(store, acting, readField(fields, "user"));
  return "handed-over";
}

/** `POST /team/switch`: names the team for the requests to come. */
function switchByForm({ store, acting }: Sent): Promise<null> {
  enterTeam(store, acting.tenant);
  return Promise.resolve(null);
}

/** A slug out of a name: its letters and digits of ASCII, without accents. */
function slugOf(name: string): string {
  const letters = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const slug = letters.replace(/[^a-z0-9]+/g, "-").slice(0, 48).replace(/^-+|-+$/g, "");
  return slug === "" || slug.startsWith("xn--") ? "team" : slug;
}

/** Counts a team that somebody makes: five in a day. */
async function limitCreation(
  { auth: { settings }, report }: RequestStore,
  user: User,
): Promise<void> {
  const limits = limitsOf(settings);
  if (limits === null) return;
  const now = settings.now();
  const [name, limit, window] = ["teams", 5, 86_400] as const;
  const { allowed, resetAt } = await limits.storage.takeRateLimit(
    await limitKey({ name, identifier: user.id }),
    { limit, window: window * 1000, now },
  );
  if (allowed) return;
  report({ type: "rate-limited", limiter: name, userId: user.id });
  const reset = secondsOf(resetAt - now, window);
  const headers = limitHeaders({ name, limit, window, remaining: 0, reset, allowed });
  throw new RateLimitedError(undefined, { headers });
}

/** `POST /team/create`: makes a team, whose owner is who asks. */
async function createByForm(
  { context, store, fields }: Omit<Sent, "acting">,
  user: User,
): Promise<Response> {
  if (!await mayCreate(store, user)) throw new ForbiddenError();
  const name = readField(fields, "name");
  await limitCreation(store, user);
  const { settings } = store.auth;
  const { storage, members } = tenancyOf(settings);
  const slug = slugOf(name);
  const other = () => `${slug}-${crypto.randomUUID().slice(0, 8)}`;
  const { reserved } = teamOptionsOf(settings, "teamPage");
  let tenant: Tenant;
  try {
    tenant = await storage.create({ name, slug: reserved.has(slug) ? other() : slug });
  } catch (error) {
    if (!(error instanceof TenantExistsError)) throw error;
    // That there is a team of this name is nobody's business.
    tenant = await storage.create({ name, slug: other() });
  }
  const createdAt = new Date(settings.now());
  const [tenantId, userId] = [tenant.id, user.id];
  await reportChange(
    store,
    {
      events: [{ type: "member-added", userId, tenantId }],
      since: createdAt.getTime(),
      happened: () => true,
    },
    () => members.add({ tenantId, userId, roles: [OWNER], createdAt }),
  );
  enterTeam(store, tenant);
  return back(context, tenant, { done: "created" });
}

const FORMS: Readonly<Record<string, (sent: Sent) => Promise<string | null>>> = {
  "/switch": switchByForm,
  "/invite": inviteByForm,
  "/invitations/resend": resendByForm,
  "/invitations/revoke": revokeByForm,
  "/members/roles": changeByForm,
  "/members/remove": removeByForm,
  "/hand-over": handOverByForm,
  "/leave": leaveByForm,
};

function endpoints(): EndpointEntry[] {
  return [
    { path: TEAM_PATH, method: "GET", endpoint: showTeam },
    { path: JOIN_PATH, method: "GET", endpoint: showInvitation },
    { path: JOIN_PATH, method: "POST", endpoint: acceptInvitation },
    { path: `${JOIN_PATH}/switch`, method: "POST", endpoint: switchAccount },
    { path: `${TEAM_PATH}/create`, method: "POST", endpoint: answered(createByForm) },
    ...Object.entries(FORMS).map(([path, work]): EndpointEntry => ({
      path: TEAM_PATH + path,
      method: "POST",
      endpoint: inTeam(work),
    })),
  ];
}
