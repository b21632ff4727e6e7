import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import {
  ConfigurationError,
  InvalidPasswordError,
  OverloadedError,
  StorageUnavailableError,
} from "../errors.ts";
import { bundleWorker } from "../tests/bundle_worker.ts";
import {
  createDurableObjectHasher,
  PasswordHashObject,
  type PasswordObjectNamespace,
} from "./durable_object.ts";
import { hashPassword, needsRehash, verifyPassword } from "./hash.ts";

const PASSWORD = "correct horse battery staple";

/** A namespace whose objects answer with a function; the names that were asked for. */
function namespaceOf(
  answer: (request: Request) => Promise<Response>,
): { namespace: PasswordObjectNamespace<string>; names: string[] } {
  const names: string[] = [];
  return {
    names,
    namespace: {
      idFromName: (name) => name,
      get(name) {
        names.push(name);
        return { fetch: (url, init) => answer(new Request(url, init)) };
      },
    },
  };
}

Deno.test("createDurableObjectHasher() spreads over its objects, and asks none what cannot be a password", async () => {
  const object = new PasswordHashObject();
  const { namespace, names } = namespaceOf((request) => object.fetch(request));
  const hasher = createDurableObjectHasher(namespace, { objects: 2 });
  for (const password of ["a".repeat(1025), "\ud800"]) {
    await assert.rejects(hasher.hash(password), InvalidPasswordError);
    assert.equal(await hasher.verify(password, null), false);
  }
  assert.deepEqual(names, []);
  const legacy = (password: string, hash: string) => hash === `legacy ${password}`;
  assert.equal(await hasher.verify("pin", "legacy pin", { verifyLegacy: legacy }), true);
  assert.equal(await hasher.verify("pin", "legacy pin"), false);
  assert.deepEqual(names, [], "a check of the application's own runs where it is");
  const body = (value: unknown) => Promise.resolve(Response.json(value));
  const counted = namespaceOf(() => body(true));
  const many = createDurableObjectHasher(counted.namespace, { objects: 3 });
  for (let time = 0; time < 100; time++) await many.verify(PASSWORD, null);
  assert.deepEqual([...new Set(counted.names)].sort(), ["password-0", "password-1", "password-2"]);
});

// Tracks: F12
Deno.test("createDurableObjectHasher() asks an object again that was moved, not one that has too much to do", async () => {
  let left = 2;
  const moved = namespaceOf(() =>
    left-- > 0
      ? Promise.reject(Object.assign(new Error("moved"), { retryable: true }))
      : Promise.resolve(Response.json(true))
  );
  assert.equal(await createDurableObjectHasher(moved.namespace).verify(PASSWORD, null), true);
  assert.equal(moved.names.length, 3);
  const busy = { retryable: true, overloaded: true };
  const overloaded = namespaceOf(() => Promise.reject(Object.assign(new Error("busy"), busy)));
  await assert.rejects(
    createDurableObjectHasher(overloaded.namespace).hash(PASSWORD),
    StorageUnavailableError,
  );
  assert.equal(overloaded.names.length, 1);
  const broken = namespaceOf(() => Promise.resolve(new Response(null, { status: 500 })));
  await assert.rejects(
    createDurableObjectHasher(broken.namespace).hash(PASSWORD),
    StorageUnavailableError,
  );
  const headers = { "retry-after": "7" };
  const full = namespaceOf(() => Promise.resolve(new Response(null, { status: 503, headers })));
  await assert.rejects(
    createDurableObjectHasher(full.namespace).hash(PASSWORD),
    (error) => error instanceof OverloadedError && error.retryAfter === 7,
  );
});

Deno.test("createDurableObjectHasher() refuses what is no namespace, and a wrong number of objects", () => {
  assert.throws(
    () => createDurableObjectHasher(undefined as unknown as PasswordObjectNamespace),
    (error) => error instanceof ConfigurationError && error.field === "namespace",
  );
  const { namespace } = namespaceOf(() => Promise.reject(new Error("unused")));
  for (const objects of [0, 257, 1.5, "2" as unknown as number]) {
    assert.throws(
      () => createDurableObjectHasher(namespace, { objects }),
      (error) => error instanceof ConfigurationError && error.field === "objects",
    );
  }
});

// The last: miniflare removes its folder a moment after dispose(), which is no operation of another test.
// Tracks: R004, R005, R015
Deno.test({
  name:
    "in workerd the objects hash and check passwords, six at once, and their hashes hold elsewhere",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const miniflare = new Miniflare({
      modules: true,
      script: await bundleWorker(new URL("../tests/password_object_worker.ts", import.meta.url)),
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      durableObjects: { HASHER: { className: "PasswordHashObject", useSQLite: true } },
    });
    try {
      const own = await hashPassword(PASSWORD);
      const response = await miniflare.dispatchFetch("http://localhost/", {
        method: "POST",
        body: JSON.stringify({
          passwords: Array.from({ length: 6 }, (_, index) => `${PASSWORD} ${index}`),
          verify: [[PASSWORD, own], ["wrong", own], [PASSWORD, null], [PASSWORD, "$scrypt$broken"]],
        }),
      });
      const { hashes, verified } = await response.json() as {
        hashes: string[];
        verified: boolean[];
      };
      assert.deepEqual(verified, [true, false, false, false]);
      assert.equal(new Set(hashes).size, 6);
      for (const hash of hashes) assert.equal(needsRehash(hash), false);
      assert.equal(await verifyPassword(`${PASSWORD} 4`, hashes[4]), true);
      assert.equal(await verifyPassword(`${PASSWORD} 5`, hashes[4]), false);
    } finally {
      await miniflare.dispose();
    }
  },
});
