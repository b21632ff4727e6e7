import { issueSession } from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import { createMemoryStorage } from "@framework/auth/storage";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestErrorPage, ManifestModule, ManifestRoute } from "./manifest.ts";
import type { ErrorPageProps, Middleware } from "./types.ts";

function errorPage(kind: ManifestErrorPage["kind"]): ManifestErrorPage {
  const Page = ({ error }: ErrorPageProps): JSX.Element => <p>{kind} {error.code}</p>;
  return { kind, layouts: [], file: `app/${kind}.tsx`, module: { default: Page } };
}

function middlewareFile(file: string, middleware: Middleware): ManifestModule {
  return { file, module: { middleware } };
}

const addHeader: Middleware = async (_request, next) => {
  const response = await next();
  response.headers.set("x-outer", String(response.status));
  return response;
};

function route(kind: ManifestRoute["kind"], ...middleware: Middleware[]): ManifestRoute {
  return {
    kind,
    pattern: "/p",
    file: "app/p",
    module: kind === "page" ? { default: () => "secret" } : { GET: () => "secret" },
    layouts: [],
    middleware: middleware.map((one, index) => middlewareFile(`app/m${index}.ts`, one)),
    errorPages: [errorPage("unauthorized"), errorPage("forbidden"), errorPage("error")],
  };
}

/** Asks as a visitor, or as ada, who has the role "reader". */
async function ask(
  asked: ManifestRoute,
  { accept = "text/html", signedIn = false }: { accept?: string; signedIn?: boolean } = {},
): Promise<Response> {
  const DB = createMemoryStorage();
  await DB.createUser({ user: { id: "ada", role: "reader" }, emailIdentity: null, at: 0 });
  const { worker, auth } = createApplication({
    database: "DB",
    dev: false,
    auth: { providers: {} },
    routes: [asked],
  }, { logger: { info: () => {}, warn: () => {}, error: () => {} } });
  const env = { DB };
  const headers = new Headers({ accept });
  if (signedIn) {
    const { cookies } = await issueSession(auth!, "ada", env);
    headers.set(
      "cookie",
      cookies.map((line) => line.split(";")[0]).join("; ").replace("__Host-", ""),
    );
  }
  return await worker.fetch(new Request("http://localhost/p", { headers }), env);
}

// Tracks: R133
Deno.test("the application's own pages answer for whom authMiddleware() refuses", async () => {
  const visitor = await ask(route("page", authMiddleware()));
  assert.equal(visitor.status, 401);
  assert.match(await visitor.text(), /<p>unauthorized UNAUTHENTICATED<\/p>/);
  const reader = await ask(route("page", authMiddleware({ role: "admin" })), { signedIn: true });
  assert.equal(reader.status, 403);
  assert.match(await reader.text(), /<p>forbidden FORBIDDEN<\/p>/);
});

Deno.test("an outer middleware sees the page of a refusal", async () => {
  const response = await ask(route("page", addHeader, authMiddleware()));
  assert.equal(response.headers.get("x-outer"), "401");
  assert.match(await response.text(), /<p>unauthorized /);
});

Deno.test("authMiddleware() refuses an API route and a client of JSON in JSON", async () => {
  for (const [kind, accept] of [["route", "*/*"], ["page", "application/json"]] as const) {
    const response = await ask(route(kind, authMiddleware()), { accept });
    assert.equal(response.status, 401);
    assert.equal((await response.json()).code, "UNAUTHENTICATED");
  }
});

Deno.test("a redirect of authMiddleware() stays one, and a 403 of the application stays its own", async () => {
  const redirected = await ask(route("page", authMiddleware({ unauthenticatedRedirect: "/in" })));
  assert.equal(redirected.status, 303);
  const own: Middleware = () => Promise.resolve(new Response("my own", { status: 403 }));
  const response = await ask(route("page", own));
  assert.deepEqual([response.status, await response.text()], [403, "my own"]);
});
