import { getUser, requireAuth, type SqlDatabase } from "@framework/auth";
import { authMiddleware } from "@framework/auth/middleware";
import type { JSX } from "hono/jsx/jsx-runtime";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestRoute } from "./manifest.ts";
import type { LoaderArgs } from "./types.ts";

function page(pattern: string, module: Record<string, unknown>, more: object = {}): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: (): JSX.Element => <p>shown</p>, ...module },
    layouts: [],
    middleware: [],
    ...more,
  };
}

/**
 * A database that refuses every statement, and counts them; of the one that reads the version of the
 * tables it never says anything, so that a request that waits for it is never answered.
 */
function brokenDatabase() {
  const counts = { markers: 0, others: 0 };
  function prepare(sql: string) {
    const isMarker = /\bauth_schema\b/.test(sql);
    function fail(): Promise<never> {
      counts[isMarker ? "markers" : "others"]++;
      return isMarker
        ? new Promise(() => {})
        : Promise.reject(new Error("D1_ERROR: the network is down"));
    }
    const statement = { bind: () => statement, first: fail, all: fail, run: fail };
    return statement as unknown as ReturnType<SqlDatabase["prepare"]>;
  }
  const batch = (): Promise<never> => prepare("").run() as Promise<never>;
  const database: SqlDatabase = { prepare, batch };
  return { database, counts };
}

const guard = { file: "app/m.ts", module: { middleware: authMiddleware() } };

const routes = [
  page("/public", {}),
  page("/greets", { default: () => <p>{getUser()?.name ?? "stranger"}</p> }),
  page("/asks", { loader: () => requireAuth() }),
  page("/optional", {
    loader: ({ context }: LoaderArgs) => context.auth.getUser().catch(() => null),
  }),
  page("/guarded", {}, { middleware: [guard] }),
];

// Tracks: GHSA-8fpg-xm3f-6cx3
Deno.test("createApplication() renders public pages and answers 503 for protected ones while the database fails", async () => {
  const { database, counts } = brokenDatabase();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const { worker } = createApplication(
    { database: "DB", dev: false, auth: { providers: {} }, routes },
    { logger: silent, onError: () => {} },
  );
  const headers = { cookie: `framework.session-token=${"a".repeat(43)}`, accept: "text/html" };
  const ask = async (path: string): Promise<[number, string]> => {
    const response = await worker.fetch(new Request(`http://localhost${path}`, { headers }), {
      DB: database,
    });
    return [response.status, await response.text()];
  };
  for (const path of ["/public", "/optional"]) {
    const [status, text] = await ask(path);
    assert.deepEqual([status, /<p>shown/.test(text)], [200, true], path);
  }
  for (const path of ["/asks", "/guarded", "/greets"]) {
    const [status, text] = await ask(path);
    assert.equal(status, 503, path);
    assert.doesNotMatch(text, /D1_ERROR|network is down|shown/);
  }
  const before = counts.others;
  for (const path of ["/nothing", "/auth/providers", "/favicon.ico"]) await ask(path);
  assert.equal(
    counts.others,
    before,
    "neither a 404 nor the authentication's own pages ask the database",
  );
  assert.equal(
    counts.markers,
    1,
    "the version of the tables is read once, and nobody waits for it",
  );
});
