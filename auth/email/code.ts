import { constantTimeEqualText } from "../crypto/constant_time.ts";
import { toBase64Url } from "../crypto/encoding.ts";
import { createAuthenticator } from "../crypto/hmac.ts";
import { derivePurposeKey } from "../crypto/purpose_key.ts";
import { randomBytes } from "../crypto/token.ts";

const CODES = 1_000_000;
// The largest multiple of the number of codes in 32 bits: what lies above would make some codes likelier.
const LIMIT = 4_294_000_000;

/** How long a code holds at most, in seconds (NIST SP 800-63B, 3.1.3.2: ten minutes). */
export const CODE_MAX_AGE = 600;

/** How often a code may be guessed. */
export const CODE_ATTEMPTS = 5;

/** Six random digits, all equally likely. */
export function createCode(): string {
  for (;;) {
    const bytes = randomBytes(4);
    const number = new DataView(bytes.buffer).getUint32(0);
    if (number < LIMIT) return String(number % CODES).padStart(6, "0");
  }
}

/** What was typed as a code, without blanks; null when it can be none. */
export function readCode(typed: string | undefined): string | null {
  const code = typed?.normalize("NFKC").replace(/[\s-]/g, "");
  return code !== undefined && /^[0-9]{6}$/.test(code) ? code : null;
}

/**
 * What is stored of a code: its authenticator under a key that only the browser that asked can make. A
 * million codes are tried out in no time, so a hash alone would give them away to whoever reads the table.
 *
 * @param bound The secret of the browser, and the mailbox.
 */
export function codeDigest(
  code: string,
  bound: { browserSecret: string; identity: string },
): string {
  const key = derivePurposeKey(bound.browserSecret, "email-code");
  return toBase64Url(createAuthenticator(key)(`${code}\n${bound.identity}`));
}

/** Whether a code makes this digest. */
export function codeMatches(
  code: string,
  digest: string,
  bound: Parameters<typeof codeDigest>[1],
): boolean {
  return constantTimeEqualText(codeDigest(code, bound), digest);
}
