import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestModule } from "./manifest.ts";
import { data, notFound } from "./results.ts";
import type { HeadersArgs, LayoutProps } from "./types.ts";

type Module = Record<string, unknown>;

async function headersOf(
  page: Module,
  more: { layouts?: Module[]; middleware?: Module[]; error?: Module[] } = {},
): Promise<Headers> {
  const named = (list: Module[]): ManifestModule[] =>
    list.map((module, index) => ({ file: `app/${index}.tsx`, module }));
  const layouts = named(more.layouts ?? []);
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "page",
      pattern: "/",
      file: "app/page.tsx",
      module: { default: () => "page", ...page },
      layouts,
      middleware: named(more.middleware ?? []),
      errorPages: named(more.error ?? []).map((page) => ({ kind: "error", layouts, ...page })),
    }],
  }, { onError: () => {} });
  return (await worker.fetch(new Request("http://localhost/"), {})).headers;
}

const layout = (module: Module): Module => ({
  default: ({ children }: LayoutProps) => children,
  ...module,
});

Deno.test("readHeaders() takes headers from the page before its layouts, and data() before both", async () => {
  const headers = await headersOf({
    headers: { "x-b": "page", "x-c": "page" },
    loader: () => data(null, { headers: { "x-c": "data" } }),
  }, { layouts: [layout({ headers: { "x-a": "layout", "x-b": "layout" } })] });
  assert.deepEqual(["x-a", "x-b", "x-c"].map((name) => headers.get(name)), [
    "layout",
    "page",
    "data",
  ]);
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
});

Deno.test("readHeaders() calls a function with what the loader returned and the response's nonce", async () => {
  const headers = await headersOf({
    loader: () => ({ age: 60 }),
    headers: ({ data, nonce, params }: HeadersArgs) => ({
      "cache-control": `max-age=${data.age}`,
      "content-security-policy": `script-src 'nonce-${nonce}'`,
      "x-params": JSON.stringify(params),
    }),
  });
  assert.equal(headers.get("cache-control"), "max-age=60");
  assert.match(headers.get("content-security-policy")!, /^script-src 'nonce-.{24}'$/);
  assert.equal(headers.get("x-params"), "{}");
});

Deno.test("readHeaders() takes a default away for null, unless a nearer file sets it", async () => {
  const none = layout({ headers: { "Content-Security-Policy": null, "x-own": "layout" } });
  const without = await headersOf({ headers: { "x-own": null } }, { layouts: [none] });
  assert.equal(without.has("content-security-policy"), false);
  assert.equal(without.has("x-own"), false);
  assert.equal(without.has("x-content-type-options"), true);
  const set = { headers: { "content-security-policy": "default-src 'none'" } };
  const nearer = await headersOf(set, { layouts: [none] });
  assert.equal(nearer.get("content-security-policy"), "default-src 'none'");
});

Deno.test("readHeaders() leaves a page's own headers out of the error page in its place", async () => {
  const headers = await headersOf({
    headers: { "content-security-policy": null, "x-page": "1" },
    loader: () => notFound(),
  }, { error: [{ default: () => "error" }], layouts: [layout({ headers: { "x-layout": "1" } })] });
  assert.equal(headers.has("content-security-policy"), true);
  assert.equal(headers.has("x-page"), false);
  assert.equal(headers.get("x-layout"), "1");
});

Deno.test("finishResponse() leaves a middleware the last word on the policy", async () => {
  const middleware = async (
    _request: Request,
    next: () => Promise<Response>,
  ): Promise<Response> => {
    const response = await next();
    response.headers.set("content-security-policy", "default-src 'none'");
    return response;
  };
  const headers = await headersOf({}, { middleware: [{ middleware }] });
  assert.equal(headers.get("content-security-policy"), "default-src 'none'");
});

// Tracks: R080
Deno.test("readHeaders() adds sources of layouts and page to the policy, and of layouts to an error page's", async () => {
  const around = { layouts: [layout({ csp: { img: ["http://pictures.example"] } })] };
  const policyOf = async (page: Module): Promise<string> =>
    (await headersOf(page, { ...around, error: [{ default: () => "error" }] }))
      .get("content-security-policy")!;
  const policy = await policyOf({
    loader: () => "https://api.example",
    csp: ({ data }: HeadersArgs) => ({ connect: [data] }),
  });
  assert.match(policy, /; img-src 'self' data: https: http:\/\/pictures\.example;/);
  assert.match(policy, /; connect-src 'self' https:\/\/api\.example$/);
  const failed = await policyOf({ csp: { connect: ["https://api.example"] }, loader: notFound });
  assert.match(failed, /pictures\.example/);
  assert.doesNotMatch(failed, /connect-src/);
  const wrong = await policyOf({ csp: () => ({ script: ["'unsafe-inline'"] }) });
  assert.doesNotMatch(wrong, /script-src[^;]*unsafe/);
});

Deno.test("createApplication() refuses an export csp that is none, naming the file", async () => {
  for (const csp of [{ connect: ["a; b"] }, "default-src *", { all: [] }]) {
    await assert.rejects(headersOf({ csp }), /^TypeError: app\/page\.tsx exports csp/);
  }
});
