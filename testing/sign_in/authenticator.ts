import type { TestContext } from "../context/types.ts";
import { TestingError } from "../errors.ts";
import { createSoftwareAuthenticator, type TestCredentialJson } from "./software_authenticator.ts";

/** Options for a test authenticator. */
export interface TestAuthenticatorOptions {
  /** Reports its user as verified. Default true. */
  userVerified?: boolean;
}

/** Software authenticator together with its browser. */
export interface TestAuthenticator {
  /**
   * Adds a passkey to the signed-in user of a context, or creates an account with one, through the
   * application's own endpoints.
   *
   * @param name Display name of the new account. Omit it to add a passkey to the signed-in user.
   * @returns The application's response.
   */
  register(context: Pick<TestContext, "fetch" | "origin">, name?: string): Promise<Response>;
  /**
   * Signs in with the newest allowed passkey, through the application's own endpoints.
   * @returns The application's response; the context then has the session cookie.
   */
  signIn(
    context: Pick<TestContext, "fetch" | "origin">,
    options?: { id?: string; callbackUrl?: string },
  ): Promise<Response>;
  /**
   * Creates a passkey, as `navigator.credentials.create()` does on a page of `origin`.
   * @throws {DOMException} `InvalidStateError` when the authenticator has an excluded passkey.
   */
  create(publicKey: unknown, origin: string): Promise<TestCredentialJson>;
  /**
   * Signs with a passkey, as `navigator.credentials.get()` does on a page of `origin`.
   * @throws {DOMException} `NotAllowedError` when the authenticator has no allowed passkey.
   */
  get(publicKey: unknown, origin: string): Promise<TestCredentialJson>;
}

/**
 * Creates an authenticator without passkeys.
 *
 * @param options Behaviour of the authenticator.
 *
 * @example
 * ```ts
 * import { createTestAuthenticator } from "@framework/testing";
 * import assert from "node:assert/strict";
 *
 * // What an application answers where a passkey is to be made.
 * const asked = { challenge: "AAAA", rp: { id: "localhost" }, user: { id: "YWRh" } };
 * const authenticator = createTestAuthenticator();
 * const credential = await authenticator.create(asked, "http://localhost");
 *
 * const proof = await authenticator.get({ challenge: "AAAB", rpId: "localhost" }, "http://localhost");
 * assert.equal(proof.id, credential.id);
 * ```
 */
export function createTestAuthenticator(
  { userVerified = true }: TestAuthenticatorOptions = {},
): TestAuthenticator {
  const authenticator = createSoftwareAuthenticator({ userVerified });
  const create: TestAuthenticator["create"] = (publicKey, origin) =>
    authenticator.create(publicKey, origin);
  const get: TestAuthenticator["get"] = (publicKey, origin) => authenticator.get(publicKey, origin);

  return {
    create,
    get,
    async register(context, name) {
      const options = await ask(context, "register", name === undefined ? {} : { name });
      const credential = JSON.stringify(await create(options, context.origin));
      const body = new URLSearchParams({ credential });
      return await context.fetch("/auth/passkey/register", { method: "POST", body });
    },
    async signIn(context, { id = "passkey", callbackUrl } = {}) {
      const options = await ask(context, "authenticate", {});
      const credential = JSON.stringify(await get(options, context.origin));
      const body = new URLSearchParams({
        credential,
        ...(callbackUrl !== undefined && { callbackUrl }),
      });
      return await context.fetch(`/auth/signin/${id}`, { method: "POST", body });
    },
  };
}

async function ask(
  { fetch }: Pick<TestContext, "fetch">,
  ceremony: string,
  fields: Record<string, string>,
): Promise<unknown> {
  const response = await fetch(`/auth/passkey/options/${ceremony}`, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  if (response.ok) return await response.json();
  throw new TestingError(
    "PASSKEY",
    `The application refused /auth/passkey/options/${ceremony} with ${response.status}: ` +
      `${await response.text()}. Registering needs a user who has just signed in (withAuth), ` +
      "or signUp: true and a name.",
  );
}
