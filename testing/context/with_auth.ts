import {
  type Auth,
  createApiKey,
  impersonate,
  issueSession,
  parseEmailAddress,
  type User,
} from "@framework/auth";
import { addMember } from "@framework/auth/tenant";
import { TestingError } from "../errors.ts";
import { type CookieJar, createCookieJar } from "./cookies.ts";
import type { WithAuthOptions } from "./types.ts";

/** Refuses what JavaScript lets through: the storage would fail, or keep what nobody can read. */
export function demandUser(options: WithAuthOptions): void {
  const { userId, role, roles } = Object(options) as Record<string, unknown>;
  const wrong = (what: string, given: unknown, expected: string) =>
    new TestingError(
      "OPTIONS",
      `withAuth() was given ${what} ${JSON.stringify(given) ?? String(given)}. Pass ${expected}.`,
    );
  if (typeof userId !== "string" || userId === "") {
    const isUser = typeof options === "object" && options !== null;
    const expected = 'the id of a user, as in withAuth({ userId: "ada" })';
    throw isUser ? wrong("userId", userId, expected) : wrong("the user", options, expected);
  }
  if (role !== undefined && typeof role !== "string") throw wrong("role", role, "its id");
  const isList = Array.isArray(roles) && roles.every((each) => typeof each === "string");
  if (roles !== undefined && !isList) throw wrong("roles", roles, "a list of their ids");
}

/** Signs a user in as the options say: by a session, by an administrator who acts for the user, or by a key. */
export async function signInWith(
  options: WithAuthOptions,
  { auth, env, origin, now }: {
    auth: Auth<unknown> | null;
    env: object;
    origin: string;
    now(): number;
  },
): Promise<{ jar: CookieJar; headers: Record<string, string> }> {
  const { userId, impersonatedBy, apiKey = false } = options;
  if (impersonatedBy !== undefined && apiKey !== false) {
    throw new TestingError(
      "OPTIONS",
      "withAuth() was given apiKey and impersonatedBy, and nobody acts for another user by a key. Pass one.",
    );
  }
  const url = new URL(origin);
  const signedIn = async (options: WithAuthOptions) => {
    const jar = createCookieJar(now);
    for (const line of await signIn(auth, env, { ...options, now: now(), origin })) {
      jar.set(line, url);
    }
    return jar;
  };
  const jar = await signedIn(options);
  if (options.tenant !== undefined) await joinTenant(auth!, env, { ...options, origin });
  const session = (jar: CookieJar) => ({ auth: auth!, env, origin, cookie: jar.header(url) });
  if (impersonatedBy !== undefined) {
    const { reason, ...administrator } = impersonatedBy;
    const acting = await signedIn(administrator);
    for (const line of await beginActing(session(acting), { userId, reason })) {
      acting.set(line, url);
    }
    return { jar: acting, headers: {} };
  }
  if (apiKey === false) return { jar, headers: {} };
  const key = await makeKey(session(jar), apiKey === true ? {} : apiKey);
  return { jar: createCookieJar(now), headers: { authorization: `Bearer ${key}` } };
}

/** Creates a session, and its user when there is none, and returns the `Set-Cookie` headers. */
export async function signIn(
  auth: Auth<unknown> | null,
  env: object,
  options: WithAuthOptions & { now: number; origin: string },
): Promise<string[]> {
  if (auth === null) {
    throw new TestingError(
      "NO_AUTH",
      "withAuth() needs authentication, and this application has no app/auth folder. Add " +
        "app/auth/config.ts; for an application with another authentication, pass the way to sign in there: " +
        "createTestContext({ auth: { signIn: … } }).",
    );
  }
  const storage = auth.storage(env);
  const known = await storage.getUser(options.userId);
  if (known !== null) {
    refuseChange(known, options);
  } else if (options.create === false) {
    throw new TestingError(
      "NO_SUCH_USER",
      `withAuth() found no user "${options.userId}", and create is false. Insert the user in ` +
        "seed, or remove create: false.",
    );
  } else {
    const emailIdentity = identityOf(options.email);
    await storage.createUser({ user: describeUser(options), emailIdentity, at: options.now });
  }
  const { origin } = options;
  const { cookies } = await issueSession(auth, options.userId, env, {
    origin,
    ...(options.secondFactor === true ? { amr: ["mfa"] } : {}),
  });
  return usableCookies(cookies, origin);
}

