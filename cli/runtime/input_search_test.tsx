import assert from "node:assert/strict";
import { z } from "zod";
import { href } from "../client/href.ts";
import { createApplication } from "./application.ts";
import { readInput } from "./input.ts";
import type { ManifestErrorPage } from "./manifest.ts";
import type { ActionArgs, ErrorPageProps, HeadersArgs, LoaderArgs, PageProps } from "./types.ts";

type Module = Record<string, unknown>;

const search = z.object({
  page: z.coerce.number("Not a number.").int("Not a whole number.").min(1).default(1),
  tag: z.array(z.string()).default([]),
  sort: z.enum(["new", "old"], "Neither new nor old.").optional(),
});

/** A page in a layout that notes what each of its parts has seen of the query. */
function start(page: Module = {}, errorPages: ManifestErrorPage[] = []) {
  const seen: Record<string, unknown> = {};
  const note = (name: string) => ({ searchParams }: { searchParams: unknown }) => {
    seen[name] = searchParams;
    return {};
  };
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    input: readInput,
    routes: [{
      kind: "page",
      pattern: "/list",
      file: "app/list/page.tsx",
      module: {
        search,
        loader: note("loader"),
        metadata: note("metadata"),
        headers: note("headers"),
        csp: note("csp"),
        default: (props: PageProps) => {
          note("page")(props);
          return <main>ok</main>;
        },
        ...page,
      },
      layouts: [{
        file: "app/layout.tsx",
        module: {
          loader: note("layout"),
          metadata: note("layout metadata"),
          headers: note("layout headers"),
          default: ({ children }: { children: unknown }) => <body>{children}</body>,
        },
      }],
      middleware: [],
      errorPages,
    }],
  }, { onError: (error) => assert.fail(String(error)) });
  async function ask(path: string, init: RequestInit = {}) {
    const headers = { accept: "text/html", origin: "http://localhost", ...init.headers };
    const request = new Request(`http://localhost${path}`, { ...init, headers });
    const response = await worker.fetch(request, {});
    return { status: response.status, text: await response.text(), headers: response.headers };
  }
  return { ask, seen };
}

Deno.test("all of a page receives the query that its schema makes, and layouts its texts", async () => {
  const { ask, seen } = start();
  const path = href("/list", { query: { page: 2, "tag[]": ["a"], sort: "new", other: "x" } });
  const { status } = await ask(path);
  assert.equal(status, 200);
  const read = { page: 2, tag: ["a"], sort: "new" };
  const texts = { page: "2", "tag[]": "a", sort: "new", other: "x" };
  assert.deepEqual(seen, {
    loader: read,
    metadata: read,
    headers: read,
    csp: read,
    page: read,
    layout: texts,
    "layout metadata": texts,
    "layout headers": texts,
  });
  await ask("/list");
  assert.deepEqual(seen["loader"], { page: 1, tag: [] });
});

Deno.test("without a schema a loader receives the texts of the query", async () => {
  const { ask, seen } = start({ search: undefined });
  await ask("/list?tag=a&tag=b&q=");
  assert.deepEqual(seen["loader"], { tag: ["a", "b"], q: "" });
  assert.deepEqual(seen["page"], seen["loader"]);
});

Deno.test("a query that the schema refuses is a 422 which names the mistakes, before any loader runs", async () => {
  const { ask, seen } = start();
  const page = await ask("/list?page=two&sort=%3Cb%3E");
  assert.equal(page.status, 422);
  assert.match(
    page.text,
    /The query of this address is not valid\. page: Not a number\. sort: Neither new nor old\./,
  );
  assert.equal(page.headers.get("cache-control"), "no-store");
  const { status, text } = await ask("/list?page=1.5", { headers: { accept: "application/json" } });
  assert.equal(status, 422);
  assert.deepEqual(JSON.parse(text), {
    code: "INVALID_INPUT",
    message: "The query of this address is not valid. page: Not a whole number.",
    fields: { page: ["Not a whole number."] },
  });
  assert.deepEqual(seen, {});
  const strict = start({ search: z.strictObject({}).refine(() => false, "Nothing fits.") });
  assert.match((await strict.ask("/list")).text, /address is not valid\. Nothing fits\./);
});

Deno.test("an error page shows why a query was refused, with the query as it was sent", async () => {
  const { ask } = start({}, [{
    kind: "error",
    file: "app/error.tsx",
    layouts: [],
    module: {
      default: ({ error, searchParams }: ErrorPageProps) => (
        <p title={JSON.stringify(searchParams)}>{error.status} {error.code} {error.message}</p>
      ),
    },
  }]);
  const { text } = await ask("/list?page=%3Cb%3E");
  assert.match(
    text,
    /422 INVALID_INPUT The query of this address is not valid\. page: Not a number/,
  );
  assert.match(text, /title="\{&quot;page&quot;:&quot;&lt;b&gt;&quot;\}"/);
});

Deno.test("an action and the page after it receive the query of the form's address", async () => {
  const seen: unknown[] = [];
  const { ask } = start({
    action: ({ searchParams, request }: ActionArgs) => {
      seen.push([searchParams, request.method]);
      return {};
    },
    loader: ({ searchParams, request }: LoaderArgs) =>
      void seen.push([searchParams, request.method]),
    headers: ({ searchParams }: HeadersArgs) => ({ "x-page": String(searchParams.page) }),
  });
  const body = new URLSearchParams({ page: "9" });
  const { status, headers } = await ask("/list?page=3", { method: "POST", body });
  assert.deepEqual([status, headers.get("x-page")], [200, "3"]);
  const read = { page: 3, tag: [] };
  assert.deepEqual(seen, [[read, "POST"], [read, "GET"]]);
  assert.equal((await ask("/list?page=0", { method: "POST", body })).status, 422);
  assert.equal(seen.length, 2);
});

Deno.test("an application does not start with a search that is no schema, or that nothing reads", () => {
  const create = (module: Module, input?: typeof readInput) => () =>
    createApplication({
      database: "DB",
      dev: false,
      auth: null,
      ...(input && { input }),
      routes: [{
        kind: "page",
        pattern: "/",
        file: "app/page.tsx",
        module: { default: () => null, ...module },
        layouts: [],
        middleware: [],
      }],
    });
  assert.throws(create({ search: { page: 1 } }, readInput), {
    message:
      "app/page.tsx exports search, which is not a Standard Schema, as zod, valibot and arktype make them.",
  });
  assert.throws(
    create({ search }),
    /^TypeError: app\/page\.tsx exports search, which nothing reads/,
  );
});
