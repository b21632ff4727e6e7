import type { CookiesOut } from "../request/cookies_out.ts";
import { clearedCookieLines, sessionCookieLines, sessionCookieName } from "./session_cookie.ts";
import type { StrategyCookie } from "./strategy.ts";

/** The session cookies of one browser. */
export interface SessionJar {
  /** Gives it a token, and takes away what is left of the one before. */
  write(life: { token: string; milliseconds: number }): void;
  /** Takes away what it has shown. */
  forget(): void;
  /** Takes away whatever it has, also what another request may be giving it. */
  clear(): void;
}

/** What a {@linkcode SessionJar} is made of. */
export interface SessionJarOptions {
  /** Name and attributes. */
  cookie: StrategyCookie;
  /** The names of the session cookies that came with the request. */
  names: string[];
  /** Where the lines go. */
  cookiesOut: CookiesOut;
  /** The origin of the application. */
  origin: () => string;
}

/** Makes the jar for one request. */
export function createSessionJar(options: SessionJarOptions): SessionJar {
  const { cookie, cookiesOut, origin } = options;
  let held = options.names;

  function remove(names: Iterable<string>): void {
    for (const name of names) {
      for (const line of clearedCookieLines(cookie, name, origin)) cookiesOut.set(line);
    }
  }

  return {
    write(life) {
      const { tokens } = cookie;
      const name = sessionCookieName(cookie, origin);
      const written = tokens.split(name, life.token).map(([name]) => name);
      for (const line of sessionCookieLines(cookie, life, origin)) cookiesOut.set(line);
      if (held.length > 0) {
        const others = new Set([...held, ...tokens.alsoPossible(name, life.token)]);
        remove([...others].filter((name) => !written.includes(name)));
      }
      held = written;
    },
    forget() {
      remove(held);
      held = [];
    },
    clear() {
      held = [...new Set([sessionCookieName(cookie, origin), cookie.name, ...held])];
      this.forget();
    },
  };
}
