import type { Job } from "../contender.ts";
import { ORIGIN } from "../programs/better_auth.ts";

/** One time of an act, ready to be done: what it takes of the clock. */
export type Go = () => Promise<Response>;

/** Something that people do, in one application. */
export interface Act {
  /** Makes one time of it ready; its time does not count. */
  make(): Promise<Go>;
  /** Attempts that must be refused, by their names. */
  wrong: Readonly<Record<string, Go>>;
  /** True when it ends with a new session. Default false. */
  signsIn?: boolean;
  /** Removes what earlier times have left behind. Default: nothing. */
  tidy?(): void;
}

/** Names of the acts. */
export const ACTS = [
  "sign-up",
  "verification of an address",
  "sign-in with a second factor",
  "check of an API key",
  "acceptance of an invitation",
] as const;

/** Name of an act. */
export type ActName = (typeof ACTS)[number];

/** The acts of an application; each in one of its own. */
export type Acts<Setting = void> = Readonly<Record<ActName, (setting: Setting) => Promise<Act>>>;

/** A password that every contender allows. */
export const PASSWORD = "a sentence of the benchmark";

/** Hashes and checks passwords at no cost, which then is no part of what is compared. */
export const PLAIN_HASHER = {
  hash: (password: string): Promise<string> => Promise.resolve(`plain:${password}`),
  verify: (password: string, hash: string | null | undefined): Promise<boolean> =>
    Promise.resolve(hash === `plain:${password}`),
};

/** Request with a form, as a page of the application posts it. */
export function formRequest(
  path: string,
  fields: Readonly<Record<string, string>>,
  cookie = "",
): Request {
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

/** The cookies that a response sets, as they come back. */
export function cookiesOf({ headers }: Response): string {
  return headers.getSetCookie().filter((line) => !/max-age=0(?:;|$)/i.test(line))
    .map((line) => line.split(";")[0]!).join("; ");
}

/** Text with another character in the middle. */
export function changed(text: string): string {
  const at = text.length >> 1;
  return text.slice(0, at) + (text[at] === "a" ? "b" : "a") + text.slice(at + 1);
}

/**
 * The job of doing an act, of a contender that does it and refuses what it must. Who does not has no time worth
 * comparing.
 *
 * @throws {Error} When it refuses the right one, or takes what is wrong.
 */
export async function jobOf(
  name: string,
  { make, wrong, signsIn = false, tidy }: Act,
): Promise<Job> {
  async function doIt(go: Go): Promise<void> {
    const response = await go();
    const isIn = /(?:^|[-.])session/m.test(response.headers.getSetCookie().join("\n"));
    if (response.status >= 400 || (signsIn && !isIn)) {
      throw new Error(`"${name}" answered ${response.status}: ${await response.text()}`);
    }
  }
  await doIt(await make());
  for (const [what, attempt] of Object.entries(wrong)) {
    const { status } = await attempt();
    if (status < 400) throw new Error(`"${name}" takes ${what}: ${status}`);
  }
  const ready: Go[] = [];
  return Object.assign(async () => await doIt(ready.shift() ?? await make()), {
    async prepare(count: number): Promise<void> {
      tidy?.();
      while (ready.length < count) ready.push(await make());
    },
  });
}
