import { jwtSessions } from "../app/jwt_sessions.ts";
import type { AuthOptions, SessionConfig } from "../app/options.ts";
import { derivePurposeKey } from "../lib/keys.ts";
import { getUser } from "../session/operations.ts";
import { createTestApplication, type TestApplication } from "./application.ts";

/** The secret of applications under test with the session strategy 'jwt'. */
export const SECRET = "0123456789abcdef0123456789abcdef";

/** The name of their session cookie. */
export const COOKIE = "framework.session-token";

/** The key with which their tokens are signed, for tests that make tokens of their own. */
export const TOKEN_KEY: Uint8Array = await derivePurposeKey(SECRET, "session-jwt");

/** Options of a {@linkcode TokenApplication} besides those of every application. */
export interface TokenApplicationOptions extends Omit<Partial<AuthOptions>, "session"> {
  session?: Omit<SessionConfig, "strategy">;
  /** True when it has a database. Default true. */
  users?: boolean;
}

/** Makes an application whose sessions are in signed tokens. */
export function createTokenApplication(options: TokenApplicationOptions = {}): TestApplication {
  const { session, users = true, ...more } = options;
  return createTestApplication({
    secret: SECRET,
    session: { strategy: jwtSessions, ...session },
    ...more,
    // As composeAuth() leaves it out when the environment has none.
    ...(!users && { database: null as never }),
  });
}

/** The claims in a Cookie header, or in a token, as anybody can read them. */
export function claimsOf(cookie: string): Record<string, unknown> {
  const token = cookie.includes("=") ? cookie.slice(cookie.indexOf("=") + 1) : cookie;
  const bytes = Uint8Array.from(
    atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Id of the user whom an application sees behind some headers, or null. */
export async function userBehind(
  application: TestApplication,
  headers: Record<string, string>,
): Promise<string | null> {
  const { auth } = application;
  const request = new Request("https://app.example/page", { headers });
  const response = await auth.run(
    request,
    {},
    undefined,
    () => Response.json(getUser()?.id ?? null),
  );
  return await response.json();
}

/** The Cookie header of a browser that has sent one and then got this response. */
export function browserAfter(cookie: string, response: Response): string {
  const jar = new Map<string, string>();
  for (const pair of cookie.split("; ").filter((text) => text !== "")) {
    jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
  }
  for (const line of response.headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const name = pair.slice(0, pair.indexOf("="));
    if (line.includes("; Max-Age=0;")) jar.delete(name);
    else jar.set(name, pair.slice(name.length + 1));
  }
  return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
}
