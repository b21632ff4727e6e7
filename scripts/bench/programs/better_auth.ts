import { type Job, onFreshRequests } from "../contender.ts";
import type { BetterAuth, Peers } from "../peers.ts";

/** The origin of all applications. */
export const ORIGIN = "https://app.example";
/** The secret of all applications. */
export const SECRET = "a secret of the benchmark, 32 bytes or more";
/** Person who signs in. */
export const PERSON = {
  name: "Ada Lovelace",
  email: "ada@example.com",
  password: "difference-engine",
};

/** Tables that Better Auth asks for, in SQLite. */
export const BETTER_AUTH_TABLES: readonly string[] = [
  `CREATE TABLE "user" (id TEXT PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE,
    emailVerified INTEGER NOT NULL, image TEXT, createdAt DATE NOT NULL, updatedAt DATE NOT NULL)`,
  `CREATE TABLE "session" (id TEXT PRIMARY KEY, expiresAt DATE NOT NULL, token TEXT NOT NULL UNIQUE,
    createdAt DATE NOT NULL, updatedAt DATE NOT NULL, ipAddress TEXT, userAgent TEXT,
    userId TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE)`,
  `CREATE TABLE "account" (id TEXT PRIMARY KEY, accountId TEXT NOT NULL, providerId TEXT NOT NULL,
    userId TEXT NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, accessToken TEXT, refreshToken TEXT,
    idToken TEXT, accessTokenExpiresAt DATE, refreshTokenExpiresAt DATE, scope TEXT, password TEXT,
    createdAt DATE NOT NULL, updatedAt DATE NOT NULL)`,
  `CREATE TABLE "verification" (id TEXT PRIMARY KEY, identifier TEXT NOT NULL, value TEXT NOT NULL,
    expiresAt DATE NOT NULL, createdAt DATE NOT NULL, updatedAt DATE NOT NULL)`,
  `CREATE INDEX session_user ON "session" (userId)`,
  `CREATE INDEX account_user ON "account" (userId)`,
];

/** Configuration that all its instances share; `more` is added to it. */
export function betterAuthConfig(more: Record<string, unknown>): Record<string, unknown> {
  return {
    baseURL: ORIGIN,
    secret: SECRET,
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { disabled: true },
    emailAndPassword: { enabled: true, autoSignIn: true },
    ...more,
  };
}

/** Sign-ups without the cost of a hash. */
export const WITHOUT_HASH = {
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password: string) => Promise.resolve(`plain:${password}`),
      verify: ({ hash, password }: { hash: string; password: string }) => {
        return Promise.resolve(hash === `plain:${password}`);
      },
    },
  },
};

/** Empty tables for its adapter in memory. */
export function emptyTables(): Record<string, unknown[]> {
  return { user: [], session: [], account: [], verification: [] };
}

/** Its smallest form, with everything in memory. */
export async function inMemory(
  peers: Peers,
  more: Record<string, unknown> = {},
): Promise<BetterAuth> {
  const { betterAuth } = await peers.betterAuthMinimal();
  const { memoryAdapter } = await peers.betterAuthMemory();
  return betterAuth(betterAuthConfig({ database: memoryAdapter(emptyTables()), ...more }));
}

/** A request with a body, as the page of the application sends it. */
export function jsonRequest(path: string, body: unknown): Request {
  return new Request(ORIGIN + path, {
    method: "POST",
    headers: { "content-type": "application/json", origin: ORIGIN },
    body: JSON.stringify(body),
  });
}

/** Signs somebody up, and returns the cookies of the new session. */
export async function signUp(auth: BetterAuth): Promise<string> {
  const response = await auth.handler(jsonRequest("/api/auth/sign-up/email", PERSON));
  if (!response.ok) throw new Error(await response.text());
  return response.headers.getSetCookie().map((line) => line.split(";")[0]!).join("; ");
}

/** A request of whoever has these cookies, among others. */
export function requestWith(cookies: string): Request {
  return new Request(`${ORIGIN}/`, { headers: { cookie: `theme=dark; ${cookies}; lang=en` } });
}

/** The job of finding out who is signed in, on a request that is new each time. */
export function checkOf(auth: BetterAuth, cookies: string): Job {
  return onFreshRequests(() => requestWith(cookies), async ({ headers }) => {
    const found = await auth.api.getSession({ headers });
    if (found?.user.name !== PERSON.name) throw new Error("Nobody is signed in");
  });
}
