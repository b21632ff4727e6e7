import { createMemoryStorage, issueSession, jwtSessions } from "@framework/auth";
import { signedIn } from "../applications.ts";
import type { Contenders } from "../contender.ts";
import { sealedSession } from "./auth_core.ts";
import { PERSON, SECRET } from "./better_auth.ts";
import { importSecret, mintByHand } from "./by_hand_sign_in.ts";

/** Makes a session of somebody who is known, as a cookie that holds it. */
export const contenders: Contenders = {
  async "by hand: HS256, WebCrypto"() {
    const key = await importSecret();
    return () => mintByHand(key);
  },
  async "the library"() {
    const { auth } = await signedIn({
      database: createMemoryStorage(),
      secret: SECRET,
      session: { strategy: jwtSessions },
    });
    return () => issueSession(auth, "ada", {});
  },
  async "jose, SignJWT"({ peers }) {
    const { SignJWT } = await peers.jose();
    const key = await importSecret();
    return async () => {
      const { name, email } = PERSON;
      const iat = Math.floor(Date.now() / 1000);
      const claims = { sub: "ada", name, email, iat, exp: iat + 86_400, jti: crypto.randomUUID() };
      return await new SignJWT(claims).setProtectedHeader({ alg: "HS256", typ: "JWT" }).sign(key);
    };
  },
  async "hono/jwt, sign"({ peers }) {
    const { sign } = await peers.honoJwt();
    return async () => {
      const { name, email } = PERSON;
      const iat = Math.floor(Date.now() / 1000);
      const claims = { sub: "ada", name, email, iat, exp: iat + 86_400, jti: crypto.randomUUID() };
      return await sign(claims, SECRET, "HS256");
    };
  },
  async "iron-session, sealData"({ peers }) {
    const { sealData } = await peers.ironSession();
    const { name, email } = PERSON;
    return () => sealData({ name, email, id: "ada" }, { password: SECRET });
  },
  async "Auth.js core, encode"({ peers }) {
    await sealedSession(peers);
    return () => sealedSession(peers);
  },
};
