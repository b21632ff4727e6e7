import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { sendRaw } from "../../tests/support/raw_http.ts";
import { bundleWorker } from "./bundle_worker.ts";

const FORM = "Content-Type: application/x-www-form-urlencoded";
const JSON_TYPE = "Content-Type: application/json";

function post(lines: string[], body: string): string {
  return ["POST / HTTP/1.1", "Host: localhost", ...lines, "Connection: close", "", body].join(
    "\r\n",
  );
}

const MESSAGES: Record<string, [message: string, status: number, text: string]> = {
  "a form with its length": [
    post([FORM, "Content-Length: 9"], "a=1&b=%26"),
    200,
    '{"a":"1","b":"&"}',
  ],
  "a form in chunks": [
    post([FORM, "Transfer-Encoding: chunked"], "9\r\na=1&b=%26\r\n0\r\n\r\n"),
    200,
    '{"a":"1","b":"&"}',
  ],
  "more than it announces": [post([FORM, "Content-Length: 3"], "a=1&b=%26"), 200, '{"a":"1"}'],
  "text that is not ASCII": [
    post([JSON_TYPE, "Content-Length: 10"], '{"a":"\xc3\xa9"}'),
    200,
    '{"a":"é"}',
  ],
  "a byte order mark": [
    post([JSON_TYPE, "Content-Length: 12"], '\xef\xbb\xbf{"a":"b"}'),
    200,
    '{"a":"b"}',
  ],
  "a byte that is no UTF-8": [
    post([JSON_TYPE, "Content-Length: 9"], '{"a":"\xff"}'),
    400,
    "BAD_REQUEST",
  ],
  "a surrogate in UTF-8": [
    post([JSON_TYPE, "Content-Length: 11"], '{"a":"\xed\xa0\x80"}'),
    400,
    "BAD_REQUEST",
  ],
  "the most that is taken": [
    post([FORM, "Content-Length: 32768"], `a=${"x".repeat(32_766)}`),
    200,
    `{"a":"${"x".repeat(32_766)}"}`,
  ],
  "a byte too many": [
    post([FORM, "Content-Length: 32769"], `a=${"x".repeat(32_767)}`),
    413,
    "PAYLOAD_TOO_LARGE",
  ],
  // The last chunk never comes: whoever does not count waits for it, and takes what comes until then.
  "chunks without an end beside a small length": [
    post(
      [FORM, "Content-Length: 8", "Transfer-Encoding: chunked"],
      `1000\r\n${"x".repeat(4096)}\r\n`.repeat(16),
    ),
    413,
    "PAYLOAD_TOO_LARGE",
  ],
};

// Tracks: R082, F30
Deno.test({
  name: "readFields() in workerd takes no more than its limit, whatever a request announces",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const miniflare = new Miniflare({
      modules: true,
      script: await bundleWorker(new URL("./body_worker.ts", import.meta.url)),
      compatibilityDate: "2026-07-01",
      compatibilityFlags: ["nodejs_compat"],
      // Not by way of the emulator, which writes requests anew.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    });
    try {
      const { port } = await miniflare.unsafeGetDirectURL();
      for (const [name, [message, status, text]] of Object.entries(MESSAGES)) {
        await test.step(name, async () => {
          const reply = await sendRaw(Number(port), message);
          assert.equal(reply.status, status, reply.text.slice(0, 200));
          const bytes = Uint8Array.from(reply.text, (character) => character.charCodeAt(0));
          assert.ok(new TextDecoder().decode(bytes).includes(text), reply.text.slice(0, 200));
        });
      }
      await test.step("a request that the worker made", async () => {
        const { status } = await fetch(`http://127.0.0.1:${port}/made`);
        assert.equal(status, 413);
      });
    } finally {
      await miniflare.dispose();
    }
  },
});
