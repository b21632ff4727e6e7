import { beginAtCallers } from "../errors.ts";
import {
  type Auth,
  createAuth,
  createMemoryStorage,
  type RbacDefinition,
  type User,
} from "@framework/auth";
import { createCookieJar } from "./cookies.ts";
import { ORIGIN } from "./fetch.ts";
import { signIn } from "./with_auth.ts";

/** Options for `runAs`. */
export interface RunAsOptions {
  /** Roles and their permissions: the default export of `app/auth/rbac.ts`. Default: none. */
  rbac?: RbacDefinition;
}

/** Origin of a user's request, and the engine that answers it. */
export interface RequestOf {
  auth: Auth<unknown> | null;
  env: object;
  origin: string;
  now: number;
}

/**
 * Runs a function as if within a request, so that `getUser()`, `requireRole()` and similar
 * functions of `@framework/auth` work in the code that it calls. No application is loaded: use
 * `runAs` of a test context for code that needs the database.
 *
 * @param user The signed-in user; null for a visitor.
 * @param work The function.
 * @param options Roles and their permissions.
 * @returns The function's result.
 * @throws Errors of the function.
 *
 * @example
 * ```ts
 * import { getUser, requireRole } from "@framework/auth";
 * import { runAs } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * function greet(): string {
 *   return `Hello ${getUser()?.name ?? "stranger"}`;
 * }
 *
 * assert.equal(await runAs({ id: "ada", name: "Ada" }, greet), "Hello Ada");
 * assert.equal(await runAs(null, greet), "Hello stranger");
 * await assert.rejects(runAs(null, () => requireRole("admin")), { code: "UNAUTHENTICATED" });
 * ```
 */
export async function runAs<T>(
  user: User | null,
  work: () => T | Promise<T>,
  options: RunAsOptions = {},
): Promise<T> {
  const auth = createAuth({
    database: createMemoryStorage(),
    ...(options.rbac !== undefined && { rbac: options.rbac }),
  });
  return await runInRequest(user, work, { auth, env: {}, origin: ORIGIN, now: Date.now() });
}

/** Runs a function within a request of a user. */
export async function runInRequest<T>(
  user: User | null,
  work: () => T | Promise<T>,
  { auth, env, origin, now }: RequestOf,
): Promise<T> {
  const jar = createCookieJar(() => now);
  const url = new URL(origin);
  if (user !== null || auth === null) {
    const { id: userId, role, roles, email, name } = user ?? { id: "" };
    const lines = await signIn(auth, env, {
      userId,
      now,
      origin,
      ...(role !== undefined && { role }),
      ...(roles !== undefined && { roles }),
      ...(typeof email === "string" && { email }),
      ...(typeof name === "string" && { name }),
    });
    for (const line of lines) jar.set(line, url);
  }
  const request = new Request(url, { headers: { cookie: jar.header(url) } });
  let outcome: { value: T } | { error: unknown } | undefined;
  await auth!.run(request, env, undefined, async () => {
    // Caught inside, because outside of the request the library turns its errors into a response.
    outcome = await Promise.resolve().then(work).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    return new Response();
  });
  if (outcome === undefined || "error" in outcome) throw outcome?.error;
  return outcome.value;
}

beginAtCallers(runAs);
