import { createMemoryStorage, jwtSessions } from "@framework/auth";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { libraryCheck, libraryRequest, scopedCheck, signedIn } from "../applications.ts";
import { jwtByHand } from "../by_hand.ts";
import { type Contenders, onFreshRequests } from "../contender.ts";
import { freshCheck } from "../fresh_check.ts";
import { authCoreConfig, COOKIE, sealedSession, sessionAction } from "./auth_core.ts";
import {
  checkOf,
  inMemory,
  PERSON,
  requestWith,
  SECRET,
  signUp,
  WITHOUT_HASH,
} from "./better_auth.ts";

const NAME = "session";
const AUDIENCE = "app";

/** The claims that all tokens hold. */
function claims(): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    name: PERSON.name,
    email: PERSON.email,
    image: null,
    emailVerified: null,
    role: "admin",
    sub: "ada",
    iat: now,
    exp: now + 86_400,
    jti: Buffer.from("0123456789abcdef").toString("base64url"),
    aud: AUDIENCE,
    "auth_time": now,
  };
}

async function importKey(...uses: KeyUsage[]): Promise<CryptoKey> {
  const raw = new Uint8Array(createHash("sha256").update(SECRET).digest());
  return await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, uses);
}

function expectPerson(name: unknown): void {
  if (name !== PERSON.name) throw new Error("Nobody is signed in");
}

function byHand(primitive: string): Contenders[string] {
  return async () => {
    const all = await jwtByHand();
    return await freshCheck(all.find(({ name }) => name === `by hand: ${primitive}`)!);
  };
}

function betterAuthCache(strategy: string): Contenders[string] {
  return async ({ peers }) => {
    const session = { cookieCache: { enabled: true, maxAge: 86_400, strategy } };
    const auth = await inMemory(peers, { ...WITHOUT_HASH, session });
    return checkOf(auth, await signUp(auth));
  };
}

function signedInHere() {
  return signedIn({
    database: createMemoryStorage(),
    secret: SECRET,
    session: { strategy: jwtSessions },
  });
}

/** Checks of a token in a cookie. */
export const contenders: Contenders = {
  async "one HMAC verification, WebCrypto"() {
    const key = await importKey("sign", "verify");
    const text = new TextEncoder().encode("x".repeat(300));
    const signature = await crypto.subtle.sign("HMAC", key, text);
    return () => crypto.subtle.verify("HMAC", key, signature, text);
  },
  "by hand: node:crypto": byHand("node:crypto"),
  "by hand: @noble/hashes": byHand("@noble/hashes"),
  "by hand: WebCrypto": byHand("WebCrypto"),
  async "the library"() {
    const { auth, request } = await signedInHere();
    return await freshCheck(libraryCheck(auth, request));
  },
  async "the library, a whole request"() {
    const { auth, request } = await signedInHere();
    return await freshCheck(libraryRequest(auth, request));
  },
  async "the library's check, in a scope by hand"() {
    const { auth, request } = await signedInHere();
    return await freshCheck(scopedCheck(auth, request));
  },
  async "jose, jwtVerify"({ peers }) {
    const { jwtVerify, SignJWT } = await peers.jose();
    const key = await importKey("sign", "verify");
    const token = await new SignJWT(claims()).setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .sign(key);
    const options = { algorithms: ["HS256"], audience: AUDIENCE };
    return onFreshRequests(() => requestWith(`${NAME}=${token}`), async ({ headers }) => {
      const pair = headers.get("cookie")!.split(";").map((part) => part.trim())
        .find((part) => part.startsWith(`${NAME}=`))!;
      const { payload } = await jwtVerify(pair.slice(NAME.length + 1), key, options);
      expectPerson(payload.name);
    });
  },
  async "hono/jwt"({ peers }) {
    const { Hono } = await peers.hono();
    const { jwt, sign } = await peers.honoJwt();
    const token = await sign(claims(), SECRET, "HS256");
    const app = new Hono();
    app.use(jwt({ secret: SECRET, cookie: NAME, alg: "HS256" }));
    app.get("/", (context) => {
      expectPerson((context.get("jwtPayload") as { name: string }).name);
      return context.text("");
    });
    return onFreshRequests(() => requestWith(`${NAME}=${token}`), async (request) => {
      if (!(await app.fetch(request)).ok) throw new Error("Nobody is signed in");
    });
  },
  async "iron-session"({ peers }) {
    const { getIronSession, sealData } = await peers.ironSession();
    const { name, email } = PERSON;
    const sealed = await sealData({ name, email, id: "ada" }, { password: SECRET });
    return onFreshRequests(() => requestWith(`${NAME}=${sealed}`), async (request) => {
      const options = { password: SECRET, cookieName: NAME };
      expectPerson((await getIronSession(request, new Response(), options)).name);
    });
  },
  "Better Auth, cookie cache (jwt)": betterAuthCache("jwt"),
  "Better Auth, cookie cache (compact)": betterAuthCache("compact"),
  "Better Auth, cookie cache (jwe)": betterAuthCache("jwe"),
  async "Auth.js core, session action"({ peers }) {
    const config = authCoreConfig({ providers: [] });
    return await sessionAction(peers, await sealedSession(peers), config);
  },
  async "Auth.js core, getToken"({ peers }) {
    const { getToken } = await peers.authCoreJwt();
    const sealed = await sealedSession(peers);
    return onFreshRequests(() => requestWith(`${COOKIE}=${sealed}`), async ({ headers }) => {
      const token = await getToken({ req: { headers }, secret: SECRET, secureCookie: true });
      expectPerson(token?.name);
    });
  },
};