/** Tests do not run on a configured domain, and plain http is allowed in tests only. */
function usableCookies(lines: readonly string[], origin: string): string[] {
  const plain = origin.startsWith("http:");
  return lines.map((line) =>
    line.replace(/;\s*domain=[^;]*/i, "").replace(plain ? /;\s*secure(?=;|$)/i : "", "")
  );
}

/** A request of somebody who is signed in. */
interface SignedIn {
  auth: Auth<unknown>;
  env: object;
  origin: string;
  /** `Cookie` header. */
  cookie: string;
}

/** Makes an API key of the signed-in user, and returns it. */
async function makeKey(
  signedIn: SignedIn,
  wanted: Exclude<WithAuthOptions["apiKey"], boolean | undefined>,
): Promise<string> {
  const { value: { key } } = await runSignedIn(
    signedIn,
    () => createApiKey({ name: "Test", ...wanted }),
  );
  return key;
}

/** Begins to act for a user as the signed-in administrator, and returns the `Set-Cookie` headers. */
async function beginActing(
  signedIn: SignedIn,
  { userId, reason = "Test" }: { userId: string; reason?: string | undefined },
): Promise<string[]> {
  const { lines } = await runSignedIn(signedIn, () => impersonate(userId, { reason }));
  return usableCookies(lines, signedIn.origin);
}

/** Runs work within a request, and throws its errors, which the library would answer. */
async function runSignedIn<T>(
  { auth, env, origin, cookie }: SignedIn,
  work: () => Promise<T>,
): Promise<{ value: T; lines: string[] }> {
  let outcome: { value: T } | { error: unknown } | undefined;
  const request = new Request(origin, { method: "POST", headers: { cookie, origin } });
  const response = await auth.run(request, env, undefined, async () => {
    outcome = await work().then((value) => ({ value }), (error) => ({ error }));
    return new Response();
  });
  if (outcome !== undefined && "value" in outcome) {
    return { value: outcome.value, lines: response.headers.getSetCookie() };
  }
  throw outcome?.error ?? new Error(`The library answered ${response.status}.`);
}

/** Makes the user a member of a tenant, so that the session counts there. */
async function joinTenant(
  auth: Auth<unknown>,
  env: object,
  { userId, tenant, origin }: WithAuthOptions & { origin: string },
): Promise<void> {
  const { id: tenantId, roles = [] } = typeof tenant === "string" ? { id: tenant } : tenant!;
  await runSignedIn(
    { auth, env, origin, cookie: "" },
    () => addMember(userId, { tenantId, roles }),
  );
}

function describeUser({ userId, role, roles, email, name }: WithAuthOptions): User {
  return {
    id: userId,
    ...(role === undefined ? {} : { role }),
    ...(roles === undefined ? {} : { roles }),
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name }),
  };
}

function identityOf(email: string | undefined): string | null {
  if (email === undefined) return null;
  const parsed = parseEmailAddress(email);
  if (parsed !== null) return parsed.identity;
  throw new TestingError(
    "INVALID_EMAIL",
    `withAuth() was given ${JSON.stringify(email)}, which is not an email address. Pass one ` +
      'such as "ada@example.com".',
  );
}

function refuseChange(user: User, options: WithAuthOptions): void {
  for (const key of ["role", "roles", "email", "name"] as const) {
    const wanted = options[key];
    if (wanted === undefined || JSON.stringify(wanted) === JSON.stringify(user[key])) continue;
    throw new TestingError(
      "USER_DIFFERS",
      `withAuth() was given ${key} ${JSON.stringify(wanted)}, but user "${user.id}" exists ` +
        `with ${JSON.stringify(user[key] ?? null)}. withAuth() does not change an existing user: ` +
        `omit ${key}, or change the user in ctx.db.`,
    );
  }
}
