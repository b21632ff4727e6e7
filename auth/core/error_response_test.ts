import assert from "node:assert/strict";
import { StorageUnavailableError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createTestApplication, type TestApplication } from "../tests/application.ts";

const CANARY = "canary-7f3a";

/** An application by code that has no pages, and whose database fails when it is asked for a session. */
function createBare(): TestApplication {
  const database = {
    ...createMemoryStorage(),
    readSession: () => Promise.reject(new StorageUnavailableError(CANARY)),
  };
  return createTestApplication({ pages: {}, rateLimit: false, database });
}

/** The name of a request in the plain text of its failure. */
function nameIn(text: string): string | undefined {
  return /^Request (.+)$/m.exec(text)?.[1];
}

// Tracks: R079, R151
Deno.test("without a theme errors are one sentence of plain text", async () => {
  const { send, signIn, log, close } = createBare();
  const cookie = await signIn();
  const wrong = { name: `<b>${CANARY}`, password: "wrong" };
  const cases: [path: string, options: Parameters<typeof send>[1], status: number][] = [
    [`/${CANARY}`, {}, 404],
    ["/signin", {}, 404],
    [`/error?error=${CANARY}`, {}, 404],
    ["/signout", {}, 405],
    ["/signout", { method: "PUT" }, 405],
    ["/signin/credentials", { fields: wrong }, 401],
    ["/signin/credentials", { fields: wrong, headers: { origin: "https://evil.example" } }, 403],
    ["/session", { cookie }, 503],
  ];
  for (const [path, options, status] of cases) {
    const response = await send(path, options);
    const text = await response.text();
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.equal(response.headers.get("cache-control"), "no-store");
    assert.match(text, /^[A-Z][^\n<]+\n(?:Request [\w-]+\n)?$/);
    assert.equal(text.includes(CANARY), false, path);
    assert.equal(nameIn(text) !== undefined, status >= 500);
  }
  assert.ok(log.some(({ event }) => event === "request-failed"));
  close();
});

Deno.test("without a theme HEAD and 405 are answered as with one", async () => {
  const { send, close } = createBare();
  const head = await send("/signin", { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [404, ""]);
  assert.equal((await send("/signout", { method: "HEAD" })).headers.get("allow"), "POST");
  assert.equal((await send("/session", { method: "HEAD" })).status, 200);
  close();
});
