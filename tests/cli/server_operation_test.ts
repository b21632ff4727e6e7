// What an operator has of a built server: its log and counters, and its end behind a proxy that keeps connections.
import type { LoggedError } from "@framework/auth";
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { sendRaw } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import {
  buildServer,
  type BuiltServer,
  serve,
  type ServerRuntime,
  startServer,
} from "./built_server.ts";

const files = {
  "app/page.tsx": `export default () => <p>Home</p>;`,
  "app/failing/page.tsx": `export function loader() {
  throw new TypeError("no such thing", { cause: new Error("why") });
}
export default () => <p>Never</p>;`,
  "app/behind/route.ts": `export const GET = (_request, { waitUntil }) => {
  waitUntil(Promise.reject(new Error("behind the answer")));
  return "answered";
};`,
  "app/metrics/route.ts": `import { counters } from "../_counters.ts";
export const GET = () => new Response(counters.text());`,
  "app/slow/route.ts": `export async function GET() {
  console.log("begun");
  await new Promise((resolve) => setTimeout(resolve, 300));
  return "answered";
}`,
  "app/_counters.ts": `import { createCounters } from "@framework/auth/tracing";
export const counters = createCounters();`,
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
import { counters } from "../_counters.ts";
export default defineAuthConfig({
  logger: counters.logger(console),
  cookies: { sessionToken: { hostOnly: true } },
});`,
};

const GET = (path: string, ...lines: string[]) =>
  ["GET " + path + " HTTP/1.1", "Host: app.example", ...lines, "", ""].join("\r\n");

/** The line of the log with an event, once it is there. */
async function lineOf({ child }: BuiltServer, event: string): Promise<Record<string, unknown>> {
  const [line] = await child.waitFor(new RegExp(`^.*"event":"${event}".*$`, "m"), 20);
  return JSON.parse(line);
}

/** A connection that is kept, as a proxy keeps it. */
class KeptConnection implements Disposable {
  readonly #connection: Deno.TcpConn;
  #isOpen = true;
  /** Everything that came. */
  text = "";
  /** Resolves when the server has closed it. */
  readonly ended: Promise<void>;

  constructor(connection: Deno.TcpConn) {
    this.#connection = connection;
    this.ended = this.#read();
  }

  static async open(port: number): Promise<KeptConnection> {
    return new KeptConnection(await Deno.connect({ hostname: "127.0.0.1", port }));
  }

  async send(text: string): Promise<void> {
    await this.#connection.write(new TextEncoder().encode(text));
  }

  /** Resolves with what came when it has a text in it, or when the server has closed. */
  async answer(part: string): Promise<string> {
    await until(() => Promise.resolve(!this.#isOpen || this.text.includes(part)), () => this.text);
    return this.text;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(10_000);
    for (;;) {
      const count = await this.#connection.read(buffer).catch(() => null);
      if (count === null) break;
      this.text += decoder.decode(buffer.subarray(0, count), { stream: true });
    }
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    try {
      this.#connection.close();
    } catch {
      // It is closed.
    }
  }
}

async function isRefused(port: number): Promise<boolean> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
  connection?.close();
  return connection === null;
}

for (const runtime of ["Node 22", "Node 24", "Deno"] as ServerRuntime[]) {
  if (runtime === "Node 24" && !inMatrix) continue;
  Deno.test({
    name: `a built server in operation: ${runtime}`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (test) => {
      await using app = await buildServer(runtime, files);
      await using server = await startServer(runtime, app, { BASE_URL: "http://app.example" });
      const ask = (path: string) => sendRaw(server.port, GET(path, "Connection: close"));

      await test.step("an error of the application is one line of JSON, and counted", async () => {
        const { status } = await ask("/failing?token=canary");
        assert.equal(status, 500);
        const { error, requestId, ...line } = await lineOf(server, "request-failed");
        assert.deepEqual(line, {
          ...{ level: "error", event: "request-failed" },
          ...{ method: "GET", path: "/failing" },
        });
        assert.match(String(requestId), /^[0-9a-f-]{36}$/);
        const { name, message, stack, cause } = error as LoggedError;
        assert.deepEqual([name, message, cause?.message], ["TypeError", "no such thing", "why"]);
        assert.match(stack ?? "", /^TypeError: no such thing\n\s+at /);
        assert.equal((await ask("/behind")).status, 200);
        const behind = await lineOf(server, "background-work-failed");
        assert.equal((behind["error"] as Error).message, "behind the answer");
        const { text } = await ask("/metrics");
        assert.match(text, /^auth_log_lines_total\{level="error",event="request-failed"\} 1$/m);
        assert.doesNotMatch(server.child.output(), /canary|^\s+at /m);
      });

      await test.step("an address of http that is no loopback is warned of", async () => {
        const { level, baseUrl } = await lineOf(server, "base-url-insecure");
        assert.deepEqual([level, baseUrl], ["warn", "http://app.example"]);
      });

      // Tracks: R193
      await test.step("told to end, it loses no request on a connection that is kept", async () => {
        using busy = await KeptConnection.open(server.port);
        using kept = await KeptConnection.open(server.port);
        await kept.send(GET("/metrics"));
        assert.doesNotMatch(await kept.answer("\r\n0\r\n\r\n"), /connection: close/i);
        await busy.send(GET("/slow"));
        await server.child.waitFor(/begun/, 20);
        Deno.kill(server.child.pid, "SIGTERM");
        await until(() => isRefused(server.port), () => server.child.output());
        kept.text = "";
        await kept.send(GET("/metrics"));
        assert.match(await kept.answer("auth_log"), /^HTTP\/1\.1 200[^]*connection: close\r\n/i);
        assert.match(await busy.answer("answered"), /^HTTP\/1\.1 200[^]*connection: close\r\n/i);
        await Promise.all([busy.ended, kept.ended]);
        assert.equal(await server.child.ended, 0);
      });

      await test.step("and before that it goes on to serve, and tells its probes", async () => {
        await using draining = await serve(runtime, app, { DRAIN_TIME: "2" });
        assert.doesNotMatch(draining.child.output(), /base-url-insecure/);
        const probe = async () =>
          (await sendRaw(draining.port, GET("/healthz", "Connection: close"))).status;
        assert.equal(await probe(), 200);
        Deno.kill(draining.child.pid, "SIGTERM");
        await until(async () => await probe() === 503, () => draining.child.output());
        using late = await KeptConnection.open(draining.port);
        await late.send(GET("/metrics"));
        assert.match(await late.answer("auth_log"), /^HTTP\/1\.1 200[^]*connection: close\r\n/i);
        assert.equal(await draining.child.ended, 0);
      });
    },
  });
}
