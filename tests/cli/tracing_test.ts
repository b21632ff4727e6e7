import { authSchema } from "@framework/auth/storage";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { framework } from "../support/command_line.ts";
import { buildServer, startServer } from "./built_server.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { until } from "../support/until.ts";
import { createPackedApp } from "./packed_app.ts";

const outside = { sanitizeOps: false, sanitizeResources: false };

const files = {
  "migrations/0001_auth.sql": authSchema.up,
  "app/middleware.ts": "export const middleware = (_request, next) => next();",
  "app/layout.tsx": `export const loader = () => ({ shop: "Tea" });
export default ({ children }) => <html><body>{children}</body></html>;`,
  "app/users/[name]/page.tsx": `export const loader = async ({ context }) => {
  await context.env.DB.prepare("SELECT 1").first();
  return { user: await context.auth.getUser() };
};
export const action = () => { throw new Error("secret-of-the-error"); };
export default ({ params }) => <h1>{params.name}</h1>;`,
  "app/api/route.ts": "export const GET = () => Response.json({});",
  "app/auth/config.ts": `import { defineAuthConfig } from "@framework/auth/convention";
export default defineAuthConfig({});`,
};

/** A span as the platform tells it to a tail worker. */
interface Told {
  spanContext: { spanId?: string };
  event: {
    type: string;
    name?: string;
    spanId?: string;
    info?: { name: string; value: unknown }[];
  };
}

const TAIL = `const told = [];
export default {
  // Sizes and times are BigInt, of which JSON has none.
  fetch: () => new Response(JSON.stringify(told.splice(0), (_, value) => typeof value === "bigint" ? Number(value) : value)),
  tailStream: () => (event) => void told.push(event),
};`;

/** The spans below each other, as lines "outer > inner", with their attributes. */
function readSpans(told: readonly Told[]): Map<string, Record<string, unknown>> {
  const paths = new Map<string, string>();
  const spans = new Map<string, Record<string, unknown>>();
  for (const { spanContext, event } of told) {
    const around = paths.get(spanContext.spanId ?? "");
    if (event.type === "spanOpen") {
      const path = around === undefined ? event.name! : `${around} > ${event.name}`;
      paths.set(event.spanId!, path);
      spans.set(path, {});
    }
    if (event.type === "attributes" && around !== undefined) {
      for (const { name, value } of event.info!) spans.get(around)![name] = value;
    }
  }
  return spans;
}

Deno.test(
  "a worker with `tracing: true` tells the platform its requests, middleware, loaders, actions and pages",
  outside,
  async () => {
    await using app = await createPackedApp({
      ...files,
      "framework.config.ts": "export default { tracing: true };",
    });
    const built = await framework(app.root, "build");
    assert.equal(built.code, 0, built.stderr);
    const platform = JSON.parse(readFileSync(join(app.root, "dist/wrangler.json"), "utf8"));
    const date = platform["compatibility_date"];
    const miniflare = new Miniflare({
      cf: false,
      handleStructuredLogs: () => {},
      workers: [{
        name: "app",
        modules: [{ type: "ESModule", path: join(app.root, "dist", platform.main) }],
        modulesRoot: join(app.root, "dist"),
        compatibilityDate: date,
        compatibilityFlags: platform["compatibility_flags"],
        d1Databases: ["DB"],
        streamingTails: ["tail"],
      }, {
        name: "tail",
        modules: [{ type: "ESModule", path: "tail.js", contents: TAIL }],
        compatibilityDate: date,
        compatibilityFlags: ["experimental", "streaming_tail_worker"],
      }],
    });
    try {
      const database = await miniflare.getD1Database("DB", "app");
      for (const statement of authSchema.up.split(/;\s*$/m).filter((text) => text.trim() !== "")) {
        await database.prepare(statement).run();
      }
      const { origin } = await miniflare.ready;
      const tail = await miniflare.getWorker("tail") as unknown as { fetch: typeof fetch };
      const spansOf = async (path: string, init?: RequestInit) => {
        const response = await fetch(origin + path, init);
        await response.body?.cancel();
        const told: Told[] = [];
        const ended = ({ event }: Told) => event.type === "outcome";
        await until(async () => {
          told.push(...await (await tail.fetch("http://tail/")).json() as Told[]);
          return told.some(ended);
        }, () => `The end of ${path} is not told: ${JSON.stringify(told)}`);
        return { response, spans: readSpans(told), text: JSON.stringify(told) };
      };

      const page = await spansOf("/users/ada?token=in-the-query");
      assert.equal(page.response.status, 200);
      assert.deepEqual(page.spans.get("request"), {
        "http.request.method": "GET",
        "http.route": "/users/:name",
        "http.response.status_code": 200,
      });
      const route = "request > middleware";
      const names = [...page.spans.keys()];
      assert.ok(names.includes(route), names.join("\n"));
      assert.ok(names.some((name) => name.endsWith("> loader")), names.join("\n"));
      assert.ok(names.some((name) => name.endsWith("> render")), names.join("\n"));

      const signIn = await spansOf("/auth/signin");
      assert.equal(signIn.spans.get("request > auth.request")?.["http.route"], "/auth/signin");

      const failed = await spansOf("/users/ada", {
        method: "POST",
        headers: { origin, "content-type": "application/x-www-form-urlencoded" },
        body: "password=typed-by-somebody",
      });
      assert.equal(failed.response.status, 500);
      const action = [...failed.spans].find(([name]) => name.endsWith("> action"));
      assert.equal(action?.[1]["error.type"], "Error");
      assert.doesNotMatch(failed.text, /typed-by-somebody/);
    } finally {
      await miniflare.dispose();
    }
  },
);

for (const runtime of inMatrix ? ["Node 22", "Deno"] as const : ["Node 22"] as const) {
  Deno.test(
    `a server on ${runtime} with \`tracing: true\` publishes its spans to the channel`,
    outside,
    async () => {
      await using app = await buildServer(runtime, {
        ...files,
        "framework.config.ts": "export default { tracing: true };",
        "app/spans/route.ts": `import { tracingChannel } from "node:diagnostics_channel";
const ended = [];
tracingChannel("framework").asyncEnd.subscribe(({ name, attributes }) => void ended.push([name, attributes]));
export const GET = () => Response.json(ended.splice(0));`,
      });
      const port = freePort();
      const origin = `http://localhost:${port}`;
      await using _server = await startServer(runtime, app, {
        PORT: String(port),
        BASE_URL: origin,
      });
      await (await fetch(`${origin}/spans`)).body?.cancel();
      await (await fetch(`${origin}/users/ada`, { headers: { cookie: "session=x" } })).text();
      const ended = await (await fetch(`${origin}/spans`)).json() as [
        string,
        Record<string, unknown>,
      ][];
      const of = (wanted: string) => ended.filter(([name]) => name === wanted);
      assert.deepEqual(of("loader").map(([, { "code.file.path": file }]) => file).toSorted(), [
        "app/layout.tsx",
        "app/users/[name]/page.tsx",
      ]);
      assert.ok(
        of("request").some(([, attributes]) => attributes["http.route"] === "/users/:name"),
        JSON.stringify(ended),
      );
    },
  );
}
