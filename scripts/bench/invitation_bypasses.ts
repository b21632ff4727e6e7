/**
 * Ways into a team past its invitations, here and at Better Auth's organizations. The table of docs/teams.md is what it
 * prints.
 *
 * ```sh
 * deno run -A scripts/bench/invitation_bypasses.ts
 * ```
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createTeamApplication, type TeamApplication } from "../../auth/tests/team_application.ts";
import { type BetterAuth, installPeers, PEER_MODULES, peerVersions } from "./peers.ts";
import { betterAuthConfig, emptyTables, jsonRequest, ORIGIN } from "./programs/better_auth.ts";

/** Acceptances at once of one invitation. */
const AT_ONCE = 20;

/** Results by what was tried. */
export type Rows = Map<string, string>;

const UNPROVED =
  "a session with the invited address, which it has not proved and whose mail it does not get";
const INVITER = "the inviter, by what the answer to the invitation says";
const REPLAY = "the link again, by a member who was removed";
const PARALLEL = `one link, ${AT_ONCE} times at once`;
const DEMOTED = "a link of an inviter who was demoted meanwhile";
const REMOVED = "a link of an inviter who was removed meanwhile";
const RAISED = "a link whose role has got more rights than its inviter has";

const OUT = "refused";
const IN = "**member**";

function resultOf(isMember: boolean): string {
  return isMember ? IN : OUT;
}

function memberships(count: number): string {
  return count === 1 ? "1 membership" : `**${count} memberships**`;
}

/** A team of this library, in which leo may invite. */
async function withTeam(
  work: (application: TeamApplication, leo: string) => Promise<string>,
): Promise<string> {
  const application = await createTeamApplication();
  try {
    await application.addUser("leo", { roles: ["lead"] });
    await application.addUser("bob");
    return await work(application, await application.enter("leo"));
  } finally {
    application.close();
  }
}

/** Has bob accept an invitation, and says if he is a member then. */
async function accept(application: TeamApplication, token: string): Promise<string> {
  const cookie = await application.enter("bob");
  const response = await application.send("/team/join", { fields: { token }, cookie });
  await response.body?.cancel();
  return resultOf(await application.rolesOf("bob") !== null);
}

/** The library's own part of the table. */
export async function own(): Promise<Rows> {
  const rows: Rows = new Map();
  rows.set(
    UNPROVED,
    await withTeam(async (application, cookie) => {
      await application.addUser("mallory", { proved: false });
      await application.invite("mallory@example.com", { cookie });
      const planted = await application.enter("mallory");
      const page = await (await application.send("/team", { cookie: planted })).text();
      const found = /name="(?:token|id)" value="([\w-]+)"/.exec(page);
      const fields = { token: found?.[1] ?? "" };
      await application.send("/team/join", { fields, cookie: planted });
      return resultOf(await application.rolesOf("mallory") !== null);
    }),
  );
  rows.set(
    INVITER,
    await withTeam(async (application, cookie) => {
      const fields = { email: "grace@example.com", role: "editor" };
      const answers = [
        await application.post("/invite", cookie, fields),
        await application.send("/team?team=acme", { cookie }),
      ];
      const said = (await Promise.all(
        answers.map(async (answer) => JSON.stringify([...answer.headers]) + await answer.text()),
      )).join();
      const url = new URL(application.outbox.at(-1)!.url);
      return resultOf(said.includes(url.searchParams.get("token")!));
    }),
  );
  rows.set(
    REPLAY,
    await withTeam(async (application, cookie) => {
      const token = await application.invite("bob@example.com", { cookie });
      assert.equal(await accept(application, token), IN);
      await application.members.remove(application.tenantId, "bob");
      return await accept(application, token);
    }),
  );
  rows.set(
    PARALLEL,
    await withTeam(async (application, cookie) => {
      const token = await application.invite("bob@example.com", { cookie });
      const asBob = await application.enter("bob");
      await Promise.all(
        Array.from(
          { length: AT_ONCE },
          () => application.send("/team/join", { fields: { token }, cookie: asBob }),
        ),
      );
      const { n } = application.database.sqlite
        .prepare("SELECT COUNT(*) AS n FROM tenant_members WHERE user_id = 'bob'").get()!;
      return memberships(Number(n));
    }),
  );
  rows.set(
    DEMOTED,
    await withTeam(async (application, cookie) => {
      const token = await application.invite("bob@example.com", { cookie });
      await application.members.setRoles(application.tenantId, "leo", ["editor"]);
      return await accept(application, token);
    }),
  );
  rows.set(
    REMOVED,
    await withTeam(async (application, cookie) => {
      const token = await application.invite("bob@example.com", { cookie });
      await application.members.remove(application.tenantId, "leo");
      return await accept(application, token);
    }),
  );
  rows.set(
    RAISED,
    await withTeam(async (application, cookie) => {
      const token = await application.invite("bob@example.com", { cookie });
      // As a role list that was changed between: the role of the row permits more than leo may.
      application.database.sqlite.exec(`UPDATE tenant_invitations SET roles = '["owner"]'`);
      return await accept(application, token);
    }),
  );
  return rows;
}

