import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { ORIGIN } from "./better_auth.ts";
import { mintByHand } from "./by_hand_sign_in.ts";

// The sign-in at a provider as a careful programmer writes it for one provider, with every check of the library.

const ISSUER = "https://github.com/login/oauth";
const CALLBACK = `${ORIGIN}/callback`;
const NAME = "__Host-transaction";
/** Seconds of a sign-in, from the start to the way back. */
const LIFETIME = 600;
/** Milliseconds that the provider has for an answer, and the bytes of the longest one. */
const PATIENCE = 10_000;
const LONGEST = 1_048_576;

/** The person, as the provider knows them. */
export interface ProviderProfile {
  /** Id at the provider. */
  id: string;
  name: string;
  email: string;
  image: string | null;
}

/** A pending sign-in. */
interface Transaction {
  state: string;
  verifier: string;
  /** Hash of what the browser keeps; empty where it keeps all. */
  browser: string;
  target: string;
  until: number;
}

/** A database for sign-ins: pending ones, and what comes of them. */
export interface HandStore {
  /** Keeps a pending sign-in by the hash of its state. */
  put(hash: string, sealed: string, until: number): void;
  /** Takes a pending sign-in away; undefined when it is not there any more. */
  take(hash: string): string | undefined;
  /** Finds or makes the user and the account, and makes the session, in one transaction; the line for `Set-Cookie`. */
  signIn(profile: ProviderProfile): string;
}

/** Cryptography of a sign-in. */
export interface HandPrimitives {
  /** A text of 256 random bits. */
  random(): string;
  /** The SHA-256 of a text. */
  hash(text: string): string | Promise<string>;
  /** Encrypts a text by AES-256-GCM. */
  seal(text: string): string | Promise<string>;
  /** Decrypts what is sealed; throws when it is not ours. */
  unseal(text: string): string | Promise<string>;
}

/** Parts of an application by hand. */
export interface HandParts {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  primitives: HandPrimitives;
  /** Signs the session in a cookie, where there is no store. */
  signing: CryptoKey;
  store?: HandStore;
}

/** An application by hand. */
export interface HandOAuth {
  start(request: Request): Promise<Response>;
  callback(request: Request): Promise<Response>;
}

const encoder = new TextEncoder();

function textOf(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_")
    .replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** By WebCrypto, which every runtime has. */
export async function webPrimitives(secret: string): Promise<HandPrimitives> {
  const digest = (text: string) => crypto.subtle.digest("SHA-256", encoder.encode(text));
  const usages = ["encrypt", "decrypt"] as const;
  const raw = await digest(secret);
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, [...usages]);
  return {
    random: () => textOf(crypto.getRandomValues(new Uint8Array(32))),
    hash: async (text) => textOf(new Uint8Array(await digest(text))),
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const algorithm = { name: "AES-GCM", iv };
      const sealed = await crypto.subtle.encrypt(algorithm, key, encoder.encode(text));
      return `${textOf(iv)}.${textOf(new Uint8Array(sealed))}`;
    },
    async unseal(text) {
      const [iv = "", sealed = ""] = text.split(".");
      const algorithm = { name: "AES-GCM", iv: bytesOf(iv) };
      const plain = await crypto.subtle.decrypt(algorithm, key, bytesOf(sealed));
      return new TextDecoder().decode(plain);
    },
  };
}

/** By `node:crypto`, which waits for nothing. */
export function nodePrimitives(secret: string): HandPrimitives {
  const key = createHash("sha256").update(secret).digest();
  return {
    random: () => randomBytes(32).toString("base64url"),
    hash: (text) => createHash("sha256").update(text).digest("base64url"),
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const parts = [iv, cipher.update(text), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString("base64url");
    },
    unseal(text) {
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      const plain = decipher.update(bytes.subarray(12, -16));
      return Buffer.concat([plain, decipher.final()]).toString();
    },
  };
}

function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}

/** A path of this origin, whatever somebody wants to be led to. */
function guarded(target: string | null): string {
  if (target === null || !URL.canParse(target, ORIGIN)) return "/";
  const url = new URL(target, ORIGIN);
  return url.origin === ORIGIN ? url.pathname + url.search : "/";
}

