import type { TestContext } from "../context/types.ts";
import { TestingError } from "../errors.ts";
import { base64url } from "./bytes.ts";

/** Browser with a key that does not leave its device, for device-bound sessions (DBSC). */
export interface TestDevice {
  /**
   * Binds the session that an answer has begun to the device, as a browser does on its own after a sign-in. The context's
   * `origin` must be https.
   *
   * @param signedIn Answer to the sign-in.
   * @returns The application's response; the context then has the short cookie.
   * @throws {TestingError} `NO_BINDING` when the answer offers none.
   */
  register(context: Pick<TestContext, "fetch">, signedIn: Response): Promise<Response>;
  /**
   * Proves the device once more, as a browser does before the short cookie ends.
   *
   * @returns The application's response; the context then has the next short cookie.
   * @throws {TestingError} `NO_BINDING` before `register`.
   */
  refresh(context: Pick<TestContext, "fetch">): Promise<Response>;
}

/** Session of which a device has the key. */
interface Binding {
  id: string;
  refreshUrl: string;
}

/**
 * Creates a device with a new key (ES256).
 *
 * @see https://www.w3.org/TR/dbsc/
 * @example
 * ```ts
 * import { createTestDevice } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const device = await createTestDevice();
 * // An answer of an application without `session: { deviceBound }`.
 * const signedIn = new Response(null, { status: 303 });
 * const context = { fetch: () => Promise.resolve(new Response()) };
 * await assert.rejects(device.register(context, signedIn), { code: "NO_BINDING" });
 * ```
 */
export async function createTestDevice(): Promise<TestDevice> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey, publicKey } = await crypto.subtle.generateKey(curve, false, [
    "sign",
    "verify",
  ]);
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  let binding: Binding | undefined;

  async function prove(challenge: string): Promise<string> {
    const header = { typ: "dbsc+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
    const text = [header, { jti: challenge }]
      .map((part) => base64url(new TextEncoder().encode(JSON.stringify(part)))).join(".");
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      privateKey,
      new TextEncoder().encode(text),
    );
    return `${text}.${base64url(new Uint8Array(signature))}`;
  }

  async function take(response: Response): Promise<Response> {
    if (!response.ok) return response;
    const { session_identifier: id, refresh_url: refreshUrl } = await response.clone().json();
    binding = { id, refreshUrl };
    return response;
  }

  return {
    async register({ fetch }, signedIn) {
      const offer = signedIn.headers.get("secure-session-registration") ?? "";
      const [, path] = /;\s*path="([^"]+)"/.exec(offer) ?? [];
      const [, challenge] = /;\s*challenge="([^"]+)"/.exec(offer) ?? [];
      if (path === undefined || challenge === undefined) {
        throw new TestingError(
          "NO_BINDING",
          `register() was given an answer with status ${signedIn.status} that offers no binding ` +
            "(Secure-Session-Registration). Pass the answer to a sign-in over https, of an application with " +
            "session: { deviceBound: deviceBound() }.",
        );
      }
      const headers = {
        "sec-fetch-site": "same-origin",
        "secure-session-response": await prove(challenge),
      };
      return await take(await fetch(path, { method: "POST", headers }));
    },
    async refresh({ fetch }) {
      if (binding === undefined) {
        throw new TestingError("NO_BINDING", "refresh() was called before register().");
      }
      const { id, refreshUrl } = binding;
      const headers = { "sec-fetch-site": "same-origin", "sec-secure-session-id": id };
      const asked = await fetch(refreshUrl, { method: "POST", headers });
      const [, challenge] = /^"([^"]+)"/.exec(
        asked.headers.get("secure-session-challenge") ?? "",
      ) ?? [];
      if (challenge === undefined) return asked;
      const proof = { ...headers, "secure-session-response": await prove(challenge) };
      return await take(await fetch(refreshUrl, { method: "POST", headers: proof }));
    },
  };
}
