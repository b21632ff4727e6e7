import { requireAuth } from "@framework/auth";
import { defineAuthConfig } from "@framework/auth/convention";
import { createMemoryStorage } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestRoute } from "./manifest.ts";
import { data } from "./results.ts";
import type { ActionArgs, ErrorPageProps, Middleware, PageProps } from "./types.ts";

const MIB = 1024 * 1024;
/** So many chunks of a refused body are read before the answer. */
const DRAINED = 16 * MIB / 65536;
const FORM = "application/x-www-form-urlencoded";

type Module = Record<string, unknown>;

/** A form that comes back with what was typed. */
const echo: Module = {
  action: async ({ request }: ActionArgs) => {
    const name = String((await request.formData()).get("name") ?? "");
    return data({ name }, { status: 422 });
  },
  default: ({ actionData }: PageProps) => <input name="name" value={actionData?.name} />,
};

/** Bytes of what comes in, read in every way that there is. */
const readers: Record<string, (request: Request) => Promise<unknown>> = {
  text: (request) => request.text(),
  json: (request) => request.json(),
  formData: (request) => request.formData(),
  arrayBuffer: (request) => request.arrayBuffer(),
  blob: (request) => request.blob(),
  bytes: (request) => request.bytes(),
  stream: async (request) => {
    for await (const _ of request.body!);
  },
  copy: (request) => new Request(request, { headers: {} }).text(),
  clone: (request) => request.clone().text(),
};

function start(
  files: Record<string, Module>,
  { middleware, errorPage }: { middleware?: Middleware; errorPage?: unknown } = {},
) {
  const errors: unknown[] = [];
  const routes = Object.entries(files).map(([pattern, module]): ManifestRoute => ({
    kind: "default" in module ? "page" : "route",
    pattern,
    file: `app${pattern}`,
    module,
    layouts: [],
    middleware: middleware ? [{ file: "app/middleware.ts", module: { middleware } }] : [],
    errorPages: errorPage
      ? [{ kind: "error", file: "app/error.tsx", module: { default: errorPage }, layouts: [] }]
      : [],
  }));
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: { config: defineAuthConfig({}), providers: {} },
    routes,
  }, {
    onError: (error) => errors.push(error),
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const env = { DB: createMemoryStorage() };
  return {
    errors,
    fetch: (path: string, init: RequestInit) =>
      worker.fetch(new Request(new URL(path, "http://localhost"), init), env),
    post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
      return this.fetch(path, {
        method: "POST",
        body,
        headers: { origin: "http://localhost", ...headers },
        ...(body instanceof ReadableStream && { duplex: "half" }),
      });
    },
  };
}

/** A body of so many chunks of 64 KiB, and how many of them were asked for. */
function chunks(count: number, chunk: Uint8Array = new Uint8Array(64 * 1024).fill(120)) {
  const seen = { chunks: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.chunks === count) return controller.close();
      seen.chunks++;
      controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
  return { body, seen };
}

for (const [name, read] of Object.entries(readers)) {
  Deno.test(`a route that reads by ${name} gets no more than its limit, whatever is announced`, async () => {
    // Tracks: A-03, OP-10, R169
    const POST = async (request: Request) => (await read(request), "read");
    const app = start({ "/usual": { POST }, "/more": { POST, bodyLimit: "2 MB" } });
    for (const [path, limit] of [["/usual", MIB], ["/more", 2 * MIB]] as const) {
      for (const length of [undefined, "10"]) {
        const { body, seen } = chunks(960);
        const headers = {
          "content-type": FORM,
          ...(length !== undefined && { "content-length": length }),
        };
        const response = await app.post(path, body, headers);
        assert.equal(response.status, 413);
        assert.equal((await response.json()).code, "PAYLOAD_TOO_LARGE");
        // Of 60 MiB no more is read than the limit and what is read for the client to see the answer.
        assert.equal(seen.chunks, limit / 65536 + 1 + DRAINED + 1);
      }
      for (const [length, read] of [[60 * MIB, 0], [limit + 1, DRAINED + 1]] as const) {
        const { body, seen } = chunks(960);
        const announced = await app.post(path, body, { "content-length": String(length) });
        assert.deepEqual([announced.status, seen.chunks], [413, read]);
      }
      if (name === "json") continue;
      const whole = await app.post(path, chunks(limit / 65536).body, { "content-type": FORM });
      assert.equal(whole.status, 200);
    }
    assert.deepEqual(app.errors, []);
  });
}

Deno.test("a page takes forms up to 1 MiB, and shows nothing of one that is longer", async () => {
  // Tracks: A-03, OP-10, R169
  const app = start({ "/form": echo, "/large": { ...echo, bodyLimit: "2 MB" } }, {
    errorPage: ({ error }: ErrorPageProps) => <h1>{error.status} {error.message}</h1>,
  });
  const typed = new URLSearchParams({ name: "y".repeat(MIB) });
  for (const body of [typed.toString(), new Blob([typed.toString()]).stream()]) {
    const response = await app.post("/form", body, { "content-type": FORM });
    const text = await response.text();
    assert.equal(response.status, 413);
    assert.match(text, /<h1>413 The request is too large<\/h1>/);
    assert.ok(!text.includes("yy"));
  }
  const short = await app.post("/form", new URLSearchParams({ name: "Ada" }));
  assert.equal(short.status, 422);
  assert.match(await short.text(), /value="Ada"/);
  assert.equal((await app.post("/large", typed)).status, 422);
});

