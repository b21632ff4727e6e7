import assert from "node:assert/strict";
import { createContext } from "./context.ts";
import { createCookieJar } from "./cookies.ts";
import { type NamedMiddleware, runMiddleware } from "./middleware.ts";

const request = new Request("http://localhost/");
const context = createContext({
  jar: createCookieJar(new Request("http://localhost/")),
  env: {},
  database: "DB",
  auth: null as never,
  params: {},
  requestId: "1",
  waitUntil: () => {},
  isPrefetch: false,
});

function middleware(file: string, run: NamedMiddleware["run"]): NamedMiddleware {
  return { file, run };
}

Deno.test("runMiddleware() goes outer to inner and back, and hands on a replaced request", async () => {
  const trace: string[] = [];
  const response = await runMiddleware(
    [
      middleware("outer", async (_request, next) => {
        trace.push("outer in");
        const response = await next(new Request("http://localhost/", { headers: { "x-a": "1" } }));
        trace.push("outer out");
        return response;
      }),
      middleware("inner", (request, next) => {
        trace.push(`inner ${request.headers.get("x-a")}`);
        return next();
      }),
    ],
    { request, context },
    (request) => Promise.resolve(new Response(request.headers.get("x-a"))),
  );
  assert.equal(await response.text(), "1");
  assert.deepEqual(trace, ["outer in", "inner 1", "outer out"]);
});

Deno.test("runMiddleware() stops at a middleware that answers itself", async () => {
  const response = await runMiddleware(
    [middleware("m", () => new Response("no", { status: 403 }))],
    { request, context },
    () => assert.fail("the handler ran"),
  );
  assert.equal(response.status, 403);
});

Deno.test("runMiddleware() names the middleware that calls next() twice", async () => {
  const run = runMiddleware(
    [middleware("app/middleware.ts", async (_request, next) => {
      await next();
      return await next();
    })],
    { request, context },
    () => Promise.resolve(new Response()),
  );
  await assert.rejects(run, /app\/middleware\.ts calls next\(\) more than once/);
});

Deno.test("runMiddleware() names the middleware that forgets to return", async () => {
  const run = runMiddleware(
    [middleware("app/middleware.ts", (() => undefined) as never)],
    { request, context },
    () => Promise.resolve(new Response()),
  );
  await assert.rejects(run, /app\/middleware\.ts returned no response/);
});
