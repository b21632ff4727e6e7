import { encodeText, fromBase64UrlText, toBase64Url } from "../crypto/encoding.ts";
import { constantTimeEqualText } from "../crypto/constant_time.ts";
import { createTextAuthenticator } from "../crypto/hmac.ts";
import { MAX_TOKEN_LENGTH } from "./cookie_chunks.ts";

function encodeHeader(): string {
  return `${toBase64Url(encodeText('{"alg":"HS256","typ":"session+jwt"}'))}.`;
}

/** The one header that there is: nothing in it is ever read, so nothing in it can mislead. */
const HEADER = /* @__PURE__ */ encodeHeader();
const SIGNATURE_LENGTH = 43;

/** Signs and opens tokens: JSON Web Tokens in compact form (RFC 7515, RFC 7519), by HS256. */
export interface TokenSigner {
  /** The token with these claims, signed with the first key. */
  sign(claims: object): string;
  /** The claims of a token that one of the keys has signed, else null. It never throws. */
  open(token: string): Record<string, unknown> | null;
}

function parseClaims(payload: string): Record<string, unknown> | null {
  const text = fromBase64UrlText(payload);
  if (text === null) return null;
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === "object" && claims !== null && !Array.isArray(claims)
      ? claims as Record<string, unknown>
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
export function createTokenSigner(keys: readonly Uint8Array[]): TokenSigner {
  const authenticators = keys.map((key) => createTextAuthenticator(key));
  const [first] = authenticators as [(text: string) => string];

  return {
    sign(claims) {
      const text = HEADER + toBase64Url(encodeText(JSON.stringify(claims)));
      return `${text}.${first(text)}`;
    },
    open(token) {
      const end = token.length - SIGNATURE_LENGTH - 1;
      if (token.length > MAX_TOKEN_LENGTH || end <= HEADER.length) return null;
      if (!token.startsWith(HEADER) || token[end] !== ".") return null;
      const text = token.slice(0, end);
      const signature = token.slice(end + 1);
      const isOurs = authenticators.some((authenticate) =>
        constantTimeEqualText(authenticate(text), signature)
      );
      return isOurs ? parseClaims(text.slice(HEADER.length)) : null;
    },
  };
}
