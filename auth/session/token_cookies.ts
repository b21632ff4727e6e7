import { type CookieReading, readCookie } from "./read_cookie.ts";

/** What a Cookie header holds under a name and under the names of its chunks. */
export interface CookiesOfToken {
  /** The token in them. */
  reading: CookieReading;
  /** The names that the browser sent. */
  names: string[];
}

/** In which cookies a token is. */
export interface TokenCookies {
  /** Reads it. */
  read(header: string | null, name: string): CookiesOfToken;
  /** The cookies that hold it. */
  split(name: string, token: string): [name: string, value: string][];
  /** The names of those that another request of the browser may have set for it at the same time. */
  alsoPossible(name: string, token: string): string[];
}

/** The one cookie of a token that always fits. */
export const ONE_COOKIE: TokenCookies = {
  read(header, name) {
    const reading = readCookie(header, name);
    return { reading, names: reading.found === "none" ? [] : [name] };
  },
  split: (name, token) => [[name, token]],
  alsoPossible: () => [],
};
