import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { createAddressRule } from "./address.ts";
import { toRequest } from "./request.ts";

/** Asks a server of toRequest() behind a proxy on this machine; gives what the application would see. */
async function withRequests(
  test: (
    ask: (...lines: string[]) => Promise<{ url: string; headers: Record<string, string> }>,
  ) => Promise<void>,
): Promise<void> {
  const findAddress = createAddressRule({
    baseUrl: "https://app.example",
    allowedHosts: ["other.example"],
    trustedProxies: ["127.0.0.1"],
  });
  const server = createServer((incoming, outgoing) => {
    const request = toRequest(incoming, outgoing, findAddress);
    outgoing.setHeader("connection", "close");
    outgoing.end(
      request instanceof Request
        ? JSON.stringify({ url: request.url, headers: Object.fromEntries(request.headers) })
        : request.message,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ask = async (...lines: string[]) => {
    const message = ["GET / HTTP/1.1", "Host: app.example", ...lines, "", ""].join("\r\n");
    const { text } = await sendRaw(port, message);
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  };
  try {
    await test(ask);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

// Tracks: R193, A-19
Deno.test("toRequest() takes no header with underscores for the one with dashes", async () => {
  await withRequests(async (ask) => {
    const planted = await ask(
      "X_Forwarded_For: 192.0.2.7",
      "X_Forwarded_Host: other.example",
      "X-Forwarded_Proto: http",
      "CF_Connecting_IP: 192.0.2.7",
      "True_Client_IP: 192.0.2.7",
      "X_Real-IP: 192.0.2.7",
      "Content_Length: 5",
      "my_own: kept",
    );
    assert.equal(planted.url, "https://app.example/");
    assert.equal(planted.headers["cf-connecting-ip"], "127.0.0.1");
    assert.equal(planted.headers["my_own"], "kept");
    assert.doesNotMatch(JSON.stringify(planted), /192\.0\.2\.7|other\.example|"http"/);
    // The proxy itself is believed, and nothing that a client put beside its header.
    const proxied = await ask("X-Forwarded-For: 198.51.100.1", "X_Forwarded_For: 192.0.2.7");
    assert.equal(proxied.headers["cf-connecting-ip"], "198.51.100.1");
  });
});

Deno.test("toRequest() takes the name of a request from a trusted proxy, and from nobody else", async () => {
  await withRequests(async (ask) => {
    const nameOf = async (...lines: string[]) => (await ask(...lines)).headers["cf-ray"];
    const proxied = "X-Forwarded-For: 198.51.100.1";
    assert.equal(await nameOf(proxied, "X-Request-Id: 7f3a-41c2"), "7f3a-41c2");
    assert.equal(await nameOf("X-Request-Id: 7f3a-41c2"), undefined, "no proxy stands between");
    assert.equal(await nameOf(proxied, "CF-Ray: 7f3a-41c2"), undefined, "a client's own");
    for (const name of ["short", `a${"b".repeat(128)}`, "<b>bold</b>", "two words", "a, b-c-d-e"]) {
      assert.equal(await nameOf(proxied, `X-Request-Id: ${name}`), undefined, name);
    }
  });
});

// Tracks: R188
Deno.test("toRequest() keeps every Authorization header, as the web platform does", async () => {
  await withRequests(async (ask) => {
    const { headers } = await ask("Authorization: Bearer a", "X-One: 1", "AUTHORIZATION: Bearer b");
    assert.equal(headers["authorization"], "Bearer a, Bearer b");
    assert.equal((await ask("Authorization: Bearer a")).headers["authorization"], "Bearer a");
    assert.equal((await ask()).headers["authorization"], undefined);
  });
});