Deno.test("a form of many parts counts with all that stands between them", async () => {
  // Tracks: A-03, R169
  const POST = async (request: Request) => [...await request.formData()].length;
  const app = start({ "/": { POST } });
  const part = new TextEncoder().encode(
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n',
  );
  const type = { "content-type": "multipart/form-data; boundary=x" };
  const many = chunks(Math.ceil(4 * MIB / part.length), part);
  const refused = await app.post("/", many.body, type);
  assert.equal(refused.status, 413);
  assert.equal(many.seen.chunks, Math.ceil(4 * MIB / part.length));
  const form = new FormData();
  for (let index = 0; index < 1000; index++) form.append("a", "");
  assert.equal(await (await app.post("/", form)).json(), 1000);
});

Deno.test("what a middleware reads or passes on is limited as what the route reads", async () => {
  // Tracks: A-03, R169
  const POST = async (request: Request) => (await request.text()).length;
  const reading = start({ "/": { POST, bodyLimit: "1 KB" } }, {
    middleware: async (request) => new Response(await request.text()),
  });
  assert.equal((await reading.post("/", chunks(2).body)).status, 413);
  const replacing = start({ "/": { POST, bodyLimit: "1 KB" } }, {
    middleware: (request, next) =>
      next(new Request(request, { method: "POST", body: "z".repeat(2000) })),
  });
  assert.equal((await replacing.post("/", "short")).status, 413);
});

Deno.test("what the client sent wrong is 4xx, and nothing that anybody has to look into", async () => {
  // Tracks: A-15
  const app = start({
    "/form": echo,
    "/json": { POST: (request: Request) => request.json() },
    "/copy": { POST: (request: Request) => request.clone().json() },
    "/files": { POST: async (request: Request) => [...await request.formData()].length },
  });
  const wrong: [path: string, type: string | undefined, body: BodyInit, status: number][] = [
    ["/form", "application/json", '{"name":"Ada"}', 415],
    ["/form", "text/plain", "name=Ada", 415],
    ["/form", undefined, new Uint8Array(3), 415],
    ["/form", "multipart/form-data", "no boundary", 400],
    ["/form", "multipart/form-data; boundary=x", "--y\r\n", 400],
    ["/json", "application/json", "{", 400],
    ["/json", "application/json", "", 400],
    ["/json", "text/html", "<p>", 400],
    ["/copy", "application/json", "{", 400],
    ["/files", "application/json", "{}", 415],
  ];
  for (const [path, type, body, status] of wrong) {
    const response = await app.post(path, body, type === undefined ? {} : { "content-type": type });
    assert.equal(response.status, status, `${path} ${type}`);
    await response.body?.cancel();
  }
  const none = await app.fetch("/form", {
    method: "POST",
    headers: { origin: "http://localhost" },
  });
  assert.equal(none.status, 415);
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error("reset")) });
  assert.equal((await app.post("/json", broken)).status, 400);
  assert.deepEqual(app.errors, []);
  assert.deepEqual(await (await app.post("/json", '{"a":1}')).json(), { a: 1 });
});

Deno.test("to read a body twice stays a mistake of the application", async () => {
  const POST = async (request: Request) => [await request.text(), await request.json()];
  const app = start({ "/": { POST } });
  assert.equal((await app.post("/", "{}")).status, 500);
  assert.equal(app.errors.length, 1);
});

Deno.test("OPTIONS of a guarded path is no error, and is told nothing", async () => {
  // Tracks: A-15
  const app = start({ "/guarded": { ...echo }, "/api": { GET: () => 1 } }, {
    middleware: (_request, next) => (requireAuth({ throwError: true }), next()),
  });
  for (const path of ["/guarded", "/api"]) {
    const response = await app.fetch(path, { method: "OPTIONS" });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  }
  assert.deepEqual(app.errors, []);
});

Deno.test("what is refused is read to its end before the answer, when it is short", async () => {
  // Tracks: A-16, R169
  const app = start({ "/form": echo, "/guarded": { ...echo } }, {
    middleware: (_request, next) => (requireAuth({ throwError: true }), next()),
  });
  const refusals: [path: string, origin: string, status: number][] = [
    ["/form", "https://evil.example", 403],
    ["/guarded", "http://localhost", 401],
    ["/auth/signin/nothing", "http://localhost", 404],
    ["/nowhere", "http://localhost", 404],
  ];
  for (const [path, origin, status] of refusals) {
    const { body, seen } = chunks(3);
    const response = await app.post(path, body, { origin });
    assert.deepEqual([response.status, seen.chunks], [status, 3], path);
    await response.body?.cancel();
    const endless = chunks(Infinity);
    assert.equal((await app.post(path, endless.body, { origin })).status, status);
    // What is counted is read up to its limit first.
    const counted = path === "/guarded" ? MIB / 65536 + 1 : 0;
    assert.equal(endless.seen.chunks, counted + DRAINED + 1);
  }
  const POST = () => new Response(null, { status: 403 });
  const replacing = start({ "/": { POST } }, {
    middleware: (request, next) => next(new Request(request, { headers: {} })),
  });
  const { body, seen } = chunks(3);
  assert.deepEqual([(await replacing.post("/", body)).status, seen.chunks], [403, 3]);
});