function refuse(status: number): Response {
  return new Response(null, { status, headers: { "cache-control": "no-store" } });
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    location,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

function transactionCookie(value: string, seconds: number): string {
  return `${NAME}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

function cookieValue(request: Request): string {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (pair.slice(0, at).trim() === NAME) return pair.slice(at + 1).trim();
  }
  return "";
}

async function readBounded(response: Response): Promise<string> {
  if (Number(response.headers.get("content-length") ?? 0) > LONGEST) throw new Error("Too long");
  let text = "";
  let length = 0;
  const parts = new TextDecoder();
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > LONGEST) throw new Error("Too long");
    text += parts.decode(part, { stream: true });
  }
  return text + parts.decode();
}

/** Makes the application. */
export function createHandOAuth({ fetch, primitives, signing, store }: HandParts): HandOAuth {
  const { random, hash, seal } = primitives;
  async function unseal(text: string): Promise<Transaction | null> {
    try {
      return JSON.parse(await primitives.unseal(text)) as Transaction;
    } catch {
      return null;
    }
  }
  async function ask(url: string, init: RequestInit): Promise<unknown> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), PATIENCE);
    try {
      const headers = new Headers(init.headers);
      headers.set("accept", "application/json");
      headers.set("user-agent", "an application");
      const response = await fetch(url, {
        ...init,
        headers,
        redirect: "manual",
        signal: controller.signal,
      });
      const type = response.headers.get("content-type") ?? "";
      if (response.status !== 200 || !type.startsWith("application/json")) {
        throw new Error(`The provider answered ${response.status}`);
      }
      return JSON.parse(await readBounded(response));
    } finally {
      clearTimeout(timer);
    }
  }
  async function tokenFor(code: string, verifier: string): Promise<string> {
    const answer = await ask(`${ISSUER}/access_token`, {
      method: "POST",
      body: new URLSearchParams({
        "client_id": "id",
        "client_secret": "a secret",
        "grant_type": "authorization_code",
        "redirect_uri": CALLBACK,
        code,
        "code_verifier": verifier,
      }),
    }) as { "access_token"?: unknown; "token_type"?: unknown };
    const { access_token: token, token_type: type } = answer;
    const isBearer = String(type).toLowerCase() === "bearer";
    if (typeof token !== "string" || !isBearer) throw new Error("No token");
    return token;
  }
  async function profileOf(token: string): Promise<ProviderProfile | null> {
    const headers = { authorization: `Bearer ${token}` };
    const user = await ask("https://api.github.com/user", { headers }) as Record<string, unknown>;
    const emails = await ask("https://api.github.com/user/emails", { headers });
    const primary = Array.isArray(emails) ? emails.find((one) => one?.primary === true) : undefined;
    const { id, name, login, avatar_url: image } = user;
    if (!Number.isSafeInteger(id)) return null;
    if (typeof primary?.email !== "string" || primary.verified !== true) return null;
    return {
      id: String(id),
      name: typeof name === "string" ? name : String(login),
      email: primary.email.toLowerCase(),
      image: typeof image === "string" ? image : null,
    };
  }

  return {
    async start(request) {
      if (request.method !== "POST" || request.headers.get("origin") !== ORIGIN) return refuse(403);
      const form = new URLSearchParams(await request.text());
      const [state, verifier] = [random(), random()];
      const until = Date.now() + LIFETIME * 1000;
      const target = guarded(form.get("callbackUrl"));
      // With a row the browser keeps a secret that says whose it is, without one everything.
      const own = store === undefined ? "" : random();
      const browser = store === undefined ? "" : await hash(own);
      const pending: Transaction = { state, verifier, browser, target, until };
      const sealed = await seal(JSON.stringify(pending));
      store?.put(await hash(state), sealed, until);
      const url = new URL(`${ISSUER}/authorize`);
      url.search = new URLSearchParams({
        "client_id": "id",
        "redirect_uri": CALLBACK,
        "response_type": "code",
        scope: "read:user user:email",
        state,
        "code_challenge": await hash(verifier),
        "code_challenge_method": "S256",
      }).toString();
      return redirect(url.href, [transactionCookie(own || sealed, LIFETIME)]);
    },
    async callback(request) {
      const { searchParams } = new URL(request.url);
      const state = searchParams.get("state") ?? "";
      const cookie = cookieValue(request);
      const sealed = store === undefined ? cookie : store.take(await hash(state));
      const transaction = sealed === undefined ? null : await unseal(sealed);
      if (transaction === null || transaction.until <= Date.now()) return refuse(400);
      if (!isEqual(transaction.state, state)) return refuse(400);
      const isHere = store === undefined || isEqual(await hash(cookie), transaction.browser);
      // The answer of another provider must not be taken for this one's (RFC 9207).
      if (!isHere || searchParams.get("iss") !== ISSUER) return refuse(400);
      const code = searchParams.get("code");
      if (code === null || searchParams.has("error")) return refuse(400);
      let profile: ProviderProfile | null;
      try {
        profile = await profileOf(await tokenFor(code, transaction.verifier));
      } catch {
        return refuse(502);
      }
      if (profile === null) return refuse(403);
      const session = store === undefined ? await mintByHand(signing) : store.signIn(profile);
      return redirect(transaction.target, [transactionCookie("", 0), session]);
    },
  };
}
