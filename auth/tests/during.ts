import { getUser } from "../session/operations.ts";
import { inVisit, type TestApplication, visit } from "./application.ts";

/** Returns the user who is signed in with a cookie. */
export async function userAt(
  application: Pick<TestApplication, "auth">,
  cookie: string,
): Promise<string | null> {
  const response = await visit(application, () => Response.json(getUser()?.id ?? null), { cookie });
  return await response.json();
}

/**
 * Runs work in a request, and gives what it gave and the lines that set cookies. What it throws is thrown, though the
 * request answers it.
 */
export async function during<T>(
  application: Pick<TestApplication, "auth">,
  cookie: string | undefined,
  work: () => Promise<T>,
): Promise<{ result: T; cookies: string[] }> {
  let result: { value: T } | undefined;
  const response = await inVisit(application, async () => {
    result = { value: await work() };
    return new Response();
  }, { ...(cookie !== undefined && { cookie }), method: "POST" });
  return { result: result!.value, cookies: response.headers.getSetCookie() };
}
