import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import { data, notFound } from "./results.ts";
import type { ErrorPageProps, HeadersArgs, LayoutProps, MetadataArgs, PageProps } from "./types.ts";

type Module = Record<string, unknown>;

async function get(
  layouts: Module[],
  page: Module,
  errorPage?: Module,
  loading?: Module,
): Promise<Response> {
  const named = layouts.map((module, index) => ({ file: `app/${index}/layout.tsx`, module }));
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "page",
      pattern: "/",
      file: "app/page.tsx",
      module: page,
      layouts: named,
      middleware: [],
      ...(loading && { loading: { file: "app/loading.tsx", module: loading } }),
      ...(errorPage && {
        errorPages: [{
          kind: "not-found" as const,
          file: "app/not-found.tsx",
          module: errorPage,
          layouts: named,
        }],
      }),
    }],
  });
  return await worker.fetch(
    new Request("http://localhost/", { headers: { accept: "text/html" } }),
    {},
  );
}

const show = (value: unknown): string => JSON.stringify(value ?? null).replaceAll('"', "|");

const outer = {
  loader: () => ({ team: "acme", depth: 1 }),
  default: ({ children, layoutData }: LayoutProps) => (
    <html lang="en">
      <head></head>
      <body data-outer={show(layoutData)}>{children}</body>
    </html>
  ),
};
const inner = {
  loader: () => data({ depth: 2, rights: ["read"] }, { headers: { "x-inner": "yes" } }),
  metadata: ({ layoutData }: MetadataArgs) => ({ description: `in ${layoutData.team}` }),
  default: ({ children, data, layoutData }: LayoutProps) => (
    <section data-own={show(data)} data-inner={show(layoutData)}>{children}</section>
  ),
};

Deno.test("pages and child layouts see what the layouts around them have loaded", async () => {
  const response = await get([outer, inner], {
    loader: () => ({ depth: 3 }),
    metadata: ({ layoutData }: MetadataArgs) => ({ title: `${layoutData.team}!` }),
    headers: ({ layoutData }: HeadersArgs) => ({ "x-team": layoutData.team }),
    default: ({ data, layoutData }: PageProps) => (
      <main data-own={show(data)} data-page={show(layoutData)} />
    ),
  });
  const text = await response.text();
  assert.match(text, /data-outer="\{\}"/);
  assert.match(text, /data-inner="\{\|team\|:\|acme\|,\|depth\|:1\}"/);
  assert.match(text, /<main data-own="\{\|depth\|:3\}"/);
  assert.match(text, /data-page="\{\|team\|:\|acme\|,\|depth\|:2,\|rights\|:\[\|read\|\]\}"/);
  assert.match(text, /<title>acme!<\/title>/);
  assert.match(text, /name="description" content="in acme"/);
  assert.deepEqual([response.headers.get("x-team"), response.headers.get("x-inner")], [
    "acme",
    "yes",
  ]);
});

Deno.test("results of layouts that are not objects add nothing, and no result changes another", async () => {
  const kept = { a: 1 };
  const plain = (result: unknown) => ({ ...inner, metadata: {}, loader: () => result });
  const response = await get(
    [plain(kept), plain(["list"]), plain(null), plain("text"), plain(undefined), plain({ b: 2 })],
    { default: ({ layoutData }: PageProps) => <main data-page={show(layoutData)} /> },
  );
  assert.match(await response.text(), /data-page="\{\|a\|:1,\|b\|:2\}"/);
  assert.deepEqual(kept, { a: 1 });
});

Deno.test("the loaders of a page and its layouts run at the same time", async () => {
  const running: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const together = (name: string) => async () => {
    if (running.push(name) === 3) resolve();
    await promise;
    return {};
  };
  const response = await get(
    [{ ...outer, loader: together("outer") }, { ...inner, loader: together("inner") }],
    { loader: together("page"), default: () => <main /> },
  );
  assert.equal(response.status, 200);
  assert.deepEqual(running, ["outer", "inner", "page"]);
});

Deno.test("layouts around an error page see each other's data as they do around a page", async () => {
  const response = await get(
    [outer, inner],
    { loader: () => notFound(), default: () => <main /> },
    {
      metadata: ({ layoutData }: MetadataArgs) => ({ title: `Not in ${layoutData.team}` }),
      default: ({ error, layoutData }: ErrorPageProps) => (
        <p data-page={show(layoutData)}>{error.code}</p>
      ),
    },
  );
  assert.equal(response.status, 404);
  const text = await response.text();
  assert.match(text, /data-inner="\{\|team\|:\|acme\|,\|depth\|:1\}"/);
  assert.match(text, /data-page="\{\|team\|:\|acme\|,\|depth\|:2,\|rights\|:\[\|read\|\]\}"/);
  assert.match(text, /<title>Not in acme<\/title>/);
});

Deno.test("an error page in the place of a late page sees the same, and no loader runs again", async () => {
  let loads = 0;
  const layout = { ...outer, loader: () => ({ team: "acme", loads: ++loads }) };
  const response = await get(
    [layout],
    {
      default: async () => {
        await new Promise((resolve) => setTimeout(resolve));
        return notFound();
      },
    },
    { default: ({ layoutData }: ErrorPageProps) => <p data-page={show(layoutData)} /> },
    { default: () => <p>Loading</p> },
  );
  assert.equal(response.status, 200);
  assert.match(await response.text(), /data-page="\{\|team\|:\|acme\|,\|loads\|:1\}"/);
});
