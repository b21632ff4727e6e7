import {
  apiKeys,
  type Auth,
  type AuthOptions,
  createApiKey,
  createAuth,
  createUser,
  defineRBAC,
  issueSession,
  passwords,
  revokeApiKey,
  secondFactor,
  startSession,
  teamPage,
} from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { createSqlTenantStorage, defineTenancy } from "@framework/auth/tenant";
import { createHash, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { stepAt, totpCode } from "../../../auth/sign_in/second_factor/totp.ts";
import { ORIGIN, SECRET } from "../programs/better_auth.ts";
import {
  type Act,
  type Acts,
  changed,
  cookiesOf,
  formRequest,
  PASSWORD,
  PLAIN_HASHER,
} from "./act.ts";

interface Application {
  auth: Auth<unknown>;
  file: DatabaseSync;
  /** Mails, the newest last. */
  mails: { url: string }[];
  /** Asks an endpoint, and waits also for what the response does not wait for. */
  send(request: Request): Promise<Response>;
  /** Does work of the application in a request. */
  run(work: () => Promise<unknown>): Promise<Response>;
}

function createApplication(
  make: (mails: Application["mails"]) => Partial<AuthOptions>,
): Application {
  const file = new DatabaseSync(":memory:");
  file.exec(authSchema.up);
  const mails: Application["mails"] = [];
  const auth = createAuth<unknown>({
    baseUrl: ORIGIN,
    secret: SECRET,
    database: sqlite(file),
    rateLimit: false,
    logger: { info() {}, warn() {}, error() {} },
    providers: [],
    ...make(mails),
  });
  return {
    auth,
    file,
    mails,
    async send(request) {
      const pending: Promise<unknown>[] = [];
      const waitUntil = (work: Promise<unknown>) => void pending.push(work);
      const response = await auth.handle(request, {}, { clientAddress: "192.0.2.1", waitUntil });
      await Promise.all(pending);
      return response!;
    },
    run(work) {
      const request = new Request(ORIGIN, { method: "POST" });
      return auth.run(request, {}, undefined, async () => {
        await work();
        return new Response();
      });
    },
  };
}

function withPasswords(mails: Application["mails"]) {
  return passwords({
    sendMail: (mail) => void mails.push(mail),
    hasher: PLAIN_HASHER,
    verification: "later",
  });
}

let people = 0;

function newAddress(): string {
  return `ada${++people}@example.com`;
}

function signUpRequest(email: string): Request {
  return formRequest("/auth/signup", { email, password: PASSWORD, name: "Ada" });
}

function tokenOf({ url }: { url: string }): string {
  return new URL(url).searchParams.get("token")!;
}

// deno-lint-ignore require-await -- as the other acts
async function signUp(): Promise<Act> {
  const { send, mails } = createApplication((mails) => ({ providers: [withPasswords(mails)] }));
  let last = "";
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const email = last = newAddress();
      const request = signUpRequest(email);
      return () => send(request);
    },
    signsIn: true,
    wrong: {
      "an address that has an account": () => send(signUpRequest(last.toUpperCase())),
      "a password that is too short": () =>
        send(formRequest("/auth/signup", { email: newAddress(), password: "short" })),
    },
    tidy: () => void (mails.length = 0),
  };
}

// deno-lint-ignore require-await -- as the other acts
async function verification(): Promise<Act> {
  const { send, mails } = createApplication((mails) => ({ providers: [withPasswords(mails)] }));
  const confirm = (token: string, cookie: string) =>
    send(formRequest("/auth/signup/confirm", { token }, cookie));
  async function begin(): Promise<[token: string, cookie: string]> {
    const response = await send(signUpRequest(newAddress()));
    return [tokenOf(mails.pop()!), cookiesOf(response)];
  }
  return {
    async make() {
      const [token, cookie] = await begin();
      const request = formRequest("/auth/signup/confirm", { token }, cookie);
      return () => send(request);
    },
    wrong: {
      async "a token that was changed"() {
        const [token, cookie] = await begin();
        return await confirm(changed(token), cookie);
      },
      async "a used token"() {
        const given = await begin();
        await confirm(...given);
        return await confirm(...given);
      },
      async "a token in a browser that knows nothing of it"() {
        const [token] = await begin();
        return await confirm(token, "");
      },
    },
  };
}