// deno-lint-ignore no-explicit-any -- answers of another library, of which this reads a few fields
type Json = any;

/** Somebody in a browser at Better Auth. */
class Visitor {
  readonly #auth: BetterAuth;
  readonly #cookies = new Map<string, string>();

  constructor(auth: BetterAuth) {
    this.#auth = auth;
  }

  async send(path: string, body?: unknown): Promise<Json> {
    const url = `/api/auth${path}`;
    const request = body === undefined ? new Request(ORIGIN + url) : jsonRequest(url, body);
    const headers = new Headers(request.headers);
    headers.set("cookie", [...this.#cookies].map((pair) => pair.join("=")).join("; "));
    const response = await this.#auth.handler(new Request(request, { headers }));
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.#cookies.set(name!, value!);
    }
    const text = await response.text();
    return /^[[{]/.test(text) ? JSON.parse(text) : null;
  }

  signUp(name: string): Promise<Json> {
    return this.send("/sign-up/email", {
      name,
      email: `${name}@example.com`,
      password: "difference-engine",
    });
  }
}

/** An organization of Better Auth, in which leo is an administrator. */
interface Organization {
  id: string;
  auth: BetterAuth;
  owner: Visitor;
  leo: Visitor;
  bob: Visitor;
  tables: Record<string, Record<string, unknown>[]>;
  /** Invites by leo; the id, which is in the link of the mail. */
  invite(email: string, role?: string): Promise<string>;
  isMember(name: string): boolean;
  memberIdOf(name: string): string;
}

async function createOrganization(folder: string): Promise<Organization> {
  const { resolve } = createRequire(join(folder, "index.js"));
  const load = async (specifier: string) => await import(pathToFileURL(resolve(specifier)).href);
  const { betterAuth } = await load(PEER_MODULES.betterAuthMinimal);
  const { memoryAdapter } = await load(PEER_MODULES.betterAuthMemory);
  const { organization } = await load("better-auth/plugins");
  const mails: string[] = [];
  const tables = { ...emptyTables(), organization: [], member: [], invitation: [] } as Record<
    string,
    Record<string, unknown>[]
  >;
  const auth: BetterAuth = betterAuth({
    ...betterAuthConfig({}),
    database: memoryAdapter(tables),
    plugins: [
      organization({
        sendInvitationEmail: ({ id }: { id: string }) => Promise.resolve(void mails.push(id)),
      }),
    ],
  });
  const [owner, leo, bob] = [new Visitor(auth), new Visitor(auth), new Visitor(auth)] as const;
  await owner.signUp("ada");
  await leo.signUp("leo");
  await bob.signUp("bob");
  // Who could prove an address has done so.
  for (const user of tables.user!) user.emailVerified = true;
  const { id } = await owner.send("/organization/create", { name: "Acme", slug: "acme" });
  const userOf = (name: string) => tables.user!.find((user) => user.name === name)!;
  const memberOf = (name: string) =>
    tables.member!.find(({ userId }) => userId === userOf(name).id);
  async function inviteBy(visitor: Visitor, email: string, role: string): Promise<string> {
    const before = mails.length;
    await visitor.send("/organization/invite-member", { email, role, organizationId: id });
    assert.equal(mails.length, before + 1);
    return mails.at(-1)!;
  }
  const invitationId = await inviteBy(owner, "leo@example.com", "admin");
  await leo.send("/organization/accept-invitation", { invitationId });
  assert.ok(memberOf("leo"));
  return {
    id,
    auth,
    owner,
    leo,
    bob,
    tables,
    invite: (email, role = "member") => inviteBy(leo, email, role),
    isMember: (name) => memberOf(name) !== undefined,
    memberIdOf: (name) => String(memberOf(name)!.id),
  };
}

/** Better Auth's part of the table. */
async function betterAuth(folder: string): Promise<Rows> {
  const rows: Rows = new Map();
  async function attempt(
    name: string,
    work: (organization: Organization) => Promise<string>,
  ): Promise<void> {
    rows.set(name, await work(await createOrganization(folder)));
  }
  const accepted = async (organization: Organization, invitationId: string) => {
    await organization.bob.send("/organization/accept-invitation", { invitationId });
    return resultOf(organization.isMember("bob"));
  };

  await attempt(UNPROVED, async ({ auth, invite, isMember }) => {
    await invite("mallory@example.com");
    const mallory = new Visitor(auth);
    await mallory.signUp("mallory");
    const invitations = await mallory.send("/organization/list-user-invitations");
    const invitationId = invitations?.[0]?.id ?? "";
    await mallory.send("/organization/accept-invitation", { invitationId });
    return resultOf(isMember("mallory"));
  });
  await attempt(INVITER, async ({ id, auth, leo, isMember }) => {
    const email = "grace@example.com";
    const said = await leo.send("/organization/invite-member", {
      email,
      role: "member",
      organizationId: id,
    });
    const grace = new Visitor(auth);
    await grace.signUp("grace");
    const invitationId = said?.id ?? said?.invitation?.id ?? "";
    await grace.send("/organization/accept-invitation", { invitationId });
    return resultOf(isMember("grace"));
  });
  await attempt(REPLAY, async (organization) => {
    const { id, owner, invite, memberIdOf } = organization;
    const link = await invite("bob@example.com");
    assert.equal(await accepted(organization, link), IN);
    const memberIdOrEmail = memberIdOf("bob");
    await owner.send("/organization/remove-member", { memberIdOrEmail, organizationId: id });
    return await accepted(organization, link);
  });
  await attempt(PARALLEL, async ({ bob, invite, tables }) => {
    const invitationId = await invite("bob@example.com");
    await Promise.all(
      Array.from(
        { length: AT_ONCE },
        () => bob.send("/organization/accept-invitation", { invitationId }),
      ),
    );
    const { id } = tables.user!.find(({ name }) => name === "bob")!;
    return memberships(tables.member!.filter(({ userId }) => userId === id).length);
  });
  await attempt(DEMOTED, async (organization) => {
    const { id, owner, invite, memberIdOf } = organization;
    const link = await invite("bob@example.com");
    await owner.send("/organization/update-member-role", {
      memberId: memberIdOf("leo"),
      role: "member",
      organizationId: id,
    });
    return await accepted(organization, link);
  });
  await attempt(REMOVED, async (organization) => {
    const { id, owner, invite, memberIdOf } = organization;
    const link = await invite("bob@example.com");
    const memberIdOrEmail = memberIdOf("leo");
    await owner.send("/organization/remove-member", { memberIdOrEmail, organizationId: id });
    return await accepted(organization, link);
  });
  await attempt(RAISED, async (organization) => {
    const link = await organization.invite("bob@example.com");
    for (const invitation of organization.tables.invitation!) invitation.role = "owner";
    return await accepted(organization, link);
  });
  return rows;
}

/** The table as Markdown. */
function print(version: string, ours: Rows, theirs: Rows): string {
  return [
    `| somebody comes by | \`teamPage()\` | Better Auth ${version} |`,
    "| --- | --- | --- |",
    ...[...ours].map(([name, result]) => `| ${name} | ${result} | ${theirs.get(name) ?? "–"} |`),
  ].join("\n");
}

if (import.meta.main) {
  const folder = await installPeers();
  const { "better-auth": version } = await peerVersions();
  // deno-lint-ignore no-console -- this program prints
  console.log(print(version!, await own(), await betterAuth(folder)));
}
