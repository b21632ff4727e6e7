import { createPurposeKey } from "../crypto/purpose_key.ts";
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

/** What a code is bound to. */
export interface CodeBounds {
  /** The secret of the browser that asked. */
  browserSecret: string;
  /** The mailbox. */
  identity: string;
}

/**
 * What is stored of a code: its signature by a key that only the browser that asked can make. A million
 * codes are tried out in no time, so a hash alone would give them away to whoever reads the table.
 */
export async function codeDigest(
  code: string,
  { browserSecret, identity }: CodeBounds,
): Promise<string> {
  return await createPurposeKey(browserSecret, "email-code").sign(`${code}\n${identity}`);
}

/** Whether a code makes this digest. The time tells nothing about where they differ. */
export async function codeMatches(
  code: string,
  digest: string,
  { browserSecret, identity }: CodeBounds,
): Promise<boolean> {
  const key = createPurposeKey(browserSecret, "email-code");
  return await key.verify(`${code}\n${identity}`, digest);
}
