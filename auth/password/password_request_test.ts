import assert from "node:assert/strict";
import { credentials } from "../sign_in/credentials.ts";
import { createTestApplication, ORIGIN } from "../tests/application.ts";
import { settle } from "../tests/trips.ts";
import { createPasswordHasher } from "./hash.ts";
import { createWorkQueue } from "./queue.ts";

/** An application that hashes one password after the other, when the test lets it. */
function createHashingApplication({ maxWaiting }: { maxWaiting: number }) {
  const gates: (() => void)[] = [];
  const { verify } = createPasswordHasher({
    derive: async () => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return new Uint8Array(32);
    },
    queue: createWorkQueue({ concurrency: 1, maxWaiting, maxWait: 1000 }),
  });
  const { auth, close } = createTestApplication({
    providers: [credentials({
      credentials: { password: { label: "Password", type: "password" } },
      authorize: async ({ password }) => await verify(password!, null) ? { id: "ada" } : null,
    })],
    rateLimit: { login: { limit: 1000, window: 900 } },
  });
  return {
    gates,
    close,
    auth,
    async signIn(signal?: AbortSignal, clientAddress?: string): Promise<Response> {
      const request = new Request(`${ORIGIN}/auth/signin/credentials`, {
        method: "POST",
        headers: { origin: ORIGIN, accept: "application/json" },
        body: new URLSearchParams({ password: "x" }),
        ...(signal && { signal }),
      });
      const info = clientAddress === undefined ? {} : { clientAddress };
      return (await auth.handle(request, {}, info))!;
    },
  };
}

Deno.test("POST /signin/credentials hashes nothing for who hangs up while waiting", async () => {
  // Tracks: OP-04, R015
  const { signIn, gates, close } = createHashingApplication({ maxWaiting: 60 });
  const first = signIn();
  await settle();
  const hangUp = new AbortController();
  const aborted = Array.from({ length: 52 }, () => signIn(hangUp.signal));
  await settle();
  assert.equal(gates.length, 1);
  hangUp.abort();
  await Promise.all(aborted);
  const next = signIn();
  gates[0]!();
  await first;
  await settle();
  // The next hash is that of who is still there.
  assert.equal(gates.length, 2);
  gates[1]!();
  assert.equal((await next).status, 401);
  assert.equal(gates.length, 2);
  close();
});

Deno.test("POST /signin/credentials says in Retry-After how long the queue of hashes takes", async () => {
  // Tracks: OP-04
  const { signIn, gates, close } = createHashingApplication({ maxWaiting: 20 });
  const others: Promise<unknown>[] = [];
  for (let index = 0; index < 21; index++) others.push(signIn());
  while (gates.length === 0) await settle();
  await settle();
  const refused = await signIn();
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "4"]);
  assert.equal((await refused.json()).code, "OVERLOADED");
  let open = true;
  const end = Promise.all(others).finally(() => open = false);
  while (open) {
    gates.pop()?.();
    await settle();
  }
  await end;
  close();
});

Deno.test("hashPassword() goes on after the response, whatever the platform does with the signal then", async () => {
  // Tracks: OP-04
  const { auth, close } = createHashingApplication({ maxWaiting: 1 });
  const { hash } = createPasswordHasher({ derive: () => Promise.resolve(new Uint8Array(32)) });
  const sent = new AbortController();
  const request = new Request(`${ORIGIN}/`, { signal: sent.signal });
  let later = Promise.resolve("");
  await auth.run(request, {}, undefined, () => {
    later = settle().then(() => hash("in the background"));
    return new Response();
  });
  sent.abort();
  assert.match(await later, /^\$scrypt\$/);
  close();
});

// Tracks: OP-04, R015
Deno.test("one network that fills the queue of hashes keeps nobody else waiting, and gets the 503 itself", async () => {
  const { signIn, gates, close } = createHashingApplication({ maxWaiting: 50 });
  // All of these are one client, which has the network.
  const flood = Array.from(
    { length: 200 },
    (_, index) => signIn(undefined, `2001:db8:0:1::${index.toString(16)}`),
  );
  while (gates.length === 0) await settle();
  await settle();
  const others = ["2001:db8:0:2::1", "192.0.2.7"].map((address) => signIn(undefined, address));
  await settle();
  for (let served = 0; served < 3; served++) {
    gates[served]!();
    await settle();
  }
  assert.deepEqual((await Promise.all(others)).map(({ status }) => status), [401, 401]);
  for (let served = 3; served < gates.length; served++) {
    gates[served]!();
    await settle();
  }
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 49);
  assert.equal(statuses.filter((status) => status === 503).length, 151);
  close();
});
