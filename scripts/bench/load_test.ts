import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendLoad } from "./load.ts";

/** Serves on a free port for as long as the job takes. */
async function withServer(
  answer: (cookie: string | undefined, count: number) => [status: number, body: string],
  job: (port: number) => Promise<void>,
): Promise<void> {
  let count = 0;
  const server = createServer(({ headers }, response) => {
    const [status, body] = answer(headers.cookie, ++count);
    // Every second one in chunks.
    if (count % 2 === 0) response.writeHead(status, { "content-length": body.length });
    else response.writeHead(status).write("");
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await job((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const OPTIONS = { cookie: "session=1", connections: 4, seconds: 0.3 };

Deno.test("sendLoad() sends the cookie, and counts the answers of every form", async () => {
  let served = 0;
  await withServer((cookie) => {
    served++;
    return [cookie === "session=1" ? 200 : 401, "hello"];
  }, async (port) => {
    const { requests, errors } = await sendLoad({ ...OPTIONS, port });
    assert.equal(errors, 0);
    assert.ok(requests > 4 && requests <= served && requests >= served - OPTIONS.connections);
  });
});

Deno.test("sendLoad() reports another answer, and the first one's text", async () => {
  await withServer(
    (_cookie, count) => count === 3 ? [500, "broken"] : [200, "hello"],
    async (port) => {
      const { errors, firstError } = await sendLoad({ ...OPTIONS, port });
      assert.equal(errors, 1);
      assert.match(firstError!, /500[^]*broken/);
    },
  );
});

Deno.test("sendLoad() opens another connection when the server closes one that waits", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": 2, connection: "close" }).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    // Without a rate the next request is due at once, before the connection is seen to end.
    for (const pace of [{ rate: 100 }, {}]) {
      const { requests, errors } = await sendLoad({ ...OPTIONS, ...pace, port });
      assert.equal(errors, 0);
      assert.ok(requests > OPTIONS.connections);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("sendLoad() reports a connection that ends without the answer", async () => {
  let count = 0;
  const server = createServer((request, response) => {
    if (++count === 3) request.socket.destroy();
    else response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const { errors, firstError } = await sendLoad({ ...OPTIONS, port });
    assert.equal(errors, 1);
    assert.match(firstError!, /before its answer/);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("sendLoad() sends no more than the rate asks for", async () => {
  await withServer(() => [200, "hello"], async (port) => {
    const { requests, seconds } = await sendLoad({ ...OPTIONS, port, rate: 100 });
    assert.ok(requests > 0 && requests <= 100 * seconds + 1);
  });
});
