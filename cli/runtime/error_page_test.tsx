import { ForbiddenError, getUser, UnauthenticatedError } from "@framework/auth";
import { createMemoryStorage } from "@framework/auth/storage";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type {
  AppManifest,
  ErrorPageKind,
  ManifestErrorPage,
  ManifestModule,
  ManifestRoute,
} from "./manifest.ts";
import { notFound, redirect } from "./results.ts";
import type { ErrorPageProps, LayoutProps } from "./types.ts";

type Module = Record<string, unknown>;

let files = 0;

function named(module: Module): ManifestModule {
  return { file: `app/file${files++}.tsx`, module };
}

function frame(name: string, more: Module = {}): ManifestModule {
  const Frame = ({ children }: LayoutProps): JSX.Element => <div class={name}>{children}</div>;
  return named({ ...more, default: Frame });
}

function errorPage(
  kind: ErrorPageKind,
  { layouts = [], ...module }: { layouts?: ManifestModule[]; default?: unknown } & Module = {},
): ManifestErrorPage {
  const Page = ({ error }: ErrorPageProps): JSX.Element => (
    <p>{kind} {error.status} {error.code} {error.message}</p>
  );
  return { kind, layouts, ...named({ default: Page, ...module }) };
}

function page(module: Module, more: Partial<ManifestRoute>): ManifestRoute {
  return {
    kind: "page",
    pattern: "/p",
    layouts: [],
    middleware: [],
    ...named({ default: () => "the page", ...module }),
    ...more,
  };
}

interface Answer {
  status: number;
  text: string;
  headers: Headers;
  errors: string[];
}

async function answer(
  routes: ManifestRoute[],
  { path = "/p", accept = "text/html", method = "GET", ...more }:
    & { path?: string; accept?: string; method?: string }
    & Partial<AppManifest> = {},
): Promise<Answer> {
  const errors: string[] = [];
  const { worker } = createApplication(
    { database: "DB", dev: false, auth: null, routes, ...more },
    {
      onError: (error) => errors.push((error as Error).message),
      logger: { info: () => {}, warn: () => {}, error: () => {} },
    },
  );
  const request = new Request(`http://localhost${path}`, {
    method,
    headers: { accept, origin: "http://localhost", cookie: "framework.session-token=x" },
  });
  const response = await worker.fetch(request, { DB: createMemoryStorage() });
  return {
    status: response.status,
    text: await response.text(),
    headers: response.headers,
    errors,
  };
}

function fail(error: unknown): () => never {
  return () => {
    throw error;
  };
}

for (
  const [what, thrown, shown] of [
    ["notFound()", () => notFound(), "not-found 404 NOT_FOUND Not found"],
    [
      "an UnauthenticatedError",
      fail(new UnauthenticatedError()),
      "unauthorized 401 UNAUTHENTICATED Sign in to continue",
    ],
    [
      "a ForbiddenError",
      fail(new ForbiddenError()),
      "forbidden 403 FORBIDDEN You are not allowed to do this",
    ],
    [
      "any other error",
      fail(new Error("secret")),
      "error 500 INTERNAL_ERROR Something went wrong on our side. Try again in a moment.",
    ],
  ] as const
) {
  Deno.test(`answerFailure() shows the page made for ${what}, with its status`, async () => {
    const errorPages = (["error", "not-found", "unauthorized", "forbidden"] as const)
      .map((kind) => errorPage(kind));
    for (const module of [{ loader: thrown }, { default: thrown }, { action: thrown }]) {
      const method = "action" in module ? "POST" : "GET";
      const { status, text, headers } = await answer([page(module, { errorPages })], { method });
      assert.ok(text.includes(`<p>${shown}</p>`), text);
      assert.equal(status, Number(shown.split(" ")[1]));
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(headers.get("cache-control"), "no-store");
    }
  });
}

Deno.test("answerFailure() takes the nearest page, inside the layouts of that page's folder", async () => {
  const [outer, inner, innermost] = [frame("outer"), frame("inner"), frame("innermost")];
  const { text } = await answer([
    page({ loader: () => notFound() }, {
      layouts: [outer!, inner!, innermost!],
      errorPages: [
        errorPage("error", { layouts: [outer!, inner!, innermost!] }),
        errorPage("not-found", { layouts: [outer!, inner!], default: () => "near" }),
        errorPage("not-found", { layouts: [outer!], default: () => "far" }),
      ],
    }),
  ]);
  assert.match(text, /<body><div class="outer"><div class="inner">near<\/div><\/div><\/body>/);
});

Deno.test("answerFailure() leaves every error without a page of its own to error.tsx", async () => {
  const { status, text } = await answer([
    page({ loader: () => notFound() }, {
      errorPages: [errorPage("error"), errorPage("forbidden")],
    }),
  ]);
  assert.equal(status, 404);
  assert.match(text, /<p>error 404 NOT_FOUND Not found<\/p>/);
});

// Tracks: R151
Deno.test("answerFailure() tells an error page nothing of an unexpected error but its request id", async () => {
  const errorPages = [
    errorPage("error", { default: (props: ErrorPageProps) => JSON.stringify(props) }),
  ];
  const error = new Error("secret", { cause: new Error("inner secret") });
  const { text, errors } = await answer([page({ loader: fail(error) }, { errorPages })]);
  assert.doesNotMatch(text, /secret|file:|stack/);
  assert.match(text, /requestId&quot;:&quot;[\da-f-]{36}&quot;/);
  assert.deepEqual(errors, ["secret"]);
});

