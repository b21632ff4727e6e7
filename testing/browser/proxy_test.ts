import assert from "node:assert/strict";
import { get, request as ask } from "node:http";
import { startProxy } from "./proxy.ts";

interface Answered {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request as a browser does by its proxy: with the whole address in its first line. */
function send(
  address: string,
  url: string,
  { method = "GET", headers = {}, body = "" }: {
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  } = {},
): Promise<Answered> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = ask({ hostname, port, path: url, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => text += part);
      response.on(
        "end",
        () => resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
    sent.on("error", reject).end(body);
  });
}

// Sockets of the server end after it.
const sanitizers = { sanitizeOps: false, sanitizeResources: false };

Deno.test({
  name: "startProxy() has the application answer, without the cookies that its context has",
  ...sanitizers,
  fn: async () => {
    const asked: string[] = [];
    const proxy = await startProxy({
      origin: "http://app.example",
      failed: (error) => assert.fail(String(error)),
      async answer(request) {
        const { method, url, headers } = request;
        const cookie = headers.get("cookie");
        asked.push(`${method} ${url} ${headers.get("x-own")} ${cookie} ${await request.text()}`);
        return new Response("made", {
          status: 303,
          headers: { location: "/next", "set-cookie": "session=ada" },
        });
      },
    });
    try {
      const headers = { "x-own": "own", cookie: "a=b" };
      const answer = await send(proxy.address, "http://app.example/form?a=1", {
        method: "POST",
        headers,
        body: "x=y",
      });
      assert.deepEqual(asked, ["POST http://app.example/form?a=1 own null x=y"]);
      assert.deepEqual([answer.status, answer.body], [303, "made"]);
      assert.equal(answer.headers["location"], "/next");
      assert.equal(answer.headers["set-cookie"], undefined);
    } finally {
      proxy.close();
    }
  },
});

Deno.test({
  name: "startProxy() answers no other origin, and tells what the application fails with",
  ...sanitizers,
  fn: async () => {
    const failures: unknown[] = [];
    const proxy = await startProxy({
      origin: "http://app.example",
      failed: (error) => void failures.push(error),
      answer: () => Promise.reject(new RangeError("Not today")),
    });
    try {
      await assert.rejects(send(proxy.address, "http://other.example/"));
      await assert.rejects(send(proxy.address, "/no/address"));
      assert.deepEqual(failures, []);
      await assert.rejects(send(proxy.address, "http://app.example/"));
      assert.deepEqual(failures.map(String), ["RangeError: Not today"]);
    } finally {
      proxy.close();
    }
    await assert.rejects(new Promise((_, reject) => get(proxy.address).on("error", reject)));
  },
});

Deno.test("startProxy() refuses an origin whose requests it could not read", async () => {
  const answers = {
    origin: "https://app.example",
    answer: () => Promise.resolve(new Response()),
    failed: () => {},
  };
  await assert.rejects(startProxy(answers), { code: "NO_BROWSER", message: /Chromium alone/ });
});
