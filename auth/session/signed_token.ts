import { encodeText, fromBase64UrlText, toBase64Url } from "../crypto/encoding.ts";
import type { TextKey } from "../crypto/text_key.ts";
import { MAX_TOKEN_LENGTH } from "./cookie_chunks.ts";

function encodeHeader(): string {
  return `${toBase64Url(encodeText('{"alg":"HS256","typ":"session+jwt"}'))}.`;
}

/** The one header that there is: nothing in it is ever read, so nothing in it can mislead. */
const HEADER = /* @__PURE__ */ encodeHeader();
const SIGNATURE_LENGTH = 43;

/** What a token says. */
export type TokenClaims = Record<string, unknown>;

/** Signs and opens tokens: JSON Web Tokens in compact form (RFC 7515, RFC 7519), by HS256. */
export interface TokenSigner {
  /** The token with these claims, signed with the first key. */
  sign(claims: object): string | Promise<string>;
  /**
   * Hands on the claims of a token that one of the keys has signed, else null, and gives what comes of
   * them: at once where the keys answer at once. It never throws by itself.
   */
  open<T>(token: string, read: (claims: TokenClaims | null) => T | Promise<T>): T | Promise<T>;
}

function parseClaims(payload: string): TokenClaims | null {
  const text = fromBase64UrlText(payload);
  if (text === null) return null;
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === "object" && claims !== null && !Array.isArray(claims)
      ? claims as TokenClaims
      : null;
  } catch {
    return null;
  }
}

/**
 * Makes the signer for some keys.
 *
 * A token is opened by comparing its header with the only right one, and its signature with the one
 * that its text must have: no algorithm is looked up (`none`, RS256, `crit`, `jku` and `kid` are simply other
 * headers), no signature has a second spelling, and nothing is decoded before it is known to be ours.
 *
 * @param keys The first signs, all open.
 */
export function createTokenSigner(keys: readonly TextKey[]): TokenSigner {
  const [first] = keys as [TextKey];

  return {
    sign(claims) {
      const text = HEADER + toBase64Url(encodeText(JSON.stringify(claims)));
      const signature = first.sign(text);
      return typeof signature === "string"
        ? `${text}.${signature}`
        : signature.then((signature) => `${text}.${signature}`);
    },
    open<T>(
      token: string,
      read: (claims: TokenClaims | null) => T | Promise<T>,
    ): T | Promise<T> {
      const end = token.length - SIGNATURE_LENGTH - 1;
      if (token.length > MAX_TOKEN_LENGTH || end <= HEADER.length) return read(null);
      if (!token.startsWith(HEADER) || token[end] !== ".") return read(null);
      const text = token.slice(0, end);
      const signature = token.slice(end + 1);
      let turn = 0;

      function judge(isOurs: boolean): T | Promise<T> {
        if (isOurs) return read(parseClaims(text.slice(HEADER.length)));
        return turn === keys.length ? read(null) : ask();
      }

      function ask(): T | Promise<T> {
        const isOurs = keys[turn++]!.verify(text, signature);
        return typeof isOurs === "boolean" ? judge(isOurs) : isOurs.then(judge);
      }

      return ask();
    },
  };
}
