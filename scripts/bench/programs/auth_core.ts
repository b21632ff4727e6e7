import { type Job, onFreshRequests } from "../contender.ts";
import type { Peers } from "../peers.ts";
import { ORIGIN, PERSON, SECRET } from "./better_auth.ts";

/** Name of its session cookie on https. */
export const COOKIE = "__Secure-authjs.session-token";

/** Configuration that all contenders share; `more` is added to it. */
export function authCoreConfig(more: Record<string, unknown>): Record<string, unknown> {
  return {
    secret: SECRET,
    trustHost: true,
    basePath: "/auth",
    session: { strategy: "jwt" },
    logger: { error: (error: Error) => void (lastError = error), warn() {}, debug() {} },
    ...more,
  };
}

let lastError: Error | undefined;

/** The error that says what went wrong, where an answer does not. */
export function failure(what: string): Error {
  return new Error(what, { cause: lastError });
}

/** The claims of a session, sealed as its cookie. */
export async function sealedSession(peers: Peers): Promise<string> {
  const { encode } = await peers.authCoreJwt();
  const { name, email } = PERSON;
  return await encode({
    token: { sub: "ada", name, email, picture: null },
    secret: SECRET,
    salt: COOKIE,
    maxAge: 86_400,
  });
}

/** The job of asking its session endpoint, which is how an application learns who is signed in. */
export async function sessionAction(
  peers: Peers,
  cookie: string,
  config: Record<string, unknown>,
): Promise<Job> {
  const { Auth } = await peers.authCore();
  const headers = { cookie: `theme=dark; ${COOKIE}=${cookie}; lang=en` };
  const make = () => new Request(`${ORIGIN}/auth/session`, { headers });
  return onFreshRequests(make, async (request) => {
    const session = await (await Auth(request, config)).json() as { user?: { name: string } };
    if (session?.user?.name !== PERSON.name) throw failure("Nobody is signed in");
  });
}
