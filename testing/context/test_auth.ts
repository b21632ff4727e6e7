import { type CookieJar, createCookieJar } from "./cookies.ts";
import type { TestAuth, TestContext, WithAuthOptions } from "./types.ts";

/** Signs a user in by the test's own way, and returns the context of the session. */
export async function signInBy<Env>(
  auth: TestAuth,
  options: WithAuthOptions,
  { visitor, origin, now }: {
    /** Creates a context with the headers and the cookies. */
    visitor(headers: Readonly<Record<string, string>>, jar: CookieJar): TestContext<Env>;
    origin: string;
    now(): number;
  },
): Promise<TestContext<Env>> {
  const jar = createCookieJar(now);
  const url = new URL(origin);
  const signedIn = await auth.signIn(options, visitor({}, jar)) ?? {};
  const { cookies = {}, headers = {} } = signedIn;
  const lines = Array.isArray(cookies)
    ? cookies
    : Object.entries(cookies).map(([name, value]) => `${name}=${value}; Path=/`);
  for (const line of lines) jar.set(line, url);
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return visitor(Object.fromEntries(lowered), jar);
}
