import { type Auth, issueSession, parseEmailAddress, type User } from "@framework/auth";
import { addMember } from "@framework/auth/tenant";
import { TestingError } from "../errors.ts";
import type { WithAuthOptions } from "./types.ts";

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
        "app/auth/config.ts, or test without a user.",
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
  const { cookies } = await issueSession(auth, options.userId, env, { origin });
  const plain = origin.startsWith("http:");
  // Tests do not run on a configured domain, and plain http is allowed in tests only.
  return cookies.map((line) =>
    line.replace(/;\s*domain=[^;]*/i, "").replace(plain ? /;\s*secure(?=;|$)/i : "", "")
  );
}

/** Makes the user a member of a tenant, so that the session counts there. */
export async function joinTenant(
  auth: Auth<unknown>,
  env: object,
  { userId, tenant, origin }: WithAuthOptions & { origin: string },
): Promise<void> {
  const { id: tenantId, roles = [] } = typeof tenant === "string" ? { id: tenant } : tenant!;
  let failure: { error: unknown } | undefined;
  await auth.run(new Request(origin), env, undefined, async () => {
    await addMember(userId, { tenantId, roles }).catch((error) => {
      failure = { error };
    });
    return new Response();
  });
  if (failure !== undefined) throw failure.error;
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