async function factor(): Promise<Act> {
  let clock = Date.now();
  const { send, mails } = createApplication((mails) => ({
    now: () => clock,
    providers: [withPasswords(mails), secondFactor({ sendMail: () => {} })],
  }));
  const email = newAddress();
  const signedUp = await send(signUpRequest(email));
  const cookie = cookiesOf(signedUp);
  await send(formRequest("/auth/signup/confirm", { token: tokenOf(mails.pop()!) }, cookie));
  async function json(request: Request): Promise<Record<string, string>> {
    request.headers.set("accept", "application/json");
    return await (await send(request)).json();
  }
  const setup = new Request(`${ORIGIN}/auth/second-factor/setup`, { headers: { cookie } });
  const { secret, setUp } = await json(setup);
  const code = () => totpCode(secret!, stepAt(clock));
  const fields = { setUp: setUp!, code: await code() };
  await json(formRequest("/auth/second-factor/setup", fields, cookie));
  // The browser in which somebody has signed up is a known one, of which no mail tells.
  const known = cookie.split("; ").find((pair) => pair.includes(".known="))!;
  const begin = () =>
    send(formRequest("/auth/signin/passwords", { email, password: PASSWORD }, known));
  async function answer(given: string): Promise<Response> {
    return await send(
      formRequest("/auth/second-factor", { code: given }, `${known}; ${cookiesOf(await begin())}`),
    );
  }
  let used = "";
  // The steps of the app go by as fast as it is asked.
  let step = stepAt(clock);
  async function next(): Promise<string> {
    return await totpCode(secret!, ++step);
  }
  return {
    async make() {
      const given = await next();
      const at = step * 30_000;
      return () => {
        clock = at;
        return answer(used = given);
      };
    },
    signsIn: true,
    wrong: {
      async "a wrong code"() {
        return await answer(changed(await totpCode(secret!, step + 1)));
      },
      "a used code": () => answer(used),
    },
  };
}

/** Asks in another team than that whose key it is; throws when the key opens nothing in its own. */
async function askElsewhere(): Promise<Response> {
  const { auth, file, run } = createApplication(() => ({
    rbac: defineRBAC({
      roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }],
      teamRoles: [{ id: "owner", name: "Owner", permissions: ["team:*", "posts:*"] }],
    }),
    tenancy: defineTenancy({ strategy: "header" }),
    providers: [apiKeys({
      prefix: "acme",
      teamPermission: "team:keys",
      permissions: { "posts:read": "Read posts" },
    })],
  }));
  const tenants = createSqlTenantStorage(sqlite(file));
  const { id: acme } = await tenants.create({ slug: "acme", name: "Acme" });
  const { id: other } = await tenants.create({ slug: "other", name: "Other" });
  let made = "";
  await run(async () => {
    const { id } = await createUser({ id: "ada", name: "Ada" });
    for (const tenantId of [acme, other]) {
      file.prepare("INSERT INTO tenant_members VALUES (?1, ?2, ?3, 0)")
        .run(tenantId, id, '["owner"]');
    }
    await startSession(id);
    ({ key: made } = await createApiKey({
      name: "Bench",
      tenantId: acme,
      permissions: ["posts:read"],
    }));
  });
  const guard = authMiddleware({ apiKey: true, permission: "posts:read" });
  const ask = (team: string) => {
    const headers = { authorization: `Bearer ${made}`, "x-tenant-id": team };
    const request = new Request(`${ORIGIN}/api`, { headers });
    const next = () => Promise.resolve(new Response());
    return auth.run(request, {}, undefined, (context) => guard(request, next, context));
  };
  const { status } = await ask("acme");
  if (status !== 200) throw new Error(`The key of a team opens nothing there: ${status}`);
  return await ask("other");
}

async function key(): Promise<Act> {
  const { auth, run } = createApplication(() => ({ providers: [apiKeys({ prefix: "acme" })] }));
  let made = "";
  let revoked = "";
  await run(async () => {
    await startSession((await createUser({ id: "ada", name: "Ada" })).id);
    ({ key: made } = await createApiKey({ name: "Bench" }));
    const other = await createApiKey({ name: "Revoked" });
    revoked = other.key;
    await revokeApiKey(other.id);
  });
  const guard = authMiddleware({ apiKey: true });
  const next = () => Promise.resolve(new Response());
  const requestWith = (key: string) =>
    new Request(`${ORIGIN}/api`, { headers: { authorization: `Bearer ${key}` } });
  const ask = (request: Request) =>
    auth.run(request, {}, undefined, (context) => guard(request, next, context));
  return {
    // deno-lint-ignore require-await -- as the other acts
    async make() {
      const request = requestWith(made);
      return () => ask(request);
    },
    wrong: {
      "a key that was changed": () => ask(requestWith(changed(made))),
      "a revoked key": () => ask(requestWith(revoked)),
      "the key of another team": askElsewhere,
    },
  };
}

