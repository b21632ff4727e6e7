import {
  type AuthOptions,
  createAuth,
  createMemoryStorage,
  credentials,
  hashPassword,
  jwtSessions,
  verifyPassword,
} from "@framework/auth";
import type { Contenders, Job, Setting } from "../contender.ts";
import { authCoreConfig, failure } from "./auth_core.ts";
import {
  betterAuthConfig,
  emptyTables,
  jsonRequest,
  ORIGIN,
  PERSON,
  SECRET,
  WITHOUT_HASH,
} from "./better_auth.ts";
import { importSecret, signInByHand } from "./by_hand_sign_in.ts";

type Verify = (password: string) => Promise<boolean>;

const withoutHash: Verify = (password) => Promise.resolve(password === PERSON.password);

async function withHash(): Promise<Verify> {
  const hash = await hashPassword(PERSON.password);
  return (password) => verifyPassword(password, hash);
}

/** A form as a browser posts it, which always says how long it is. */
function formRequest(path: string, fields: Record<string, string>, cookie = ""): Request {
  const body = new URLSearchParams(fields).toString();
  return new Request(ORIGIN + path, {
    method: "POST",
    headers: {
      "content-length": String(body.length),
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
      origin: ORIGIN,
      ...cookie !== "" && { cookie },
    },
    body,
  });
}

const FIELDS = { email: PERSON.email, password: PERSON.password };

function expectSession({ status, headers }: Response, name: string): void {
  const isThere = headers.getSetCookie().some((line) => line.includes(name));
  if (status >= 400 || !isThere) throw failure(`No session, but status ${status}`);
}

async function byHand(verify: Verify): Promise<Job> {
  const key = await importSecret();
  return async () => {
    const request = formRequest("/signin", FIELDS);
    expectSession(await signInByHand(request, { key, verify }), "session=");
  };
}

function library(verify: Verify, options: AuthOptions): Job {
  const auth = createAuth({
    baseUrl: ORIGIN,
    secret: SECRET,
    providers: [credentials({
      credentials: {
        email: { label: "Email", type: "email", required: true },
        password: { label: "Password", type: "password", required: true },
      },
      async authorize({ email, password }) {
        const isRight = await verify(password!);
        if (!isRight || !email!.endsWith(PERSON.email)) return null;
        return { id: "ada", name: PERSON.name, email: PERSON.email };
      },
    })],
    ...options,
  });
  let turn = 0;
  return async () => {
    // As many people as there are attempts at once: those of one person are limited.
    const email = `${turn++ % 100}${PERSON.email}`;
    const request = formRequest("/auth/signin/credentials", { ...FIELDS, email });
    const response = await auth.handle(request, undefined, { clientAddress: "192.0.2.1" });
    expectSession(response!, "session-token=");
  };
}

const JWT: AuthOptions = { session: { strategy: jwtSessions }, rateLimit: false };

async function betterAuth({ peers }: Setting, more: Record<string, unknown>): Promise<Job> {
  const { betterAuth } = await peers.betterAuthMinimal();
  const { memoryAdapter } = await peers.betterAuthMemory();
  const tables = emptyTables();
  const auth = betterAuth(betterAuthConfig({ database: memoryAdapter(tables), ...more }));
  await auth.handler(jsonRequest("/api/auth/sign-up/email", PERSON));
  const { email, password } = PERSON;
  return async () => {
    const response = await auth.handler(
      jsonRequest("/api/auth/sign-in/email", { email, password }),
    );
    expectSession(response, "session_token=");
    // It searches its lists from the beginning, and nobody else has more than one session here.
    tables.session!.length = 0;
  };
}

async function authCore({ peers }: Setting, verify: Verify): Promise<Job> {
  const { Auth } = await peers.authCore();
  const { default: Credentials } = await peers.authCoreCredentials();
  const config = authCoreConfig({
    providers: [Credentials({
      credentials: { email: {}, password: {} },
      async authorize({ email, password }: typeof FIELDS) {
        const isRight = await verify(password);
        if (!isRight || email !== PERSON.email) return null;
        return { id: "ada", name: PERSON.name, email: PERSON.email };
      },
    })],
  });
  // A browser has this once, from the page with the form.
  const page = await Auth(new Request(`${ORIGIN}/auth/csrf`), config);
  const { csrfToken } = await page.json();
  const cookie = page.headers.getSetCookie().map((line) => line.split(";")[0]!).join("; ");
  return async () => {
    const fields = { ...FIELDS, csrfToken };
    const response = await Auth(formRequest("/auth/callback/credentials", fields, cookie), config);
    expectSession(response, "session-token=");
  };
}

async function ironSession({ peers }: Setting, verify: Verify): Promise<Job> {
  const { getIronSession } = await peers.ironSession();
  return async () => {
    const request = formRequest("/signin", FIELDS);
    const form = new URLSearchParams(await request.text());
    if (!await verify(form.get("password")!) || form.get("email") !== PERSON.email) return;
    const response = new Response(null, { status: 303, headers: { location: "/" } });
    const options = { password: SECRET, cookieName: "session" };
    const session = await getIronSession(request, response, options);
    session.name = PERSON.name;
    session.email = PERSON.email;
    await session.save();
    expectSession(response, "session=");
  };
}

/** Signs somebody in who sends the right password: without the cost of a hash, and with it. */
export const contenders: Contenders = {
  "by hand, HS256 cookie": () => byHand(withoutHash),
  "the library": () => library(withoutHash, JWT),
  "the library, with its limits": () => {
    return library(withoutHash, { ...JWT, rateLimit: {} });
  },
  "the library, session in memory": () => {
    return library(withoutHash, { database: createMemoryStorage(), rateLimit: false });
  },
  "iron-session": (setting) => ironSession(setting, withoutHash),
  "Better Auth": (setting) => betterAuth(setting, WITHOUT_HASH),
  "Auth.js core": (setting) => authCore(setting, withoutHash),
  "with a hash: by hand, scrypt": async () => await byHand(await withHash()),
  "with a hash: the library, scrypt": async () => library(await withHash(), JWT),
  "with a hash: Better Auth, its scrypt": (setting) => betterAuth(setting, {}),
  "with a hash: Auth.js core, scrypt": async (setting) => authCore(setting, await withHash()),
};
