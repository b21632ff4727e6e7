import assert from "node:assert/strict";
import { createAuth } from "../app/create_auth.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import type { StoredSession } from "../storage/records.ts";
import { createSecret as createSessionToken } from "../lib/secret.ts";

// Tracks: K2, R043
Deno.test("a storage that answers nonsense signs nobody in", async () => {
  const user = { id: "ada" };
  const whole = {
    id: "s1",
    userId: "ada",
    createdAt: Date.now(),
    authenticatedAt: Date.now(),
    refreshedAt: Date.now(),
    expiresAt: Date.now() + 60_000,
  };
  const nonsense: unknown[] = [
    {},
    { session: {}, user },
    { session: whole },
    { session: whole, user: {} },
    { session: whole, user: null },
    { session: { ...whole, expiresAt: "tomorrow" }, user },
    { session: { ...whole, createdAt: undefined }, user },
    { session: { ...whole, expiresAt: Number.NaN }, user },
  ];
  async function signedIn(answer: unknown): Promise<boolean> {
    const storage = createMemoryStorage();
    storage.readSession = () => Promise.resolve(answer as StoredSession);
    const auth = createAuth({ database: storage });
    const cookie = `framework.session-token=${createSessionToken()}`;
    const request = new Request("http://localhost/", { headers: { cookie } });
    const response = await auth.run(request, {}, undefined, async ({ auth }) => {
      return Response.json(await auth.isAuthenticated().catch(() => false));
    });
    return await response.json();
  }
  assert.equal(await signedIn({ session: whole, user }), true);
  for (const answer of nonsense) {
    assert.equal(await signedIn(answer), false, JSON.stringify(answer));
  }
});