async function invitation(): Promise<Act> {
  const { auth, file, send, run } = createApplication(() => ({
    rbac: defineRBAC({
      roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }],
      teamRoles: [
        { id: "owner", name: "Owner", permissions: ["team:*"] },
        { id: "member", name: "Member", permissions: [] },
      ],
    }),
    tenancy: defineTenancy({ strategy: "path" }),
    providers: [teamPage({ sendMail: () => {} })],
  }));
  const tenants = createSqlTenantStorage(sqlite(file));
  const { id: acme } = await tenants.create({ slug: "acme", name: "Acme" });
  const { id: other } = await tenants.create({ slug: "other", name: "Other" });
  const join = file.prepare(
    "INSERT INTO tenant_members (tenant_id, user_id, roles, created_at) VALUES (?1, ?2, ?3, ?4)",
  );
  const invite = file.prepare(`INSERT INTO tenant_invitations
    (id, tenant_id, email_identity, email, hash, roles, invited_by, created_at, expires_at)
    VALUES (?1, ?2, ?3, ?3, ?4, '["member"]', 'owner', ?5, ?6)`);
  const isMember = file.prepare(
    "SELECT 1 FROM tenant_members WHERE tenant_id = ?1 AND user_id = ?2",
  );
  const forget = file.prepare("DELETE FROM users WHERE id <> 'owner'");
  const begun = Date.now();
  await run(() => createUser({ id: "owner", email: "owner@example.com" }));
  join.run(acme, "owner", '["owner"]', begun);
  join.run(other, "owner", '["owner"]', begun);

  async function person(): Promise<{ id: string; email: string; cookie: string }> {
    const email = newAddress();
    const id = email.split("@")[0]!;
    await run(() => createUser({ id, email, emailVerified: new Date() }));
    const { cookies } = await issueSession(auth, id, {});
    return { id, email, cookie: cookies[0]!.split(";")[0]! };
  }
  function tokenFor(email: string, expires = Date.now() + 86_400_000): string {
    const token = randomBytes(32).toString("base64url");
    const hash = createHash("sha256").update(token).digest("base64url");
    invite.run(crypto.randomUUID(), acme, email, hash, begun + 1, expires);
    return token;
  }
  const accept = (token: string, cookie: string) =>
    send(formRequest("/auth/team/join", { token }, cookie));
  return {
    async make() {
      const { email, cookie } = await person();
      const request = formRequest("/auth/team/join", { token: tokenFor(email) }, cookie);
      return () => send(request);
    },
    wrong: {
      async "a token that was changed"() {
        const { email, cookie } = await person();
        return await accept(changed(tokenFor(email)), cookie);
      },
      async "a used invitation"() {
        const { email, cookie } = await person();
        const token = tokenFor(email);
        await accept(token, cookie);
        return await accept(token, cookie);
      },
      async "an ended invitation"() {
        const { email, cookie } = await person();
        return await accept(tokenFor(email, Date.now() - 1), cookie);
      },
      async "the invitation of somebody else"() {
        const [{ email }, { cookie }] = [await person(), await person()];
        return await accept(tokenFor(email), cookie);
      },
      async "an invitation as one to another team"() {
        const { id, email, cookie } = await person();
        await accept(tokenFor(email), cookie);
        const isThere = isMember.get(acme, id) !== undefined;
        const isElsewhere = isMember.get(other, id) !== undefined;
        return new Response(null, { status: isThere && !isElsewhere ? 403 : 200 });
      },
    },
    tidy: () => void forget.run(),
  };
}

/** The acts in applications of the library. */
export const libraryActs: Acts = {
  "sign-up": signUp,
  "verification of an address": verification,
  "sign-in with a second factor": factor,
  "check of an API key": key,
  "acceptance of an invitation": invitation,
};
