import assert from "node:assert/strict";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  type Auth,
  createAuth,
  createUser,
  getUser,
  issueOneTimeToken,
  redeemOneTimeToken,
  startSession,
} from "@framework/auth";
import {
  createSqlRevocationStore,
  groupOf,
  passwordGroup,
  type SqlDatabase,
} from "@framework/auth/storage";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { until } from "./until.ts";

const ORIGIN = "https://app.example";

/** What a test asks of an application whose database fails. */
export interface ScaledApplication {
  /** Makes a user and signs it in; with a status of 200, the cookie of the session and a one-time token. */
  signUp(id: string): Promise<{ status: number; cookie: string; token: string }>;
  /** The user whom a cookie signs in; null for nobody. Throws while the database is away. */
  userOf(cookie: string): Promise<string | null>;
  /** Ends the session of a cookie; true when that was acknowledged. */
  signOut(cookie: string): Promise<boolean>;
  /** Redeems a one-time token: its user, null when it opens nothing, undefined when nobody knows. */
  redeem(token: string): Promise<string | null | undefined>;
  /** Revokes a signed token by its id; true when that was acknowledged. */
  revoke(id: string): Promise<boolean>;
  /** Gives a user another password, by its hash; true when that was acknowledged. */
  setPassword(id: string, hash: string): Promise<boolean>;
  /** The hash of a user's password. */
  passwordOf(id: string): Promise<string | undefined>;
  /** Does work of the application in a request of its own; true when that was acknowledged. */
  change(work: () => Promise<unknown>): Promise<boolean>;
  /** Asks whether a signed token is revoked. */
  isRevoked(id: string): Promise<boolean>;
  /** Last error that the application has logged, for the message of a test that did not expect one. */
  lastError(): string;
  /** Waits until sign-ups are acknowledged. */
  isBack(): Promise<void>;
}

/** An application with sessions, one-time tokens and revocations in one database. */
export function createScaledApplication(database: SqlDatabase): ScaledApplication {
  let lastError = "no error was logged";
  const logger = {
    info() {},
    warn() {},
    error: (...logged: unknown[]) => void (lastError = inspect(logged, { depth: 6 })),
  };
  const auth: Auth<unknown> = createAuth({
    database,
    baseUrl: ORIGIN,
    cookies: { sessionToken: { hostOnly: true } },
    rateLimit: false,
    logger,
    providers: [],
  });
  const revocations = createSqlRevocationStore(database);
  const passwords = groupOf(auth.storage({}), passwordGroup);
  const acknowledges = (work: Promise<unknown>) => work.then(() => true, () => false);
  const hour = 3_600_000;

  function ask(work: () => Promise<Response>, cookie?: string): Promise<Response> {
    const headers: Record<string, string> = cookie === undefined ? {} : { cookie };
    return auth.run(new Request(`${ORIGIN}/`, { headers }), {}, undefined, work);
  }

  const application: ScaledApplication = {
    async signUp(id) {
      let token = "";
      const response = await ask(async () => {
        await createUser({ id, email: `${id}@example.com` });
        token = await issueOneTimeToken("confirm", id);
        await startSession(id);
        return new Response();
      });
      const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
      return { status: response.status, cookie, token };
    },
    async userOf(cookie) {
      const response = await ask(
        () => Promise.resolve(Response.json(getUser()?.id ?? null)),
        cookie,
      );
      assert.equal(response.status, 200, lastError);
      return await response.json();
    },
    async signOut(cookie) {
      const request = new Request(`${ORIGIN}/auth/signout`, {
        method: "POST",
        headers: { origin: ORIGIN, cookie },
      });
      return (await auth.handle(request, {}))!.status < 400;
    },
    async redeem(token) {
      const response = await ask(async () => {
        const redeemed = await redeemOneTimeToken("confirm", token);
        return Response.json(redeemed?.userId ?? null);
      });
      return response.status === 200 ? await response.json() : undefined;
    },
    revoke: (id) => acknowledges(revocations.revoke(id, Date.now() + hour)),
    setPassword: (userId, hash) =>
      passwords.setPassword({ userId, hash, changedAt: Date.now() }).catch(() => false),
    passwordOf: async (id) => (await passwords.readPassword(id))?.hash,
    async change(work) {
      const response = await ask(async () => {
        await work();
        return new Response();
      });
      return response.status === 200;
    },
    isRevoked: (id) => revocations.isRevoked({ id, userId: id, startedAt: Date.now() }),
    lastError: () => lastError,
    isBack: () =>
      until(
        async () => (await application.signUp(crypto.randomUUID())).status === 200,
        () => "No sign-up is acknowledged",
      ),
  };
  return application;
}

/** The statements that docs/scaling.md has for after a failover that lost something, and for after a backup. */
export async function documentedStatements(): Promise<string> {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs/scaling.md"));
  return guide.match(/```sql\n([\s\S]*?)```/)![1]!;
}
