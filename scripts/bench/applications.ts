import {
  type Auth,
  type AuthOptions,
  createAuth,
  getUser,
  issueSession,
  readSession,
} from "@framework/auth";
import { AsyncLocalStorage } from "node:async_hooks";
import type { Contender, RequestContender } from "./rounds.ts";

const ENVIRONMENT = {};
const USER = { id: "ada", name: "Ada Lovelace", email: "ada@example.com", role: "admin" };
/** The secret of the applications under measurement. */
export const SECRET = "a secret of the benchmark, 32 bytes or more";

/** Makes the application and a request of somebody who is signed in. */
export async function signedIn(
  options: AuthOptions,
): Promise<{ auth: Auth<unknown>; cookie: string; request: Request }> {
  const auth = createAuth<unknown>({ baseUrl: "https://app.example", ...options });
  const request = new Request("https://app.example/");
  const storage = auth.storage(ENVIRONMENT);
  await storage.createUser({ user: USER, emailIdentity: USER.email, at: Date.now() });
  const { cookies } = await issueSession(auth, USER.id, ENVIRONMENT);
  const cookie = cookies[0]!.split(";")[0]!;
  request.headers.set("cookie", `theme=dark; ${cookie}; lang=en`);
  return { auth, cookie, request };
}

/** Contender that reads the session of a request. */
export function libraryCheck(auth: Auth<unknown>, request: Request): RequestContender {
  return {
    name: "the library: readSession()",
    request,
    async run(given = request) {
      const session = await readSession(auth, given, ENVIRONMENT);
      if (session?.user.name !== USER.name) throw new Error("Nobody is signed in");
    },
  };
}

/**
 * All that the library does for a page that asks who is signed in: the check, the operations at hand in
 * everything that the page calls, the response, and the headers that keep it out of caches.
 */
export function libraryRequest(auth: Auth<unknown>, request: Request): RequestContender {
  return {
    name: "the library: run() and getUser(), with a response",
    request,
    async run(given = request) {
      let name: string | null | undefined;
      await auth.run(given, ENVIRONMENT, undefined, () => {
        name = getUser()?.name;
        return new Response(null);
      });
      if (name !== USER.name) throw new Error("Nobody is signed in");
    },
  };
}

/**
 * The check within a scope by hand, with a response that no cache keeps: the least that a request takes in which everything
 * finds who asks.
 */
export function scopedCheck(auth: Auth<unknown>, request: Request): RequestContender {
  const scopes = new AsyncLocalStorage<Request>();
  const { run: check } = libraryCheck(auth, request);
  return {
    name: "the library's check, in a scope by hand with a response",
    request,
    run(given = request) {
      return scopes.run(given, async () => {
        await check(given);
        const response = new Response(null);
        response.headers.set("cache-control", "no-store");
        response.headers.append("vary", "Cookie");
        return response;
      });
    },
  };
}

/** The same page for a visitor without a cookie: what everything but the check costs. */
export function visitorCheck(auth: Auth<unknown>): Contender {
  const request = new Request("https://app.example/");
  return {
    name: "the library, for a visitor without a cookie",
    run: () => auth.run(request, ENVIRONMENT, undefined, () => new Response(null)),
  };
}
