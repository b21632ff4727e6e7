/**
 * Password hashing in durable objects.
 *
 * @module
 */

import {
  InvalidPasswordError,
  isAuthError,
  OverloadedError,
  StorageUnavailableError,
} from "../errors.ts";
import { demandMethods, wrongOption } from "../lib/options.ts";
import { hashPassword, isHashable, type PasswordHasher, verifyPassword } from "./hash.ts";

/** Interface used of a namespace of durable objects. */
export interface PasswordObjectNamespace<Id = unknown> {
  /** The id that belongs to a name. */
  idFromName(name: string): Id;
  /** The object with an id, wherever it runs; it is started when it does not. */
  get(id: Id): { fetch(url: string, init: { method: string; body: string }): Promise<Response> };
}

/** Options for {@linkcode createDurableObjectHasher}. */
export interface DurableObjectHasherOptions {
  /** Number of objects that share the work, 1 to 256. Default 16. */
  objects?: number;
}

/** Request of the hasher to an object. */
type PasswordQuestion = { password: string } | { password: string; hash: string | null };

const OBJECTS = 16;
const MOST_OBJECTS = 256;
const TRIES = 3;

/** True when the object was only moved or restarted. One that has too much to do is left alone. */
function isWorthAnotherTry(error: unknown): boolean {
  const { retryable, overloaded } = error as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}

/**
 * Hashes passwords in durable objects, for plans whose requests have 10 ms of processor time: an object has 30 seconds.
 * The class is `PasswordHashObject`. Objects store nothing; a password reaches them within the platform and is held
 * nowhere.
 *
 * @param namespace The binding of the class.
 * @param options `objects`: how many share the work, 16 by default. Those in one isolate hash one password at a time,
 * see `configurePasswordHashing()`.
 * @returns A hasher for `passwords({ hasher })`.
 * @throws {ConfigurationError} When the namespace is none, such as a binding that `wrangler.jsonc` lacks.
 *
 * @example
 * ```ts
 * import { createDurableObjectHasher, PasswordHashObject, type PasswordObjectNamespace } from "@framework/auth";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of the platform's binding.
 * const HASHER: PasswordObjectNamespace = {
 *   idFromName: (name) => name,
 *   get: () => ({ fetch: (url, init) => new PasswordHashObject().fetch(new Request(url, init)) }),
 * };
 * const hasher = createDurableObjectHasher(HASHER);
 * const hash = await hasher.hash("correct horse battery staple");
 * equal(await hasher.verify("correct horse battery staple", hash), true);
 * ```
 */
export function createDurableObjectHasher<Id>(
  namespace: PasswordObjectNamespace<Id>,
  options: DurableObjectHasherOptions = {},
): PasswordHasher {
  demandMethods(namespace, ["idFromName", "get"], {
    field: "namespace",
    write: "the binding of the class in durable_objects of wrangler.jsonc, such as env.HASHER",
  });
  const { objects = OBJECTS } = options;
  if (!Number.isInteger(objects) || objects < 1 || objects > MOST_OBJECTS) {
    throw wrongOption("objects", objects, `a whole number from 1 to ${MOST_OBJECTS}`);
  }

  async function ask<Answer>(question: PasswordQuestion): Promise<Answer> {
    const init = { method: "POST", body: JSON.stringify(question) };
    for (let tries = 1;; tries++) {
      let response: Response;
      try {
        // Another one at each try: no name is a secret, and none has more to do than the others.
        const name = `password-${Math.floor(Math.random() * objects)}`;
        response = await namespace.get(namespace.idFromName(name)).fetch(
          "https://password.invalid/",
          init,
        );
      } catch (cause) {
        if (isWorthAnotherTry(cause) && tries < TRIES) continue;
        throw new StorageUnavailableError("Cannot hash a password: the object did not answer", {
          cause,
        });
      }
      if (response.ok) return await response.json();
      if (response.status !== 503) {
        const cause = new Error(`The object answered with status ${response.status}`);
        throw new StorageUnavailableError("Cannot hash a password: the object did not answer", {
          cause,
        });
      }
      const retryAfter = Number(response.headers.get("retry-after"));
      throw new OverloadedError(undefined, { retryAfter });
    }
  }

  return {
    async hash(password) {
      // What an object would refuse need not travel.
      if (!isHashable(password)) return await hashPassword(password);
      return await ask<string>({ password });
    },
    async verify(password, hash, verifyOptions) {
      const isForeign = typeof hash === "string" && !hash.startsWith("$scrypt$");
      // A check of the application's own cannot travel.
      if (!isHashable(password) || isForeign) {
        return await verifyPassword(password, hash, verifyOptions);
      }
      return await ask<boolean>({ password, hash: hash ?? null });
    },
  };
}

/**
 * The durable object that hashes and checks passwords, for `createDurableObjectHasher()`. It stores nothing.
 *
 * Export it from the worker; with `framework build`, from a file of `app/objects`:
 *
 * ```ts ignore
 * // app/objects/password_hash.ts
 * export { PasswordHashObject } from "@framework/auth";
 * ```
 *
 * and name it in `wrangler.jsonc`, among `durable_objects.bindings` and as one of `new_sqlite_classes`.
 *
 * @example
 * ```ts
 * import { PasswordHashObject } from "@framework/auth";
 * import { match } from "node:assert/strict";
 *
 * const body = JSON.stringify({ password: "correct horse battery staple" });
 * const request = new Request("https://password.invalid/", { method: "POST", body });
 * match(await (await new PasswordHashObject().fetch(request)).json(), /^\$scrypt\$/);
 * ```
 */
export class PasswordHashObject {
  /** Hashes or checks a password: what `createDurableObjectHasher()` sends, as JSON. */
  async fetch(request: Request): Promise<Response> {
    const question: PasswordQuestion = await request.json();
    try {
      const { password } = question;
      return Response.json(
        "hash" in question
          ? await verifyPassword(password, question.hash)
          : await hashPassword(password),
      );
    } catch (error) {
      if (!isAuthError(error) || error instanceof InvalidPasswordError) throw error;
      const { status, retryAfter = 2 } = error as OverloadedError;
      return new Response(null, { status, headers: { "retry-after": String(retryAfter) } });
    }
  }
}
