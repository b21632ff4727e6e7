import { readCookie } from "./read_cookie.ts";
import type { TokenCookies } from "./strategy.ts";

/** One cookie, for tokens that always fit. */
export const ONE_COOKIE: TokenCookies = {
  read(header, name) {
    const reading = readCookie(header, name);
    return { reading, names: reading.found === "none" ? [] : [name] };
  },
  split: (name, token) => [[name, token]],
  alsoPossible: () => [],
};
