import assert from "node:assert/strict";
import { createServer } from "node:http";
import { StorageUnavailableError } from "../errors.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createAuth } from "./create_auth.ts";
import { fastifyAuth } from "./fastify.ts";

// Tracks: R172
Deno.test("fastifyAuth() says when to try again where Fastify itself answers that the database is down, and logs it", async () => {
  const logged: unknown[] = [];
  const auth = createAuth({
    database: createMemoryStorage(),
    logger: { info() {}, warn() {}, error: (event) => void logged.push(event) },
  });
  // deno-lint-ignore no-explicit-any -- each hook has a form of its own
  const hooks = new Map<string, (...given: any[]) => unknown>();
  fastifyAuth(auth)({ addHook: (name, hook) => void hooks.set(name, hook) }, {}, () => {});
  const server = createServer((raw, outgoing) => {
    const request = { raw };
    const reply = {
      raw: outgoing,
      header: (name: string, value: string) => outgoing.setHeader(name, value),
    };
    hooks.get("onRequest")!(request, reply, () => {
      hooks.get("onError")!(request, reply, new StorageUnavailableError(), () => {
        outgoing.writeHead(503).end("as Fastify has it");
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://localhost:${port}/`);
  assert.equal(await response.text(), "as Fastify has it");
  assert.equal(response.headers.get("retry-after"), "2");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.deepEqual(logged, ["request-failed"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
