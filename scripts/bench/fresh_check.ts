import { type Job, onFreshRequests } from "./contender.ts";
import type { RequestContender } from "./rounds.ts";

/** Requests of a contender. */
export interface FreshCheckOptions {
  /** Requests of those who are signed in, which come in turn. Default: the contender's own. */
  requests?: readonly Request[];
  /** A request with a session that has ended. Default: sessions of this kind cannot be ended. */
  ended?: Request;
}

function copyOf({ url }: Request, cookie: string): Request {
  return new Request(url, { headers: { cookie } });
}

/** The cookie header of a request, with another character in its token. */
function tampered(cookie: string): string {
  const end = cookie.lastIndexOf(";");
  // Not the last one, whose lowest bits may stand for nothing.
  const at = (end < 0 ? cookie.length : end) - 5;
  return cookie.slice(0, at) + (cookie[at] === "A" ? "B" : "A") + cookie.slice(at + 1);
}

async function isRefused({ run }: RequestContender, request: Request): Promise<boolean> {
  try {
    await run(request);
    return false;
  } catch {
    return true;
  }
}

/**
 * The job of checking requests that are new each time, of a contender that refuses what it must: a token with another
 * character, and a session that has ended. Who takes either has no time worth comparing.
 *
 * @throws {Error} When it takes one of them, or refuses who is signed in.
 */
export async function freshCheck(
  contender: RequestContender,
  { requests = [contender.request], ended }: FreshCheckOptions = {},
): Promise<Job> {
  const { name } = contender;
  const all = requests.map((request) => [request, request.headers.get("cookie")!] as const);
  const [request, cookie] = all[0]!;
  await contender.run(copyOf(request, cookie));
  if (!await isRefused(contender, copyOf(request, tampered(cookie)))) {
    throw new Error(`"${name}" takes a token that somebody has changed`);
  }
  if (ended !== undefined && !await isRefused(contender, ended)) {
    throw new Error(`"${name}" takes a session that has ended`);
  }
  let turn = 0;
  return onFreshRequests(() => copyOf(...all[turn++ % all.length]!), contender.run);
}
