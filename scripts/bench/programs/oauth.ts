import { createAuth, github, jwtSessions } from "@framework/auth";
import type { Contenders } from "../contender.ts";
import { authCoreConfig, failure } from "./auth_core.ts";
import { betterAuthConfig, emptyTables, jsonRequest, ORIGIN, SECRET } from "./better_auth.ts";
import { callbackByHand, importSecret, startByHand } from "./by_hand_sign_in.ts";

const CLIENT = { clientId: "id", clientSecret: "a secret" };
const ISSUER = "https://github.com/login/oauth";

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
function answer(input: string | URL | Request): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const found = ANSWERS[url];
  if (found === undefined) return Promise.reject(new Error(`Nobody answers at ${url}`));
  return Promise.resolve(Response.json(found));
}

/** Has whoever calls the platform's `fetch` talk to the provider. */
function bringProvider(): void {
  globalThis.fetch = answer;
}

function cookiesOf(response: Response): string {
  return response.headers.getSetCookie().map((line) => line.split(";")[0]!).join("; ");
}

function stateOf(response: Response, location: string | null): string {
  const state = URL.canParse(location ?? "") ? new URL(location!).searchParams.get("state") : null;
  // A provider of Auth.js with PKCE alone sends none.
  if (response.status >= 400) throw failure(`The sign-in did not begin: ${response.status}`);
  return state ?? "";
}

function expectSession({ status, headers }: Response, name: string): void {
  const location = headers.get("location") ?? "";
  const isThere = headers.getSetCookie().some((line) => line.includes(name));
  if (status >= 400 || !isThere) throw failure(`No session, but status ${status} and ${location}`);
}

function comeBack(path: string, state: string, cookie: string): Request {
  const search = new URLSearchParams({ code: "code", ...state !== "" && { state } });
  return new Request(`${ORIGIN}${path}?${search}`, { headers: { cookie, accept: "text/html" } });
}

const FORM = {
  "content-type": "application/x-www-form-urlencoded",
  accept: "text/html",
  origin: ORIGIN,
};

/** A whole sign-in at a provider of OAuth 2.0, there and back, whose answers cost nothing. */
export const contenders: Contenders = {
  async "by hand"() {
    bringProvider();
    const key = await importSecret();
    return async () => {
      expectSession(await callbackByHand(await startByHand(key), key), "session=");
    };
  },
  "the library"() {
    const auth = createAuth({
      baseUrl: ORIGIN,
      secret: SECRET,
      session: { strategy: jwtSessions },
      rateLimit: false,
      providers: [github(CLIENT)],
      fetch: answer,
    });
    return async () => {
      const start = new Request(`${ORIGIN}/auth/signin/github`, { method: "POST", headers: FORM });
      const begun = (await auth.handle(start, undefined))!;
      const state = stateOf(begun, begun.headers.get("location"));
      const back = comeBack("/auth/callback/github", state, cookiesOf(begun));
      const request = new Request(`${back.url}&iss=${encodeURIComponent(ISSUER)}`, back);
      expectSession((await auth.handle(request, undefined))!, "session-token=");
    };
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
