import { issueSession } from "@framework/auth";
import { createMemoryStorage } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import type { ManifestModule, ManifestRoute } from "./manifest.ts";
import type { LoaderArgs } from "./types.ts";

const ORIGIN = "http://localhost";
const RULES = "/_framework/speculation-rules.json";

function page(pattern: string, exported: Record<string, unknown> = {}): ManifestRoute {
  return {
    kind: "page",
    pattern,
    file: `app${pattern}/page.tsx`,
    module: { default: () => <p>{pattern}</p>, ...exported },
    layouts: [],
    middleware: [],
  };
}

function route(pattern: string, exported: Record<string, unknown> = {}): ManifestRoute {
  return {
    ...page(pattern),
    kind: "route",
    file: `app${pattern}/route.ts`,
    module: { GET: () => pattern, ...exported },
  };
}

/** Answers requests of a browser that is signed in as ada, or of a visitor's. */
async function createSite(routes: ManifestRoute[]): Promise<
  (path: string, purpose?: string, options?: { signedIn?: boolean }) => Promise<Response>
> {
  const DB = createMemoryStorage();
  await DB.createUser({ user: { id: "ada" }, emailIdentity: null, at: 0 });
  const { worker, auth } = createApplication({
    database: "DB",
    dev: false,
    auth: { providers: {} },
    routes,
  });
  const { cookies } = await issueSession(auth!, "ada", { DB });
  const cookie = cookies.map((line) => line.split(";")[0]).join("; ").replace("__Host-", "");
  return (path, purpose, { signedIn = false } = {}) => {
    const headers = new Headers({ accept: "text/html" });
    if (purpose !== undefined) headers.set("sec-purpose", purpose);
    if (signedIn) headers.set("cookie", cookie);
    return worker.fetch(new Request(ORIGIN + path, { headers }), { DB });
  };
}

const layout = (exported: Record<string, unknown>): ManifestModule => ({
  file: "app/layout.tsx",
  module: {
    default: ({ children }: { children: unknown }) => <main>{children as string}</main>,
    ...exported,
  },
});

const PREFETCH = "prefetch";
const PRERENDER = "prefetch;prerender";

// Tracks: R194
Deno.test("what is answered ahead of a visit, by page, purpose and visitor", async () => {
  const ask = await createSite([
    page("/plain"),
    page("/never", { prefetch: false }),
    page("/always", { prefetch: true }),
    page("/whole", { prefetch: "prerender" }),
    page("/open", { session: false }),
    { ...page("/below"), layouts: [layout({ prefetch: false })] },
    { ...page("/nearest", { prefetch: true }), layouts: [layout({ prefetch: false })] },
    route("/api"),
    route("/api/told", { prefetch: true }),
  ]);
  // Statuses: prefetch and prerender of a visitor, then of who is signed in.
  const expected: Record<string, number[]> = {
    "/plain": [200, 503, 503, 503],
    "/plain?a=1": [503, 503, 503, 503],
    "/never": [503, 503, 503, 503],
    "/always": [200, 503, 200, 503],
    "/always?a=1": [200, 503, 200, 503],
    "/whole": [200, 200, 200, 200],
    "/open": [200, 503, 200, 503],
    "/below": [503, 503, 503, 503],
    "/nearest": [200, 503, 200, 503],
    "/api": [503, 503, 503, 503],
    "/api/told": [200, 503, 200, 503],
  };
  for (const [path, statuses] of Object.entries(expected)) {
    const found: number[] = [];
    for (const signedIn of [false, true]) {
      for (const purpose of [PREFETCH, PRERENDER]) {
        found.push((await ask(path, purpose, { signedIn })).status);
      }
      assert.equal((await ask(path, undefined, { signedIn })).status, 200);
    }
    assert.deepEqual(found, statuses, path);
  }
  assert.equal(
    (await ask("/plain", PREFETCH, { signedIn: true })).headers.get("cache-control"),
    "no-store",
  );
});

// Tracks: R194
Deno.test("the rules name the pages, never routes, links with a query or what says no", async () => {
  const ask = await createSite([
    page("/"),
    page("/teams/:team-id/issues/:id"),
    page("/docs/:path*"),
    page("/files/:path*?"),
    page("/a+b"),
    page("/search", { prefetch: true }),
    page("/whole", { prefetch: "prerender" }),
    page("/never", { prefetch: false }),
    route("/api/:name"),
    route("/told", { prefetch: true }),
  ]);
  const html = await ask("/");
  assert.equal(html.headers.get("speculation-rules"), `"${RULES}"`);
  assert.equal((await ask("/api/x")).headers.has("speculation-rules"), false);
  const response = await ask(RULES);
  assert.equal(response.headers.get("content-type"), "application/speculationrules+json");
  type Match = { "href_matches": { pathname: string; search?: string } };
  const rules = await response.json();
  const [{ where: { and: [{ or }, { not }] }, eagerness }] = rules.prefetch;
  assert.equal(eagerness, "moderate");
  const matches = (list: Match[], path: string) =>
    list.some(({ "href_matches": match }) =>
      match !== undefined && new URLPattern({ ...match, baseURL: ORIGIN }).test(ORIGIN + path)
    );
  const offered = (path: string) => matches(or, path) && !matches(not.or, path);
  for (
    const path of [
      "/",
      "/teams/acme/issues/7",
      "/docs/a",
      "/docs/a/b",
      "/files",
      "/files/a/b",
      "/a+b",
      "/search?q=1",
      "/whole",
      "/told",
    ]
  ) assert.ok(offered(path), path);
  for (
    const path of [
      "/?a=1",
      "/teams/acme/issues/7?a=1",
      "/teams/acme",
      "/docs",
      "/aab",
      "/never",
      "/api/x",
    ]
  ) assert.ok(!offered(path), path);
  // Kept away by name, should a catch-all match them.
  assert.ok(matches(not.or, "/auth/signout") && matches(not.or, "/api/x"));
  assert.equal(rules.prerender.length, 1);
  assert.deepEqual(
    rules.prerender[0].where.and[0].or.map((match: Match) => match["href_matches"].pathname),
    ["/whole"],
  );
});

Deno.test("nothing is offered where a layout of all pages says no", async () => {
  const ask = await createSite([{ ...page("/"), layouts: [layout({ prefetch: false })] }]);
  assert.equal((await ask("/")).headers.has("speculation-rules"), false);
  assert.deepEqual(await (await ask(RULES)).json(), { prefetch: [], prerender: [] });
});

Deno.test("a loader sees that it is asked ahead of a visit", async () => {
  const seen: boolean[] = [];
  const loader = ({ context }: LoaderArgs) => void seen.push(context.isPrefetch);
  const ask = await createSite([page("/", { loader, prefetch: true })]);
  await ask("/", PREFETCH);
  await ask("/");
  assert.deepEqual(seen, [true, false]);
});

Deno.test("a prefetch that is none of its values is named with its file", () => {
  assert.throws(
    () =>
      createApplication({
        database: "DB",
        dev: false,
        auth: null,
        routes: [page("/", { prefetch: "always" })],
      }),
    /^TypeError: app\/\/page\.tsx exports a prefetch that is none of true, false and "prerender"\.$/,
  );
});
