import { getUser, OutsideRequestError, passkey, requireAuth } from "@framework/auth";
import { defineAuthConfig, defineProvider } from "@framework/auth/convention";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestRoute } from "./manifest.ts";

function route(kind: ManifestRoute["kind"], run: () => unknown): ManifestRoute {
  const module = kind === "route" ? { GET: run } : { default: run };
  return { kind, pattern: "/p", file: "app/p", module, layouts: [], middleware: [] };
}

// Tracks: SP-W13
for (const kind of ["route", "page"] as const) {
  for (const operation of [requireAuth, getUser]) {
    Deno.test(`${operation.name}() in a ${kind} of an application without app/auth says what writes one`, async () => {
      const errors: unknown[] = [];
      const own = function inTheApplication(): unknown {
        return operation();
      };
      const { worker } = createApplication({
        database: "DB",
        dev: true,
        auth: null,
        routes: [route(kind, own)],
      }, { onError: (error) => errors.push(error) });
      const response = await worker.fetch(new Request("http://localhost/p"), {});
      assert.equal(response.status, 500);
      const message = `${operation.name}() needs accounts, but this application has no app/auth. ` +
        "Run `framework generate auth`, which writes one.";
      const shown = await response.text();
      assert.ok(shown.includes(message) && !shown.includes("auth.run()"), shown);
      const [error, ...others] = errors;
      assert.equal(others.length, 0);
      assert.ok(error instanceof OutsideRequestError);
      assert.equal(error.message, message);
      assert.ok(error.stack?.startsWith(`OutsideRequestError: ${message}\n    at `), error.stack);
      assert.match(error.stack ?? "", /inTheApplication/);
    });
  }
}

Deno.test("without app/auth an error page that asks who is signed in says what writes one, too", async () => {
  const told: string[] = [];
  const page = () => requireAuth();
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [{
      ...route("page", page),
      errorPages: [{
        kind: "error",
        file: "app/error.tsx",
        module: { default: () => getUser() },
        layouts: [],
      }],
    }],
  }, { onError: (error) => told.push((error as Error).message) });
  const response = await worker.fetch(new Request("http://localhost/p"), {});
  assert.equal(response.status, 500);
  const end = "() needs accounts, but this application has no app/auth. " +
    "Run `framework generate auth`, which writes one.";
  assert.deepEqual(told, [`requireAuth${end}`, `getUser${end}`]);
});

Deno.test("with a wrong app/auth a page that asks who is signed in fails by what is wrong there", async () => {
  const told: string[] = [];
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: {
      config: defineAuthConfig({ session: { strategy: "jwt" }, secret: "s".repeat(32) }),
      providers: { passkey: defineProvider(passkey(() => ({ rpId: "" }))) },
    },
    routes: [
      route("page", () => getUser()?.id),
      { ...route("route", () => new Response("open")), pattern: "/open" },
    ],
  }, {
    logger: { info() {}, warn() {}, error() {} },
    onError: (error) => told.push((error as Error).message),
  });
  const ask = (path: string) =>
    worker.fetch(
      new Request(`http://localhost${path}`, { headers: { accept: "application/json" } }),
      {},
    );
  const response = await ask("/p");
  assert.deepEqual([response.status, (await response.json()).code], [500, "CONFIGURATION"]);
  assert.equal(told.length, 2);
  for (const message of told) assert.match(message, /^Wrong option "rpId": found ""/);
  assert.equal(await (await ask("/open")).text(), "open");
});
