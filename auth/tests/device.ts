import assert from "node:assert/strict";
import { parseSetCookie } from "./cookie_lines.ts";
import { ORIGIN, type TestApplication } from "./application.ts";

/** Text of a proof, of which a test changes what it wants. */
export interface ProofParts {
  header: Record<string, unknown>;
  payload: Record<string, unknown>;
}

/** A browser with a key of its own, as Chromium is one. */
export interface Device {
  /** Its cookies. */
  jar: Map<string, string>;
  /** Its address. Default 192.0.2.1. */
  address: string;
  /** Its cookies as a header. */
  cookie(): string;
  /** Id of its binding, which it sends; null before a registration. */
  id: string | null;
  /** The challenge of the newest sign-in; null when that offered no binding. */
  offered: string | null;
  /** Signs in by password "right". */
  signIn(name?: string): Promise<Response>;
  /** Signs a proof with its key. */
  prove(challenge: string, change?: (parts: ProofParts) => void): Promise<string>;
  /** Sends to an endpoint of the device, with a proof or without. */
  ask(path: "start" | "refresh", proof?: string): Promise<Response>;
  /** Binds the session. */
  register(): Promise<Response>;
  /** Returns a challenge. */
  challenge(): Promise<string>;
  /** Proves the device, and takes the next short cookie. */
  refresh(): Promise<Response>;
  /** Its public key. */
  jwk: JsonWebKey;
}

/** Encodes a part of a JWS. */
export function encodePart(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesToText(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The challenge in a header of the protocol. */
export function challengeIn(response: Response): string {
  const header = response.headers.get("secure-session-challenge");
  return /^"([^"]+)"/.exec(header ?? "")![1]!;
}

/** Makes a browser of an application, with a key. */
export async function createDevice({ send }: Pick<TestApplication, "send">): Promise<Device> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(curve, true, ["sign", "verify"]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const jwk = { kty, crv, x, y } as JsonWebKey;
  const jar = new Map<string, string>();

  function take(response: Response): Response {
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge } = parseSetCookie(line);
      if (maxAge === 0) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  }

  const device: Device = {
    jar,
    address: "192.0.2.1",
    jwk,
    id: null,
    offered: null,
    cookie: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    async signIn(name = "ada") {
      const fields = { name, password: "right" };
      const response = take(
        await send("/signin/credentials", { fields, cookie: device.cookie() }),
      );
      const offer = response.headers.get("secure-session-registration");
      device.offered = offer === null ? null : /challenge="([^"]+)"/.exec(offer)![1]!;
      return response;
    },
    async prove(challenge, change) {
      const parts: ProofParts = {
        header: { typ: "dbsc+jwt", alg: "ES256", jwk },
        payload: { jti: challenge },
      };
      change?.(parts);
      const text = `${encodePart(parts.header)}.${encodePart(parts.payload)}`;
      const ecdsa = { name: "ECDSA", hash: "SHA-256" };
      const bytes = new TextEncoder().encode(text);
      return `${text}.${bytesToText(await crypto.subtle.sign(ecdsa, keys.privateKey, bytes))}`;
    },
    async ask(path, proof) {
      const headers: Record<string, string> = { origin: ORIGIN, "sec-fetch-site": "same-origin" };
      if (proof !== undefined) headers["secure-session-response"] = proof;
      if (path === "refresh" && device.id !== null) headers["sec-secure-session-id"] = device.id;
      return take(
        await send(`/device/${path}`, {
          method: "POST",
          cookie: device.cookie(),
          headers,
          info: { clientAddress: device.address },
        }),
      );
    },
    async register() {
      assert.ok(device.offered, "the sign-in has offered no binding");
      const response = await device.ask("start", await device.prove(device.offered));
      if (response.ok) device.id = (await response.clone().json()).session_identifier;
      return response;
    },
    async challenge() {
      const response = await device.ask("refresh");
      assert.equal(response.status, 403);
      return challengeIn(response);
    },
    async refresh() {
      const asked = await device.ask("refresh");
      if (asked.status !== 403) return asked;
      return await device.ask("refresh", await device.prove(challengeIn(asked)));
    },
  };
  return device;
}

/** Address of the application's own pages. */
export const PAGE = `${ORIGIN}/page`;
