import assert from "node:assert/strict";
import { createAuth, email, StorageUnavailableError } from "@framework/auth";
import { createValkeyRateLimitStorage } from "@framework/auth/rate-limit";
import { testStorage } from "@framework/testing/storage";
import { Redis } from "iovalkey";
import { findValkey, valkeyHint } from "../../scripts/valkey.ts";
import { NOW, record, session } from "../../testing/storage/records.ts";
import { startValkey, type ValkeyServer } from "../support/valkey.ts";
import { createValkeyStorage } from "./valkey_storage.ts";

const program = await findValkey();
const missing = program === null ? ` [unavoidable: ${valkeyHint}]` : "";
const ORIGIN = "https://app.example";

function testServer(
  name: string,
  hasFiles: boolean,
  work: (server: ValkeyServer, client: Redis, test: Deno.TestContext) => Promise<void>,
): void {
  Deno.test({
    name: `${name}${missing}`,
    ignore: program === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(test) {
      const server = await startValkey(program!, hasFiles);
      const client = new Redis(server.url, { maxRetriesPerRequest: 0 });
      client.on("error", () => {});
      try {
        await work(server, client, test);
      } finally {
        client.disconnect();
        await server.stop();
      }
    },
  });
}

testServer("a storage of one's own over Valkey is one", false, async (_, client, test) => {
  const steps: [name: string, work: () => Promise<void>][] = [];
  await testStorage("Valkey", {
    test: (name, work) => void steps.push([name, work]),
    async open({ trip }) {
      await client.flushall();
      return { storage: createValkeyStorage(client, { trip }) };
    },
  });
  assert.ok(steps.length > 60, String(steps.length));
  for (const [name, work] of steps) await test.step(name, work);
});

testServer(
  "a storage of one's own over Valkey with files keeps what was answered when the server is killed",
  true,
  async (server, client) => {
    const storage = createValkeyStorage(client);
    const made: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: 4 }, async (_, index) => {
      for (let round = 0; !isOver; round++) {
        const id = `u${index}-${round}`;
        try {
          await storage.insertSession(session(id, id), { owner: record({ id }) });
          made.push(id);
        } catch (error) {
          assert.ok(error instanceof StorageUnavailableError, String(error));
          return;
        }
      }
    });
    while (made.length < 50) await storage.getUser("u0-0");
    await server.restart();
    isOver = true;
    await Promise.all(clients);
    const again = new Redis(server.url);
    try {
      const kept = createValkeyStorage(again);
      for (const id of made) {
        assert.equal((await kept.readSession(`hash-of-${id}`))?.user.id, id);
      }
      assert.equal(await kept.sweep(NOW, 10), 0);
    } finally {
      again.disconnect();
    }
  },
);

testServer(
  "a storage of one's own over Valkey signs people in by a mailed link",
  false,
  async (_, client) => {
    const links: string[] = [];
    const auth = createAuth({
      database: createValkeyStorage(client),
      baseUrl: ORIGIN,
      cookies: { sessionToken: { hostOnly: true } },
      rateLimit: {
        storage: createValkeyRateLimitStorage(([name, ...rest]) => client.call(name!, ...rest)),
      },
      providers: [email({ sendMail: ({ text }) => void links.push(/https:\S+/.exec(text)![0]) })],
    });
    async function ask(path: string, init: RequestInit = {}): Promise<Response> {
      const request = new Request(new URL(path, ORIGIN), init);
      return (await auth.handle(request, {}, { clientAddress: "203.0.113.1" }))!;
    }
    const post = (fields: Record<string, string>) => ({
      method: "POST",
      headers: { origin: ORIGIN },
      body: new URLSearchParams(fields),
    });
    for (const isFirst of [true, false]) {
      const asked = await ask("/auth/signin/email", post({ email: "ada@example.com" }));
      assert.equal(asked.status, 303, await asked.text());
      const { pathname, searchParams } = new URL(links.at(-1)!);
      const signedIn = await ask(pathname, post(Object.fromEntries(searchParams)));
      assert.equal(signedIn.status, 303, await signedIn.text());
      const cookie = signedIn.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
      const { user } = await (await ask("/auth/session", { headers: { cookie } })).json();
      assert.equal(user.email, "ada@example.com");
      const again = await ask(pathname, post(Object.fromEntries(searchParams)));
      assert.ok(again.status !== 303 || again.headers.getSetCookie().length === 0, `${isFirst}`);
    }
    assert.equal((await client.keys("{auth}:user:*")).length, 1);
  },
);
