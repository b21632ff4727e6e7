import { type AuthOptions, createAuth, github, jwtSessions } from "@framework/auth";
import type { Contenders, Job } from "../contender.ts";
import { authCoreConfig, failure } from "./auth_core.ts";
import { betterAuthConfig, emptyTables, jsonRequest, ORIGIN, SECRET } from "./better_auth.ts";
import { callbackByHand, importSecret, startByHand } from "./by_hand_sign_in.ts";
import {
  createHandOAuth,
  type HandParts,
  type HandPrimitives,
  nodePrimitives,
  webPrimitives,
} from "./oauth_by_hand.ts";

/** The application, as the provider knows it. */
export const CLIENT = { clientId: "id", clientSecret: "a secret" };
/** The provider, as it says in its answers. */
export const ISSUER = "https://github.com/login/oauth";

const ANSWERS: Record<string, unknown> = {
  [`${ISSUER}/access_token`]: {
    "access_token": "an access token",
    "token_type": "bearer",
    scope: "read:user,user:email",
  },
  "https://api.github.com/user": {
    id: 1,
    login: "ada",
    name: "Ada Lovelace",
    email: "ada@example.com",
    "avatar_url": "https://images.example/ada.png",
  },
  "https://api.github.com/user/emails": [
    { email: "ada@example.com", primary: true, verified: true },
  ],
};

/** The provider, in the process: what is left to be measured is the part of whoever asks it. */
export function answer(input: string | URL | Request): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const found = ANSWERS[url];
  if (found === undefined) return Promise.reject(new Error(`Nobody answers at ${url}`));
  return Promise.resolve(Response.json(found));
}

/** Has whoever calls the platform's `fetch` talk to the provider. */
function bringProvider(): void {
  globalThis.fetch = answer;
}

/** The cookies that a response sets, as they come back. */
export function cookiesOf(response: Response): string {
  return response.headers.getSetCookie().map((line) => line.split(";")[0]!).join("; ");
}

/** The state that a start has sent to the provider. */
export function stateOf(response: Response, location: string | null): string {
  const state = URL.canParse(location ?? "") ? new URL(location!).searchParams.get("state") : null;
  // A provider of Auth.js with PKCE alone sends none.
  if (response.status >= 400) throw failure(`The sign-in did not begin: ${response.status}`);
  return state ?? "";
}

/** @throws {Error} When a response brings no session. */
export function expectSession({ status, headers }: Response, name: string): void {
  const location = headers.get("location") ?? "";
  const isThere = headers.getSetCookie().some((line) => line.includes(name));
  if (status >= 400 || !isThere) throw failure(`No session, but status ${status} and ${location}`);
}

/** The way back from the provider. */
export function comeBack(path: string, state: string, cookie: string): Request {
  const search = new URLSearchParams({ code: "code", ...state !== "" && { state } });
  return new Request(`${ORIGIN}${path}?${search}`, { headers: { cookie, accept: "text/html" } });
}

const FORM = {
  "content-type": "application/x-www-form-urlencoded",
  accept: "text/html",
  origin: ORIGIN,
};

/** Both legs of a sign-in in one application. */
export interface Legs {
  start(request: Request): Promise<Response>;
  callback(request: Request): Promise<Response>;
  /** Paths of both. */
  paths: readonly [start: string, callback: string];
  /** Name of the session's cookie, or a part of it. */
  session: string;
}

/** Both legs in an application of the library. */
export function legsOf(options: AuthOptions): Legs {
  const auth = createAuth({
    baseUrl: ORIGIN,
    secret: SECRET,
    rateLimit: false,
    providers: [github(CLIENT)],
    fetch: answer,
    // What is refused before the clock starts is expected.
    logger: { info() {}, warn() {}, error() {} },
    ...options,
  });
  const handle = async (request: Request) => (await auth.handle(request, undefined))!;
  return {
    start: handle,
    callback: handle,
    paths: ["/auth/signin/github", "/auth/callback/github"],
    session: "session-token=",
  };
}

/** Faults that may be met on the way. */
interface Wrong {
  origin?: string;
  state?: string;
  cookie?: string;
  issuer?: string;
}

/** Goes there, and makes the request that comes back. */
async function goThere({ start, paths }: Legs, wrong: Wrong = {}): Promise<Request> {
  const body = "callbackUrl=%2Fwelcome";
  const begun = await start(
    new Request(ORIGIN + paths[0], {
      method: "POST",
      headers: {
        ...FORM,
        "content-length": String(body.length),
        origin: wrong.origin ?? ORIGIN,
      },
      body,
    }),
  );
  const state = wrong.state ?? stateOf(begun, begun.headers.get("location"));
  const back = comeBack(paths[1], state, wrong.cookie ?? cookiesOf(begun));
  const issuer = encodeURIComponent(wrong.issuer ?? ISSUER);
  return new Request(`${back.url}&iss=${issuer}`, back);
}

