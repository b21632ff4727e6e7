import { createMemoryStorage, getUser, jwtSessions } from "@framework/auth";
import { jwtByHand } from "../by_hand.ts";
import { signedIn } from "../applications.ts";
import type { Setting } from "../contender.ts";
import { authCoreConfig, COOKIE, sealedSession } from "./auth_core.ts";
import { inMemory, ORIGIN, PERSON, SECRET, signUp, WITHOUT_HASH } from "./better_auth.ts";
import { importSecret, mintByHand } from "./by_hand_sign_in.ts";

/** A server with one page, for whoever is signed in. */
export interface Handler {
  /** Cookie of somebody who is signed in. */
  cookie: string;
  fetch(request: Request): Response | Promise<Response>;
}

function page(name: string | null | undefined): Response {
  return name === PERSON.name ? new Response(name) : new Response("Nobody", { status: 401 });
}

function valueOf(request: Request, name: string): string {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** The handlers by name. */
export const handlers: Record<string, (setting: Setting) => Promise<Handler>> = {
  // deno-lint-ignore require-await -- as the others
  async "an empty worker"() {
    return { cookie: "session=none", fetch: () => new Response(PERSON.name) };
  },
  async "by hand: WebCrypto"() {
    const byHand = (await jwtByHand()).find(({ name }) => name === "by hand: WebCrypto")!;
    // The token that it checks is always the same; a cookie of the same length comes with the request.
    const cookie = (await mintByHand(await importSecret())).split(";")[0]!;
    return {
      cookie,
      async fetch(request) {
        if (valueOf(request, "session") === "") return page(null);
        await byHand.run();
        return page(PERSON.name);
      },
    };
  },
  async "the library"() {
    const { auth, cookie } = await signedIn({
      database: createMemoryStorage(),
      secret: SECRET,
      session: { strategy: jwtSessions },
    });
    return {
      cookie,
      fetch: (request) => auth.run(request, {}, undefined, () => page(getUser()?.name)),
    };
  },
  async "jose, jwtVerify"({ peers }) {
    const { jwtVerify, SignJWT } = await peers.jose();
    const key = await importSecret();
    const exp = Math.floor(Date.now() / 1000) + 86_400;
    const claims = { sub: "ada", name: PERSON.name, email: PERSON.email, aud: "app", exp };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(key);
    return {
      cookie: `session=${token}`,
      async fetch(request) {
        const options = { algorithms: ["HS256"], audience: "app" };
        const { payload } = await jwtVerify(valueOf(request, "session"), key, options);
        return page(payload.name as string);
      },
    };
  },
  async "iron-session"({ peers }) {
    const { getIronSession, sealData } = await peers.ironSession();
    const { name, email } = PERSON;
    const sealed = await sealData({ name, email, id: "ada" }, { password: SECRET });
    return {
      cookie: `session=${sealed}`,
      async fetch(request) {
        const options = { password: SECRET, cookieName: "session" };
        return page((await getIronSession(request, new Response(), options)).name);
      },
    };
  },
  async "Better Auth, cookie cache (jwt)"({ peers }) {
    const session = { cookieCache: { enabled: true, maxAge: 86_400, strategy: "jwt" } };
    const auth = await inMemory(peers, { ...WITHOUT_HASH, session });
    return {
      cookie: await signUp(auth),
      async fetch({ headers }) {
        return page((await auth.api.getSession({ headers }))?.user.name);
      },
    };
  },
  async "Auth.js core, session action"({ peers }) {
    const { Auth } = await peers.authCore();
    const config = authCoreConfig({ providers: [] });
    return {
      cookie: `${COOKIE}=${await sealedSession(peers)}`,
      async fetch({ headers }) {
        const cookie = headers.get("cookie")!;
        const asked = new Request(`${ORIGIN}/auth/session`, { headers: { cookie } });
        const session = await (await Auth(asked, config)).json();
        return page(session?.user?.name);
      },
    };
  },
};
