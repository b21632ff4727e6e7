import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createHangWatch,
  type HangWatch,
  type OpenRequest,
  type WorkerHang,
} from "./hang_watch.ts";

interface Watched {
  watch: HangWatch;
  /** Adds a request; what it was given up for is noted. */
  open(name: string, state?: Partial<OpenRequest>): OpenRequest;
  /** Names of the requests that were given up, with the reason. */
  failed: [name: string, reason: string][];
  /** Resolves for a worker that hangs. */
  hang: Promise<WorkerHang>;
}

/** A minute for an answer: nobody waits for it. */
const long = [60_000];

async function withWatch(
  { worker, patience }: { worker: RequestListener; patience: number[] },
  test: (watched: Watched) => Promise<void>,
): Promise<void> {
  const server = createServer(worker).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { promise: hang, resolve: onHang } = Promise.withResolvers<WorkerHang>();
  const watch = createHangWatch({ url: `http://127.0.0.1:${port}/`, onHang, pause: 1, patience });
  const failed: [string, string][] = [];
  const open: Watched["open"] = (name, state) => {
    const request = {
      name,
      isBegun: false,
      isLeft: false,
      taken: 0,
      fail: ({ message }: WorkerHang) => void failed.push([name, message]),
      ...state,
    };
    watch.add(request);
    return request;
  };
  try {
    await test({ watch, open, failed, hang });
  } finally {
    watch.close();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

Deno.test("createHangWatch() gives up what is open at a worker that answers nothing, and names it", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ open, failed, hang }) => {
    open("GET /stream", { isBegun: true });
    open("GET /clock");
    open("POST /echo");
    const { message } = await hang;
    assert.match(message, /Without an answer: GET \/clock, POST \/echo\. /);
    assert.deepEqual(failed, [
      ["GET /stream", message],
      ["GET /clock", message],
      ["POST /echo", message],
    ]);
  }));

Deno.test("createHangWatch() names the answers that have begun where no other request is open", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ open, hang }) => {
    open("GET /stream", { isBegun: true });
    assert.match((await hang).message, /Without an answer: GET \/stream\. /);
  }));

Deno.test("createHangWatch() notices a worker that hangs while new uploads arrive", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ open, hang }) => {
    open("GET /clock");
    // The system's buffers take the beginning of each.
    const uploads = setInterval(() => open("PUT /file", { taken: 2 ** 22 }), 0);
    try {
      assert.match((await hang).message, /Without an answer: GET \/clock/);
    } finally {
      clearInterval(uploads);
    }
  }));

Deno.test("createHangWatch() notices a worker that hangs for a request whose client has left", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ open, hang }) => {
    open("GET /clock", { isLeft: true });
    assert.match((await hang).message, /Without an answer: GET \/clock\. /);
  }));

Deno.test("createHangWatch() waits for a request as long as the worker answers others", async () => {
  const asked = Promise.withResolvers<void>();
  let count = 0;
  const worker: RequestListener = (_request, response) => {
    response.end();
    if (++count === 5) asked.resolve();
  };
  await withWatch({ worker, patience: long }, async ({ open, failed }) => {
    open("GET /slow");
    await asked.promise;
    assert.deepEqual(failed, []);
  });
});

/** A request with a body, of which each look finds a part more taken, until it was looked at so many times. */
class Upload implements OpenRequest {
  name = "PUT /files";
  isBegun = false;
  isLeft = false;
  looks = 0;
  fail = (): void => {};

  constructor(private part: number, private times: number) {}

  get taken(): number {
    return this.part * Math.min(++this.looks, this.times);
  }
}

Deno.test("createHangWatch() waits while the worker takes a request's body, and no longer", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ watch, hang }) => {
    const upload = new Upload(1024 * 1024, 20);
    watch.add(upload);
    assert.match((await hang).message, /Without an answer: PUT \/files\. /);
    // Two for each round, of which the last found nothing.
    assert.equal(upload.looks, 22);
  }));

Deno.test("createHangWatch() does not wait for a body of which little is taken: it lies in buffers", () =>
  withWatch({ worker: () => {}, patience: [1, 1] }, async ({ watch, hang }) => {
    const upload = new Upload(1000, 20);
    watch.add(upload);
    await hang;
    assert.equal(upload.looks, 2);
  }));

Deno.test("createHangWatch() asks once more, since this process may have been stopped meanwhile", async () => {
  const answered = Promise.withResolvers<void>();
  let count = 0;
  // Too late for the first question of a round, which may not even arrive here, and in time for the second.
  const worker: RequestListener = ({ socket }, response) =>
    void setTimeout(() => {
      if (socket.destroyed) return;
      response.end();
      if (++count === 2) answered.resolve();
    }, 20);
  await withWatch({ worker, patience: [1, ...long] }, async ({ open, failed }) => {
    open("GET /slow");
    await answered.promise;
    assert.deepEqual(failed, []);
  });
});

Deno.test("createHangWatch() takes no broken connection for a hang, and asks nothing once nobody waits", async () => {
  const asked = Promise.withResolvers<void>();
  let count = 0;
  const worker: RequestListener = (request) => {
    request.socket.destroy();
    if (++count === 3) asked.resolve();
  };
  await withWatch({ worker, patience: long }, async ({ watch, open, failed }) => {
    const request = open("GET /");
    await asked.promise;
    watch.remove(request);
    assert.deepEqual(failed, []);
  });
});