Deno.test("answerFailure() shows the same page in development, with what went wrong", async () => {
  const errorPages = [
    errorPage("error", {
      default: ({ error }: ErrorPageProps) => `${error.message} ${error.stack}`,
    }),
  ];
  const route = page({ loader: fail(new Error("what went wrong")) }, { errorPages });
  const { text, status } = await answer([route], { dev: true });
  assert.equal(status, 500);
  assert.match(text, /<body>what went wrong Error: what went wrong\n/);
});

Deno.test("answerFailure() gives an error page metadata, parameters and query", async () => {
  const { text } = await answer([
    page({ loader: () => notFound() }, {
      pattern: "/p/:id",
      layouts: [],
      errorPages: [errorPage("not-found", {
        metadata: ({ error }: ErrorPageProps) => ({ title: error.message }),
        default: ({ params, searchParams }: ErrorPageProps) =>
          `${params["id"]} ${searchParams["q"]}`,
      })],
    }),
  ], { path: "/p/7?q=a" });
  assert.match(text, /<title>Not found<\/title>.*<body>7 a<\/body>/);
});

Deno.test("answerFailure() answers JSON to who prefers it, and leaves redirects and responses alone", async () => {
  const errorPages = [errorPage("error")];
  const failing = page({ loader: fail(new Error("secret")) }, { errorPages });
  const json = await answer([failing], { accept: "application/json" });
  assert.equal(JSON.parse(json.text).code, "INTERNAL_ERROR");
  const away = page({ loader: fail(redirect("/elsewhere")) }, { errorPages });
  assert.equal((await answer([away])).headers.get("location"), "/elsewhere");
  const own = new Response("<b>own</b>", { headers: { "content-type": "text/html" } });
  assert.equal((await answer([page({ loader: fail(own) }, { errorPages })])).text, "<b>own</b>");
});

Deno.test("answerFailure() shows a page for an API route and a middleware when the client wants HTML", async () => {
  const errorPages = [errorPage("not-found")];
  const route: ManifestRoute = { ...page({}, { errorPages }), kind: "route" };
  route.module = { GET: () => notFound() };
  assert.match((await answer([route])).text, /<p>not-found 404/);
  assert.match((await answer([route], { accept: "*/*" })).text, /^\{"code":"NOT_FOUND"/);
  const guarded = page({}, { errorPages, middleware: [named({ middleware: () => notFound() })] });
  assert.match((await answer([guarded])).text, /<p>not-found 404/);
});

Deno.test("answerFailure() goes on outwards when an error page or a layout around it fails", async () => {
  const broken = frame("broken", { loader: fail(new Error("no menu")) });
  const near = { layouts: [broken] };
  const { text, errors, status } = await answer([
    page({}, { layouts: [broken], errorPages: [errorPage("error", near), errorPage("error")] }),
  ]);
  assert.equal(status, 500);
  assert.match(text, /<body><p>error 500/);
  assert.deepEqual(errors, ["no menu"]);
});

// Tracks: R151
Deno.test("answerFailure() falls back to the plain page when every error page fails, and logs both", async () => {
  const errorPages = [errorPage("error", { default: fail(new Error("second")) })];
  const { text, errors, status } = await answer([
    page({ loader: fail(new Error("first")) }, { errorPages }),
  ]);
  assert.equal(status, 500);
  assert.match(text, /Something went wrong/);
  assert.doesNotMatch(text, /first|second/);
  assert.deepEqual(errors, ["first", "second"]);
});

Deno.test("answerFailure() logs once what a layout throws around the page and around the error page", async () => {
  const broken = named({ default: () => fail(new Error("no menu"))() });
  const errorPages = [errorPage("error", { layouts: [broken] })];
  const { errors, status } = await answer([page({}, { layouts: [broken], errorPages })]);
  assert.equal(status, 500);
  assert.deepEqual(errors, ["no menu"]);
});

Deno.test("answerFailure() runs each layout's loader once, also when its result is shown twice", async () => {
  let loads = 0;
  const layout = frame("site", { loader: () => ++loads });
  const errorPages = [errorPage("error", { layouts: [layout] })];
  const { text } = await answer([
    page({ loader: () => notFound() }, { layouts: [layout], errorPages }),
  ]);
  assert.match(text, /class="site"/);
  assert.equal(loads, 1);
});

Deno.test("createApplication() shows the outermost not-found.tsx for an unknown path, as to a visitor", async () => {
  const header = named({
    default: ({ children }: LayoutProps) => <div>{String(getUser())} {children}</div>,
  });
  for (const [auth, layouts] of [[null, []], [{ config: {}, providers: {} }, [header]]] as const) {
    const errorPages = [errorPage("not-found", { layouts: [...layouts] })];
    const { status, text } = await answer([], { path: "/nothing", errorPages, auth });
    assert.equal(status, 404);
    assert.match(text, auth ? /<div>null <p>not-found 404/ : /<body><p>not-found 404/);
  }
  const errorPages = [errorPage("not-found")];
  const json = await answer([], { path: "/nothing", errorPages, accept: "application/json" });
  assert.deepEqual(JSON.parse(json.text), { code: "NOT_FOUND", message: "Not found" });
  assert.equal((await answer([], { path: "/nothing" })).status, 404);
});
