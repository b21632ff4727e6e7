import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isBreached } from "./breached.ts";

function digest(password: string): string {
  return createHash("sha1").update(password).digest("hex").toUpperCase();
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Runs a test with a server on loopback in the place of the service. */
async function withService(
  answer: Answer,
  test: (call: typeof fetch, asked: IncomingMessage[]) => Promise<void>,
): Promise<void> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const call: typeof fetch = (input, init) => {
    const { host, pathname } = new URL(String(input));
    assert.equal(host, "api.pwnedpasswords.com");
    return fetch(`http://127.0.0.1:${port}${pathname}`, init);
  };
  try {
    await test(call, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const LEAKED = "password1234567";
const line = (suffix: string, count: number) => `${suffix}:${count}\r\n`;

/** Answers as the service does: suffixes of one prefix, padded with counts of 0. */
const service: Answer = (_request, response) => {
  response.setHeader("content-type", "text/plain");
  response.end(
    line("0".repeat(35), 3) + line(digest(LEAKED).slice(5), 12) +
      line(digest("never leaked at all").slice(5), 0) + `${"A".repeat(35)}:0`,
  );
};

// Tracks: R167
Deno.test("isBreached() finds a leaked password, and sends five digits of its hash and no more", () =>
  withService(service, async (call, asked) => {
    assert.equal(await isBreached(LEAKED, { fetch: call }), true);
    assert.equal(await isBreached("a sentence that nobody leaked", { fetch: call }), false);
    assert.equal(asked[0]!.url, `/range/${digest(LEAKED).slice(0, 5)}`);
    for (const { url, headers } of asked) {
      assert.match(url!, /^\/range\/[0-9A-F]{5}$/);
      assert.equal(headers["add-padding"], "true");
    }
  }));

// Tracks: R167
Deno.test("isBreached() takes a line of padding for what it is", () =>
  withService(service, async (call) => {
    assert.equal(await isBreached("never leaked at all", { fetch: call }), false);
  }));

// Tracks: R167
Deno.test("isBreached() looks up the password as it is hashed: in Unicode NFC", () =>
  withService(service, async (call, asked) => {
    await isBreached("caf\u0065\u0301 in the morning", { fetch: call });
    assert.equal(asked[0]!.url, `/range/${digest("caf\u00e9 in the morning").slice(0, 5)}`);
  }));

// Tracks: R167
Deno.test("isBreached() gives up on a service that is slow, down, elsewhere, huge or no such service", async () => {
  const wrong: Record<string, Answer> = {
    "did not answer within 50 ms": () => {},
    "did not answer within 50 ms.": (_, response) => void response.write("0".repeat(35)),
    "status 503": (_, response) => void response.writeHead(503).end(),
    "status 302": (_, response) => void response.writeHead(302, { location: "/other" }).end(),
    "something else": (_, response) => void response.end("<!doctype html><p>Sign in to the Wi-Fi"),
    "more than 1048576 bytes": (_, response) =>
      void response.end(line("B".repeat(35), 1).repeat(40_000)),
  };
  for (const [message, answer] of Object.entries(wrong)) {
    const timeout = message.startsWith("did not") ? 50 : 60_000;
    await withService(answer, async (call, asked) => {
      await assert.rejects(isBreached(LEAKED, { fetch: call, timeout }), (error: Error) => {
        assert.ok(error.message.includes(message.replace(/\.$/, "")), error.message);
        assert.equal(error.message.includes(digest(LEAKED).slice(0, 5)), false);
        return true;
      });
      assert.equal(asked.length, 1, "no redirect is followed");
    });
  }
  const down = () => Promise.reject(new TypeError("error sending request"));
  await assert.rejects(isBreached(LEAKED, { fetch: down }), TypeError);
});
