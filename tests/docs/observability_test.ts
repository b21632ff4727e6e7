import { createMemoryStorage } from "@framework/auth";
import { createTracedAuth } from "@framework/auth/tracing";
import { createApplication } from "@framework/cli/runtime";
import { traceApplication } from "@framework/cli/tracing";
import { SpanStatusCode } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

const GUIDE = "docs/observability.md";

// At the top level, since what a module loads would be counted to the test that loads it.
const [telemetry] = codeBlocks(GUIDE, await readDocument(GUIDE))
  .filter(({ text }) => text.startsWith("// telemetry.ts\n"));
const folder = join(repositoryRoot, "tests", "output", "observability");
await Deno.mkdir(folder, { recursive: true });
await Deno.writeTextFile(join(folder, "telemetry.ts"), telemetry!.text);
const { subscribe } = await import(pathToFileURL(join(folder, "telemetry.ts")).href);

Deno.test("the guide's lines make spans of OpenTelemetry, one below the other, with their failures", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  subscribe(provider.getTracer("framework"));
  const module = {
    GET: () => {
      throw new RangeError("not so much");
    },
  };
  const { worker } = traceApplication(createApplication)({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "route",
      pattern: "/cups/:count",
      file: "app/cups/[count]/route.ts",
      module,
      layouts: [],
      middleware: [{
        file: "app/middleware.ts",
        module: { middleware: (_request: Request, next: () => Promise<Response>) => next() },
      }],
    }],
  }, { onError() {} });
  await worker.fetch(new Request("http://localhost/cups/9?token=x"), {});
  const auth = createTracedAuth({ database: createMemoryStorage() });
  await auth.fetch(new Request("http://localhost/auth/session"));

  const spans = exporter.getFinishedSpans();
  const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
  assert.deepEqual(
    spans.map(({ name, parentSpanContext, attributes, status }) => ({
      name,
      below: names.get(parentSpanContext?.spanId ?? ""),
      attributes,
      failed: status.code === SpanStatusCode.ERROR,
    })),
    [
      {
        name: "route",
        below: "middleware",
        attributes: { "code.file.path": "app/cups/[count]/route.ts", "error.type": "RangeError" },
        failed: true,
      },
      {
        name: "middleware",
        below: "request",
        attributes: { "code.file.path": "app/middleware.ts" },
        // What it leads to is answered before it.
        failed: false,
      },
      {
        name: "request",
        below: undefined,
        attributes: {
          "http.request.method": "GET",
          "http.route": "/cups/:count",
          "http.response.status_code": 500,
        },
        failed: false,
      },
      {
        name: "auth.request",
        below: undefined,
        attributes: {
          "http.request.method": "GET",
          "http.route": "/auth/session",
          "http.response.status_code": 200,
        },
        failed: false,
      },
    ],
  );
  await provider.shutdown();
});
