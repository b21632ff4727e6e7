import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { createAddressRule } from "./address.ts";
import { toRequest } from "./request.ts";

// Tracks: R193
Deno.test("toRequest() takes no header with underscores for the one with dashes", async () => {
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
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
