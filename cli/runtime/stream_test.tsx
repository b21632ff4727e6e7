import { ForbiddenError } from "@framework/auth";
import { createContext, Suspense, useContext } from "hono/jsx";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { formHeader } from "../client/assets.ts";
import { createApplication } from "./application.ts";
import type { ManifestErrorPage, ManifestModule, ManifestRoute } from "./manifest.ts";
import { notFound, redirect } from "./results.ts";
import type { ErrorPageProps, LayoutProps } from "./types.ts";

type Module = Record<string, unknown>;

interface Streamed {
  status: number;
  headers: Headers;
  /** The next part of the body; null at its end. */
  next(): Promise<string | null>;
  /** Reads the rest of the body. */
  rest(): Promise<string>;
  errors: string[];
}

function named(name: string, module: Module): ManifestModule {
  return { file: `app/${name}.tsx`, module };
}

async function open(
  module: Module,
  { dev = false, ...more }: Partial<ManifestRoute> & { dev?: boolean } = {},
): Promise<Streamed> {
  const errors: string[] = [];
  const { worker } = createApplication({
    database: "DB",
    dev,
    auth: null,
    routes: [
      {
        kind: "page",
        pattern: "/",
        layouts: [],
        middleware: [],
        ...named("page", { default: () => null, ...module }),
        ...more,
      },
    ],
  }, { onError: (error) => errors.push((error as Error).message) });
  const request = new Request("http://localhost/", { headers: { accept: "text/html" } });
  const response = await worker.fetch(request, {});
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<string | null> => (await reader.read()).value ?? null;
  return {
    status: response.status,
    headers: response.headers,
    errors,
    next,
    async rest() {
      let text = "";
      for (let part = await next(); part !== null; part = await next()) text += part;
      return text;
    },
  };
}

const loading = named("loading", { default: () => <i>wait</i> });

