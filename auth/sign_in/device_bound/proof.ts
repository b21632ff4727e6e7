/**
 * Challenges to a device, and its proofs (W3C Device Bound Session Credentials, 8; RFC 7515).
 *
 * @module
 */

import {
  encodeText,
  fromBase64UrlBytes,
  fromBase64UrlText,
  toBase64Url,
} from "../../lib/encoding.ts";
import { constantTimeEqualText } from "../../lib/hash.ts";
import type { DeviceKey } from "./binding.ts";

/** Milliseconds for which a challenge can be answered, that of a sign-in among them. */
export const CHALLENGE_LIFE = 120_000;

/** Purpose of a challenge: none of one is one of the other. */
type ChallengePurpose = "start" | "refresh";

async function authenticate(secret: string, text: string): Promise<string> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encodeText(secret), hmac, false, ["sign"]);
  return toBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encodeText(text))));
}

/** Makes the challenge of a session at a moment. Nothing is stored for it. */
export async function createChallenge(
  secret: string,
  purpose: ChallengePurpose,
  time: number,
): Promise<string> {
  return `${time}.${await authenticate(secret, `${purpose}.${time}`)}`;
}

/** Returns the moment at which this challenge was made for this session and purpose; null for any other text. */
export async function readChallenge(
  challenge: string,
  secrets: readonly string[],
  purpose: ChallengePurpose,
): Promise<number | null> {
  const time = Number(/^(\d{1,15})\./.exec(challenge)?.[1]);
  for (const secret of secrets) {
    const own = await createChallenge(secret, purpose, time);
    if (constantTimeEqualText(challenge, own)) return time;
  }
  return null;
}

/**
 * Reads the text of a field: as it is, or as the string of a structured field, whose parameters nobody knows (RFC 9651, 3.1.2
 * and 3.3.3).
 */
export function readField(value: string): string {
  return /^"([^"\\]*)"(?:;.*)?$/.exec(value)?.[1] ?? value;
}

/** A proof as it came: nothing of it is verified. */
export interface Proof {
  /** The challenge that it answers. */
  challenge: string;
  /** The key that it names, as that of a registration does; null for none. */
  key: DeviceKey | null;
  /** Tests its signature by a key. */
  isSignedBy(key: DeviceKey): Promise<boolean>;
}

// Longer ones are not decoded: Chromium's have 500 characters.
const JWS = /^([\w-]{1,2048})\.([\w-]{1,1024})\.([\w-]{86})$/;
const COORDINATE = /^[\w-]{43}$/;

function decode(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(fromBase64UrlText(part) ?? ""));
  } catch {
    return {};
  }
}

function readKey(value: unknown): DeviceKey | null {
  const { kty, crv, x, y } = Object(value) as Record<string, unknown>;
  const isKey = kty === "EC" && crv === "P-256" && typeof x === "string" && COORDINATE.test(x) &&
    typeof y === "string" && COORDINATE.test(y);
  return isKey ? { x, y } : null;
}

/**
 * Reads a proof; null for what is none. Its algorithm is ES256 and nothing else, whatever its header says: it is compared,
 * never chosen by (RFC 8725, 3.1).
 */
export function readProof(header: string): Proof | null {
  const [, head = "", payload = "", signature = ""] = JWS.exec(readField(header)) ?? [];
  const { alg, typ, crit, jwk } = decode(head);
  const { jti } = decode(payload);
  if (alg !== "ES256" || typ !== "dbsc+jwt" || crit !== undefined || typeof jti !== "string") {
    return null;
  }
  return {
    challenge: jti,
    key: readKey(jwk),
    async isSignedBy({ x, y }) {
      const curve = { name: "ECDSA", namedCurve: "P-256" };
      const { subtle } = crypto;
      try {
        const key = await subtle.importKey("jwk", { kty: "EC", crv: "P-256", x, y }, curve, false, [
          "verify",
        ]);
        const bytes = fromBase64UrlBytes(signature) as BufferSource;
        const ecdsa = { name: "ECDSA", hash: "SHA-256" };
        return await subtle.verify(ecdsa, key, bytes, encodeText(`${head}.${payload}`));
      } catch {
        // A point that is not on the curve.
        return false;
      }
    },
  };
}
