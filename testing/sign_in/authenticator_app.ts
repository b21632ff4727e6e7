import type { TestContext } from "../context/types.ts";
import { TestingError } from "../errors.ts";

/** Authenticator app for two-step sign-in, by time-based codes. */
export interface TestAuthenticatorApp {
  /** Recovery codes that were shown when it was turned on; empty before. */
  readonly recoveryCodes: readonly string[];
  /**
   * Turns on two-step sign-in for the signed-in user of a context, as on its page: reads the secret, and answers with the
   * first code. Where `required()` asks for it, a sign-in of a user without it waits: then it is turned on there, and the
   * context is signed in.
   *
   * @returns The application's response.
   * @throws {TestingError} `SECOND_FACTOR` when the application offers no secret, for example because the user has not
   * just signed in or has no proven address.
   */
  turnOn(context: Pick<TestContext, "fetch" | "clock">): Promise<Response>;
  /**
   * Answers the question after the first factor with the code of this moment. The application accepts each code once, and
   * the next one 30 seconds later: `ctx.clock.advance("30s")`.
   *
   * @returns The application's response; the context is then signed in.
   * @throws {TestingError} `SECOND_FACTOR` before `turnOn`.
   */
  prove(context: Pick<TestContext, "fetch" | "clock">): Promise<Response>;
  /**
   * Returns the code of this moment by the clock of a context, for a form of the application's own.
   *
   * @throws {TestingError} `SECOND_FACTOR` before `turnOn`.
   */
  code(context: Pick<TestContext, "clock">): Promise<string>;
}

const SET_UP = "/auth/second-factor/setup";
const STEP = "/auth/second-factor";
const PERIOD = 30_000;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Creates an authenticator app without a secret.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6238
 * @example
 * ```ts
 * import { createTestAuthenticatorApp } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * const app = createTestAuthenticatorApp();
 * const context = {
 *   clock: { now: () => 0, advance: () => Promise.resolve() },
 *   // An application without `secondFactor()`.
 *   fetch: () => Promise.resolve(new Response(null, { status: 404 })),
 * };
 * await assert.rejects(app.turnOn(context), { code: "SECOND_FACTOR" });
 * ```
 */
export function createTestAuthenticatorApp(): TestAuthenticatorApp {
  let secret: string | undefined;
  let recoveryCodes: string[] = [];

  async function code({ clock }: Pick<TestContext, "clock">): Promise<string> {
    if (secret === undefined) {
      throw new TestingError(
        "SECOND_FACTOR",
        "The authenticator app has no secret yet. Call turnOn() with a context of the signed-in user before.",
      );
    }
    return await codeOf(secret, Math.floor(clock.now() / PERIOD));
  }

  function send(
    { fetch }: Pick<TestContext, "fetch">,
    path: string,
    fields: Record<string, string>,
  ): Promise<Response> {
    return fetch(path, {
      method: "POST",
      headers: { accept: "application/json" },
      body: new URLSearchParams(fields),
    });
  }

  return {
    get recoveryCodes() {
      return recoveryCodes;
    },
    code,
    async turnOn(context) {
      const accept = { headers: { accept: "application/json" } };
      let path = SET_UP;
      let offered = await context.fetch(path, accept);
      const { status } = offered;
      if (status === 401) offered = await context.fetch(path = STEP, accept);
      const { secret: offer, setUp } = offered.ok ? await offered.json() : {};
      if (offer === undefined) {
        throw new TestingError(
          "SECOND_FACTOR",
          `The application offers no secret at ${SET_UP}, where it answers ${status}. It needs secondFactor(), and a ` +
            "user who has just signed in (withAuth) and has not turned it on yet, or whose sign-in waits for it.",
        );
      }
      secret = offer;
      const response = await send(context, path, { setUp, code: await code(context) });
      if (response.ok) ({ recoveryCodes = [] } = await response.clone().json());
      return response;
    },
    prove: async (context) => await send(context, STEP, { code: await code(context) }),
  };
}

/** The code of a time step (RFC 4226, 5.3), with what every app knows: SHA-1 and six digits. */
async function codeOf(secret: string, step: number): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-1" };
  const key = await crypto.subtle.importKey("raw", fromBase32(secret), algorithm, false, ["sign"]);
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const mac = new DataView(await crypto.subtle.sign("HMAC", key, counter));
  const number = mac.getUint32(mac.getUint8(19) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

function fromBase32(text: string): Uint8Array<ArrayBuffer> {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}
