import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { CliError } from "../terminal/exit.ts";
import { listen, type Listening } from "./port.ts";

function close({ servers }: Listening): Promise<unknown> {
  return Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
}

function makeServer(): Server {
  return createServer();
}

Deno.test("listen() takes the next port when the wished one is taken", async () => {
  const first = await listen(makeServer, { host: "localhost", port: 0, exact: false });
  const second = await listen(makeServer, { host: "localhost", port: first.port, exact: false });
  assert.ok(second.port > first.port);
  await Promise.all([close(first), close(second)]);
});

Deno.test("listen() fails when exactly the wished port is taken", async () => {
  const first = await listen(makeServer, { host: "localhost", port: 0, exact: false });
  await assert.rejects(
    listen(makeServer, { host: "localhost", port: first.port, exact: true }),
    (error: unknown) => {
      assert.ok(error instanceof CliError);
      assert.equal(error.exitCode, 1);
      assert.equal(error.message, `Port ${first.port} is already in use.`);
      return true;
    },
  );
  await close(first);
});

Deno.test("listen() counts a port as taken when only the other loopback address has it", async () => {
  const first = await listen(makeServer, { host: "::1", port: 0, exact: false });
  await assert.rejects(listen(makeServer, { host: "localhost", port: first.port, exact: true }));
  await close(first);
});

Deno.test("listen() explains an address that is not this machine's", async () => {
  await assert.rejects(
    listen(makeServer, { host: "192.0.2.1", port: 0, exact: false }),
    /could not listen on 192\.0\.2\.1:0/,
  );
});
