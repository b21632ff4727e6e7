import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import type { SqlDatabase } from "@framework/auth";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Contender, RequestContender } from "./rounds.ts";

// What a careful programmer would write for one application and one job: the floor.

const encoder = new TextEncoder();
const NAME = "framework.session-token";
const JOIN = `SELECT sessions.expires_at, sessions.refreshed_at, users.id, users.name, users.email,
  users.role FROM sessions JOIN users ON users.id = sessions.user_id
WHERE sessions.token_hash = ?1 AND users.disabled_at IS NULL`;

/** The token in the cookie of a request. */
export function cookieValue(request: Request): string | undefined {
  const header = request.headers.get("cookie") ?? "";
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === NAME) return pair.slice(at + 1);
  }
  return undefined;
}

function hashOf(token: string): string {
  return Buffer.from(sha256(encoder.encode(token))).toString("base64url");
}

interface Row {
  "expires_at": number;
  name: string;
}

function checkRow(row: Row | null | undefined): void {
  if (!row || row.expires_at <= Date.now()) throw new Error("Nobody is signed in");
}

/** Cookie, synchronous SHA-256 and one prepared statement, with and without a response. */
export function sqliteByHand(database: DatabaseSync, request: Request): RequestContender[] {
  const statement = database.prepare(JOIN);
  function check(given = request): void {
    checkRow(statement.get(hashOf(cookieValue(given)!)) as unknown as Row | undefined);
  }
  return [
    { name: "by hand: cookie, SHA-256, join", request, run: check },
    {
      name: "by hand, awaited and with a response",
      request,
      // deno-lint-ignore require-await -- as the library's caller awaits
      async run(given) {
        check(given);
        return new Response(null);
      },
    },
  ];
}

/** The join alone, by a hash that is known. */
export function d1ByHand(database: SqlDatabase, cookie: string): Contender {
  const hash = hashOf(cookie.split("=")[1]!);
  const statement = database.prepare(JOIN);
  return {
    name: "by hand: the join alone",
    async run() {
      checkRow(await statement.bind(hash).first<Row>());
    },
  };
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url");
}

const KEY = sha256(encoder.encode("a key"));

/** Checks of a signed token in a cookie, by each primitive that a runtime has. */
export async function jwtByHand(): Promise<RequestContender[]> {
  const now = Math.floor(Date.now() / 1000);
  const header = base64url('{"alg":"HS256","typ":"JWT"}');
  const payload = base64url(JSON.stringify({
    name: "Ada Lovelace",
    email: "ada@example.com",
    image: null,
    emailVerified: null,
    role: "admin",
    sub: "ada",
    iat: now,
    exp: now + 86_400,
    jti: base64url("0123456789abcdef"),
    aud: NAME,
    auth_time: now,
  }));
  const signed = `${header}.${payload}`;
  const signature = createHmac("sha256", KEY).update(signed).digest("base64url");
  const request = new Request("https://app.example/", {
    headers: { cookie: `theme=dark; ${NAME}=${signed}.${signature}; lang=en` },
  });
  const prepared = hmac.create(sha256, KEY);
  const imported = await crypto.subtle.importKey(
    "raw",
    KEY as BufferSource,
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );

  function split(given: Request): { signed: string; given: string; body: string } {
    const token = cookieValue(given)!;
    const last = token.lastIndexOf(".");
    const text = token.slice(0, last);
    if (!text.startsWith(`${header}.`)) throw new Error("Not our header");
    return { signed: text, given: token.slice(last + 1), body: text.slice(header.length + 1) };
  }
  function read(body: string, isValid: boolean): void {
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    if (!isValid || claims.exp <= Date.now() / 1000) throw new Error("Nobody is signed in");
  }
  function isEqual(a: Uint8Array, b: Uint8Array): boolean {
    let difference = a.length ^ b.length;
    for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!;
    return difference === 0;
  }

  return [
    {
      name: "by hand: @noble/hashes",
      request,
      run(asked = request) {
        const { signed, given, body } = split(asked);
        const digest = prepared.clone().update(encoder.encode(signed)).digest();
        read(body, isEqual(digest, Buffer.from(given, "base64url")));
      },
    },
    {
      name: "by hand: node:crypto",
      request,
      run(asked = request) {
        const { signed, given, body } = split(asked);
        const digest = createHmac("sha256", KEY).update(signed).digest();
        read(body, isEqual(digest, Buffer.from(given, "base64url")));
      },
    },
    {
      name: "by hand: WebCrypto",
      request,
      async run(asked = request) {
        const { signed, given, body } = split(asked);
        const bytes = Buffer.from(given, "base64url");
        read(body, await crypto.subtle.verify("HMAC", imported, bytes, encoder.encode(signed)));
      },
    },
  ];
}
