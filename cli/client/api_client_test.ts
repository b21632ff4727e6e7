import { build, stop } from "esbuild";
import assert from "node:assert/strict";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { createApplication } from "../runtime/application.ts";
import { readInput } from "../runtime/input.ts";
import { data, type DataResult } from "../runtime/results.ts";
import type { RequestContext } from "../runtime/types.ts";
import { ApiError, createApiClient, type Json } from "./api_client.ts";

interface Issue {
  id: number;
  title: string;
  due: Date | null;
  tags: string[];
}

const Query = z.object({ page: z.string().optional(), tags: z.array(z.string()).optional() });
const Body = z.object({ title: z.string().min(3, "Too short."), due: z.coerce.date().optional() });
const made: Issue = { id: 7, title: "Paint", due: new Date(0), tags: [] };

const issues = {
  input: { GET: Query, POST: Body },
  GET: (_: Request, { input }: RequestContext) => ({ input, issues: [made] }),
  POST: (_: Request): DataResult<Issue> => data(made, { status: 201 }),
};
const issue = {
  input: Body,
  GET: (_: Request, { params }: RequestContext) => params,
  PATCH: async (_: Request, { input }: RequestContext) => await Promise.resolve(input),
  DELETE: () => undefined,
};
const files = {
  POST: async (request: Request) => [...(await request.formData()).keys()],
  GET: (_: Request) => new Response("plain"),
};
const failing = {
  GET: () =>
    new Response("<h1>Oops</h1>", { status: 502, headers: { "content-type": "text/html" } }),
};

interface Routes {
  "/api/issues": typeof issues;
  "/api/issues/[id]": typeof issue;
  "/api/files/[...path]": typeof files;
  "/api/failing": typeof failing;
}

const ORIGIN = "http://localhost";
const routes = Object.entries({
  "/api/issues": issues,
  "/api/issues/:id": issue,
  "/api/files/:path*": files,
  "/api/failing": failing,
}).map(([pattern, module]) => ({
  kind: "route" as const,
  pattern,
  file: `app${pattern}/route.ts`,
  module,
  layouts: [],
  middleware: [],
}));
const { worker } = createApplication({
  database: "DB",
  dev: false,
  auth: null,
  routes,
  input: readInput,
}, { onError: (error) => assert.fail(String(error)) });

/** Runs calls as in a page of the application, and records their requests. */
async function inPage<T>(run: () => Promise<T>): Promise<[T, Request[]]> {
  const original = globalThis.fetch;
  const sent: Request[] = [];
  globalThis.fetch = (input, init) => {
    const request = new Request(new URL(String(input), ORIGIN), init);
    sent.push(request.clone());
    request.headers.set("origin", ORIGIN);
    return worker.fetch(request, {});
  };
  try {
    return [await run(), sent];
  } finally {
    globalThis.fetch = original;
  }
}

Deno.test("a client sends JSON with the user's cookies, and returns what the route made", async () => {
  const api = createApiClient<Routes>();
  const [created, [request]] = await inPage(() =>
    api.POST("/api/issues", { input: { title: "Paint" } })
  );
  const due: string | null = created.due;
  assert.deepEqual([created.id, due], [7, "1970-01-01T00:00:00.000Z"]);
  assert.equal(request!.credentials, "same-origin");
  assert.equal(request!.headers.get("content-type"), "application/json");
  assert.equal(request!.headers.get("authorization"), null);
  assert.equal(await request!.text(), '{"title":"Paint"}');
});

Deno.test("a client fills paths and queries, each value as one segment", async () => {
  const api = createApiClient<Routes>();
  const [found] = await inPage(() => api.GET("/api/issues/[id]", { params: { id: "a/b?c" } }));
  assert.deepEqual(found, { id: "a/b?c" });
  const [list] = await inPage(() =>
    api.GET("/api/issues", { input: { tags: ["a&b"], page: "2" } })
  );
  assert.deepEqual(list.input, { tags: ["a&b"], page: "2" });
  const titles: string[] = list.issues.map(({ title }) => title);
  assert.deepEqual([titles, list.issues[0]!.tags.map((tag) => tag)], [["Paint"], []]);
  const [all, [plain]] = await inPage(() => api.GET("/api/issues"));
  assert.deepEqual([all.input, plain!.url], [{}, `${ORIGIN}/api/issues`]);
  const [gone] = await inPage(() => api.DELETE("/api/issues/[id]", { params: { id: 7 } }));
  assert.equal(gone, undefined);
  for (const id of [".", "..", "", undefined as never]) {
    await assert.rejects(api.GET("/api/issues/[id]", { params: { id } }), TypeError);
  }
  const path = ["a", "..", "admin"];
  await assert.rejects(api.GET("/api/files/[...path]", { params: { path } }), TypeError);
});