Deno.test("renderDocument() sends what stands around a page first, and the page when it is ready", async () => {
  const late = Promise.withResolvers<void>();
  async function Page(): Promise<JSX.Element> {
    await late.promise;
    return <b>ready</b>;
  }
  const site = named("layout", {
    metadata: { title: "Site" },
    default: ({ children }: LayoutProps) => (
      <html>
        <head></head>
        <body>
          <main>{children}</main>
        </body>
      </html>
    ),
  });
  const page = await open({ default: Page, metadata: { title: "Late" } }, {
    layouts: [site],
    loading,
  });
  assert.equal(page.status, 200);
  const first = (await page.next())!;
  assert.match(first, /<head><title>Late<\/title><\/head>.*<main>.*<i>wait<\/i>.*<\/main>$/);
  late.resolve();
  const second = (await page.next())!;
  const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(
    page.headers.get("content-security-policy")!,
  )!;
  assert.match(second, /^<template [^>]*><b>ready<\/b><\/template><script nonce="/);
  assert.ok(second.includes(`nonce="${nonce}"`));
  assert.equal(await page.next(), "</body></html>");
  assert.equal(await page.next(), null);
});

Deno.test("renderDocument() sends late parts in the order in which they are ready", async () => {
  const [slow, fast] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const Part = async ({ from }: { from: Promise<string> }): Promise<JSX.Element> => (
    <b>{await from}</b>
  );
  const page = await open({
    default: () => (
      <div>
        <Suspense fallback="1…">
          <Part from={slow.promise} />
        </Suspense>
        <Suspense fallback="2…">
          <Part from={fast.promise} />
        </Suspense>
      </div>
    ),
  });
  assert.match((await page.next())!, /1….*2…/);
  fast.resolve("fast");
  assert.match((await page.next())!, /<b>fast<\/b>/);
  slow.resolve("slow");
  assert.match((await page.next())!, /<b>slow<\/b>/);
  await page.rest();
});

Deno.test("renderDocument() sends a page that is ready as one piece, without a script", async () => {
  const page = await open({ default: () => <b>ready</b> }, { loading });
  const text = (await page.next())!;
  assert.match(text, /<body><b>ready<\/b><\/body>/);
  assert.equal(await page.next(), null);
});

// Tracks: R079, PF-x06
Deno.test("an error's own words are text wherever they are shown, also in what comes late", async () => {
  const hostile = `"'></template><img src=x onerror=alert(1)><script>alert(1)</script>`;
  class HostileError extends Error {
    override readonly name = hostile;
  }
  const fail = (): Promise<never> => Promise.reject(new HostileError(hostile));
  const shows: ManifestErrorPage = {
    kind: "error",
    layouts: [],
    ...named("error", {
      default: ({ error }: ErrorPageProps) => <p title={error.message}>{error.stack}</p>,
    }),
  };
  const breaks: ManifestErrorPage = { ...shows, ...named("error", { default: fail }) };
  for (const dev of [false, true]) {
    for (const errorPages of [[], [shows], [breaks], [breaks, shows]]) {
      for (const late of [false, true]) {
        const page = await open({ default: fail }, {
          dev,
          errorPages,
          ...(late && { loading }),
        });
        const text = await page.rest();
        const where = JSON.stringify({ dev, late, pages: errorPages.length });
        assert.equal(page.status, late ? 200 : 500, where);
        assert.equal(/<img|<script>alert/.test(text), false, where);
        assert.ok(page.errors.includes(hostile), where);
        // What went wrong is shown in development, and nowhere else.
        assert.equal(/&(?:lt|#60);img src=x/.test(text), dev, where);
      }
    }
  }
});

Deno.test("renderDocument() waits for an asynchronous page that has no loading.tsx", async () => {
  const Context = createContext("nobody");
  async function Page(): Promise<JSX.Element> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return <b>{useContext(Context)}</b>;
  }
  const layout = named("layout", {
    default: ({ children }: LayoutProps) => (
      <Context.Provider value="the layout">{children}</Context.Provider>
    ),
  });
  const text = await (await open({ default: Page }, { layouts: [layout] })).rest();
  assert.match(text, /<body><b>the layout<\/b><\/body>/);
});

Deno.test("renderDocument() decides the status before the first byte: by loaders, and by what is not late", async () => {
  const gone = await open({ loader: () => notFound() }, { loading });
  assert.equal(gone.status, 404);
  const failing = await open({
    default: () => {
      throw new ForbiddenError();
    },
  }, { loading });
  assert.equal(failing.status, 403);
  await Promise.all([gone.rest(), failing.rest()]);
});

function failLate(error: unknown): () => Promise<never> {
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw error;
  };
}

// Tracks: R151
Deno.test("renderDocument() shows the nearest error page where a late page fails, and logs it", async () => {
  const errorPage: ManifestErrorPage = {
    kind: "error",
    layouts: [],
    ...named("error", { default: ({ error }: ErrorPageProps) => <p>{error.code}</p> }),
  };
  const more = { loading, errorPages: [errorPage] };
  const page = await open({ default: failLate(new Error("secret")) }, more);
  assert.equal(page.status, 200);
  const text = await page.rest();
  assert.match(text, /<template [^>]*><p>INTERNAL_ERROR<\/p><\/template>/);
  assert.doesNotMatch(text, /secret/);
  assert.match(text, /<\/body><\/html>$/);
  assert.deepEqual(page.errors, ["secret"]);

  const plain = await (await open({ default: failLate(new Error("secret")) }, { loading })).rest();
  assert.match(plain, /<p role="alert">[^<]+<\/p><p>Request [\da-f-]{36}<\/p>/);
  assert.doesNotMatch(plain, /secret/);
});

Deno.test("renderDocument() sends a browser on when a late page redirects", async () => {
  const to = redirect('/elsewhere?a="<b>');
  const text = await (await open({ default: failLate(to) }, { loading })).rest();
  assert.match(
    text,
    /<meta http-equiv="refresh" content="0;url=\/elsewhere\?a=&#34;&#60;b&#62;"\/>/,
  );
});

Deno.test("renderDocument() shows the nearest error page where a part in Suspense fails, late or at once, and logs it", async () => {
  const errorPage: ManifestErrorPage = {
    kind: "error",
    layouts: [],
    ...named("error", { default: ({ error }: ErrorPageProps) => <p>{error.code}</p> }),
  };
  const atOnce = (): Promise<never> => Promise.reject(new Error("secret"));
  for (const Part of [failLate(new Error("secret")), atOnce]) {
    const module = {
      default: () => (
        <main>
          <Suspense fallback={<i>wait</i>}>
            <Suspense fallback={<i>wait here</i>}>
              before <Part />
            </Suspense>
            <b>beside</b>
          </Suspense>
        </main>
      ),
    };
    const page = await open(module, { errorPages: [errorPage] });
    assert.equal(page.status, 200);
    const text = await page.rest();
    assert.match(text, /<template [^>]*><p>INTERNAL_ERROR<\/p><\/template>.*<\/body><\/html>$/s);
    assert.match(text, /<b>beside<\/b>/);
    assert.doesNotMatch(text, /secret|before/);
    assert.deepEqual(page.errors, ["secret"]);

    const plain = await (await open(module)).rest();
    assert.match(plain, /<p role="alert">[^<]+<\/p><p>Request [\da-f-]{36}<\/p>/);
  }
});

Deno.test("renderDocument() answers a form that a script sends with the status of a part that fails", async () => {
  const Late = failLate(new ForbiddenError());
  const page = (more: Partial<ManifestRoute>): ManifestRoute => ({
    kind: "page",
    pattern: "/",
    layouts: [],
    middleware: [],
    ...named("page", {
      action: () => null,
      default: () => (
        <Suspense fallback="wait">
          <Late />
        </Suspense>
      ),
    }),
    ...more,
  });
  for (const more of [{}, { loading }]) {
    const { worker } = createApplication({
      database: "DB",
      dev: false,
      auth: null,
      routes: [page(more)],
    });
    const headers = {
      accept: "text/html",
      origin: "http://localhost",
      "content-type": "application/x-www-form-urlencoded",
      [formHeader]: "page",
    };
    const request = new Request("http://localhost/", { method: "POST", headers, body: "a=1" });
    const response = await worker.fetch(request, {});
    assert.equal(response.status, 403);
    await response.body?.cancel();
  }
});

Deno.test("streamDocument() stops quietly when the browser has gone", async () => {
  const late = Promise.withResolvers<void>();
  async function Page(): Promise<JSX.Element> {
    await late.promise;
    return <b>ready</b>;
  }
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      kind: "page",
      pattern: "/",
      layouts: [],
      middleware: [],
      loading,
      ...named("page", { default: Page }),
    }],
  });
  const { body } = await worker.fetch(new Request("http://localhost/"), {});
  await body!.cancel();
  late.resolve();
  await new Promise((resolve) => setTimeout(resolve, 1));
});
