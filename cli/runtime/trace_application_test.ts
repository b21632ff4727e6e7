import assert from "node:assert/strict";
import type { Tracer } from "@framework/auth/tracing";
import { createApplication } from "./application.ts";
import type { AppManifest } from "./manifest.ts";
import { traceApplication } from "./trace_application.ts";

type Spans = { name: string; attributes: Record<string, unknown> }[];

/** A tracer that keeps what has been said of each span, in the order in which they began. */
function keepSpans(): { tracer: Tracer; spans: Spans } {
  const spans: Spans = [];
  const tracer: Tracer = {
    enterSpan(name, work) {
      const attributes: Record<string, unknown> = {};
      spans.push({ name, attributes });
      return work({ setAttribute: (key, value) => void (attributes[key] = value) });
    },
  };
  return { tracer, spans };
}

const manifest: AppManifest = { database: "DB", dev: false, auth: null, routes: [] };

Deno.test("a batch of messages and a cron job are spans by their files, with their failures", async () => {
  const { tracer, spans } = keepSpans();
  const { worker } = traceApplication(createApplication, { tracer })({
    ...manifest,
    queues: { mails: { file: "app/queues/mails.ts", module: { queue: () => {} } } },
    cron: [{
      file: "app/cron/night.ts",
      module: {
        schedule: "0 3 * * *",
        scheduled: () => {
          throw Object.assign(new Error("not tonight"), { code: "TOO_LATE" });
        },
      },
    }],
  });
  const batch = { queue: "mails", messages: [], ackAll() {}, retryAll() {} };
  await worker.queue!(batch as never, {});
  await assert.rejects(
    worker.scheduled!({ cron: "0 3 * * *", scheduledTime: 0, noRetry() {} } as never, {}),
    /not tonight/,
  );
  assert.deepEqual(spans, [
    { name: "queue", attributes: { "code.file.path": "app/queues/mails.ts" } },
    {
      name: "scheduled",
      attributes: { "code.file.path": "app/cron/night.ts", "error.type": "TOO_LATE" },
    },
  ]);
});

Deno.test("a request of no route has no route, and what the application exports besides stays as it is", async () => {
  const { tracer, spans } = keepSpans();
  const GET = () => new Response("here");
  const { worker } = traceApplication(createApplication, { tracer })({
    ...manifest,
    routes: [{
      kind: "route",
      pattern: "/here",
      file: "app/here/route.ts",
      module: {
        GET,
        bodyLimit: "1 KB",
        POST: async (request: Request) => new Response(await request.text()),
      },
      layouts: [],
      middleware: [],
    }],
  }, { onError() {} });
  const ask = async (path: string, body?: string) => {
    const headers = { origin: "http://localhost" };
    const init = body === undefined ? {} : { method: "POST", body, headers };
    const response = await worker.fetch(new Request(`http://localhost${path}`, init), {});
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await ask("/nowhere/secret-of-the-path"), 404);
  assert.equal(await ask("/here"), 200);
  assert.equal(await ask("/here", "x".repeat(2000)), 413, "the limit of the file counts");
  assert.deepEqual(
    spans.filter(({ name }) => name === "request").map(({ attributes }) =>
      attributes["http.route"]
    ),
    [undefined, "/here", "/here"],
  );
  assert.doesNotMatch(JSON.stringify(spans), /secret-of-the-path/);
});

Deno.test("Server-Timing is that of its own request, and its text cannot end its quotes", async () => {
  const page = (file: string) => ({
    kind: "route" as const,
    pattern: `/${file.length}`,
    file,
    module: { GET: () => new Promise((resolve) => setTimeout(() => resolve(new Response()), 5)) },
    layouts: [],
    middleware: [],
  });
  const files = ['app/a"b/route.ts', "app/ü/longer/route.ts"];
  const { worker } = traceApplication(createApplication, { serverTiming: true })({
    ...manifest,
    routes: files.map(page),
  });
  const [one, other] = await Promise.all(
    files.map(async ({ length }) => {
      const response = await worker.fetch(new Request(`http://localhost/${length}`), {});
      return response.headers.get("server-timing")!;
    }),
  );
  assert.match(one!, /^route;desc="app\/a\?b\/route\.ts";dur=\d+\.\d, request;desc="\/16";dur=/);
  assert.match(other!, /^route;desc="app\/\?\/longer\/route\.ts";dur=\d+\.\d, request;/);
});