Deno.test("a client sends forms, and reads what is no JSON as text", async () => {
  const api = createApiClient<Routes>();
  const form = new FormData();
  form.set("file", new File(["x"], "a.txt"));
  const params = { path: ["a b", "c"] };
  // The route has no schema, so the type accepts no input; a form is sent all the same.
  const call = { params, input: form } as never;
  const [keys, [request]] = await inPage(() => api.POST("/api/files/[...path]", call));
  assert.deepEqual(keys, ["file"]);
  assert.equal(request!.url, `${ORIGIN}/api/files/a%20b/c`);
  const [text] = await inPage(() => api.GET("/api/files/[...path]", { params }));
  assert.equal(text, "plain");
});

Deno.test("a client throws what a route refuses, with the messages of its fields", async () => {
  const api = createApiClient<Routes>();
  const error = await inPage(() => api.POST("/api/issues", { input: { title: "x" } }))
    .then(() => null, (error) => error);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.status, error.code, error.fields], [
    422,
    "INVALID_INPUT",
    { title: ["Too short."] },
  ]);
  await assert.rejects(inPage(() => api.GET("/api/failing")), {
    status: 502,
    code: "",
    message: "The server answered with status 502.",
  });
});

// Tracks: R071
Deno.test("a client of another application sends a token and never cookies", async () => {
  const api = createApiClient<Routes>({
    base: "https://api.example",
    token: () => Promise.resolve("key"),
  });
  const [, [request]] = await inPage(() => api.GET("/api/issues"));
  assert.equal(request!.url, "https://api.example/api/issues");
  assert.equal(request!.credentials, "omit");
  assert.equal(request!.headers.get("authorization"), "Bearer key");
  for (const token of [undefined, ""]) {
    const options = { base: "https://api.example", token } as never;
    assert.throws(() => createApiClient(options), TypeError);
  }
});

Deno.test("types: what a route does not have, or does not accept, is an error", () => {
  const api = createApiClient<Routes>();
  // Never called: the compiler reads it.
  async function unused() {
    // @ts-expect-error -- no such route
    await api.GET("/api/isues");
    // @ts-expect-error -- no such method
    await api.PUT("/api/issues", { input: { title: "a" } });
    // @ts-expect-error -- the input is missing
    await api.POST("/api/issues");
    // @ts-expect-error -- no such field
    await api.POST("/api/issues", { input: { titel: "a" } });
    // @ts-expect-error -- the parameter is missing
    await api.GET("/api/issues/[id]");
    // @ts-expect-error -- a Date has become a string
    (await api.GET("/api/issues")).issues[0]!.due?.getTime();
    const nothing: undefined = await api.DELETE("/api/issues/[id]", { params: { id: 1 } });
    const response: unknown = await api.GET("/api/failing");
    return [nothing, response];
  }
  const json: Json<{ a: Date; b?: string; c: () => void; d: [number, Date] }> = {
    a: "",
    b: "",
    d: [1, ""],
  };
  assert.deepEqual([typeof unused, json.d.length], ["function", 2]);
});

Deno.test({
  name: "a client is less than a kilobyte, and nothing of the routes is part of it",
  // The bundler's own process ends a moment later.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const contents = `import { createApiClient } from "./api_client.ts";
      import type * as issues from "./api_client_test.ts";
      export const api = createApiClient<{ "/api/issues": typeof issues }>();`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: join(import.meta.dirname!), loader: "ts" },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
    });
    await stop();
    const size = gzipSync(outputFiles[0]!.contents, { level: 9 }).byteLength;
    assert.ok(size < 1000, `${size} bytes`);
  },
});