/**
 * The job of signing in, of an application that refuses another page's start, the state of another sign-in, another browser,
 * another provider's answer, and where it has a place to remember (`once`) the same answer again.
 *
 * @throws {Error} When it takes one of them.
 */
export async function oauthJob(
  name: string,
  legs: Legs,
  { once = false }: { once?: boolean } = {},
): Promise<Job> {
  const { callback, session } = legs;
  async function job(): Promise<void> {
    expectSession(await callback(await goThere(legs)), session);
  }
  async function expectRefusal(what: string, request: () => Promise<Request>): Promise<void> {
    const response = await request().then(callback).catch(() => null);
    const isIn = response?.headers.getSetCookie().some((line) => line.includes(session)) ?? false;
    if (isIn) throw new Error(`"${name}" takes ${what}`);
  }
  await job();
  const all: Record<string, Wrong> = {
    "a start from another page": { origin: "https://elsewhere.example" },
    "another state": { state: "a".repeat(43) },
    "another browser": { cookie: "a=b" },
    "the answer of another provider": { issuer: "https://elsewhere.example" },
  };
  for (const [what, wrong] of Object.entries(all)) {
    await expectRefusal(what, () => goThere(legs, wrong));
  }
  if (once) {
    const request = await goThere(legs);
    expectSession(await callback(request.clone()), session);
    await expectRefusal("an answer again", () => Promise.resolve(request));
  }
  return job;
}

/** The job of signing in, in an application by hand. */
export async function handJob(
  primitives: HandPrimitives,
  { fetch = answer, store }: Partial<Pick<HandParts, "fetch" | "store">> = {},
): Promise<Job> {
  const application = createHandOAuth({
    fetch,
    primitives,
    signing: await importSecret(),
    ...store !== undefined && { store },
  });
  const paths = ["/signin", "/callback"] as const;
  const legs: Legs = { ...application, paths, session: "session=" };
  return await oauthJob("by hand", legs, { once: store !== undefined });
}

/** A whole sign-in at a provider of OAuth 2.0, there and back, whose answers cost nothing. */
export const contenders: Contenders = {
  async "by hand"() {
    bringProvider();
    const key = await importSecret();
    return async () => {
      expectSession(await callbackByHand(await startByHand(key), key), "session=");
    };
  },
  "by hand, with every check: WebCrypto": async () => handJob(await webPrimitives(SECRET)),
  "by hand, with every check: node:crypto": () => handJob(nodePrimitives(SECRET)),
  async "the library"() {
    return await oauthJob("the library", legsOf({ session: { strategy: jwtSessions } }));
  },
  async "Better Auth"({ peers }) {
    bringProvider();
    const { betterAuth } = await peers.betterAuthMinimal();
    const { memoryAdapter } = await peers.betterAuthMemory();
    const tables = emptyTables();
    const auth = betterAuth(betterAuthConfig({
      database: memoryAdapter(tables),
      socialProviders: { github: CLIENT },
    }));
    return async () => {
      const begun = await auth.handler(
        jsonRequest("/api/auth/sign-in/social", { provider: "github", callbackURL: "/" }),
      );
      const { url } = await begun.clone().json();
      const state = stateOf(begun, url);
      const request = comeBack("/api/auth/callback/github", state, cookiesOf(begun));
      expectSession(await auth.handler(request), "session_token=");
      tables.session!.length = 0;
    };
  },
  async "Auth.js core"({ peers }) {
    bringProvider();
    const { Auth } = await peers.authCore();
    const { default: GitHub } = await peers.authCoreGitHub();
    const config = authCoreConfig({ providers: [GitHub(CLIENT)] });
    // A browser has this once, from the page with the button.
    const page = await Auth(new Request(`${ORIGIN}/auth/csrf`), config);
    const { csrfToken } = await page.json();
    const cookie = cookiesOf(page);
    return async () => {
      const start = new Request(`${ORIGIN}/auth/signin/github`, {
        method: "POST",
        headers: { ...FORM, cookie },
        body: new URLSearchParams({ csrfToken, callbackUrl: "/" }).toString(),
      });
      const begun = await Auth(start, config);
      const state = stateOf(begun, begun.headers.get("location"));
      const cookies = `${cookie}; ${cookiesOf(begun)}`;
      const request = comeBack("/auth/callback/github", state, cookies);
      expectSession(await Auth(request, config), "session-token=");
    };
  },
};
