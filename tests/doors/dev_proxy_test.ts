// A page that Vite's development server serves, with its API on another port, by the lines of docs/servers.md.
import { createAuth, createMemoryStorage, credentials, requireAuth } from "@framework/auth";
import type { Auth, AuthOptions } from "@framework/auth";
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findChromium } from "../../scripts/chromium.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { until } from "../support/until.ts";

const GUIDE = join(repositoryRoot, "docs", "servers.md");

/** A folder with the guide's `vite.config.ts`, for an API at this port, and a page. Returns the program of Vite. */
async function placePage(folder: string, apiPort: number): Promise<string> {
  const guide = await Deno.readTextFile(GUIDE);
  const [, config] = /`vite\.config\.ts`, for an API on port 8000:\n\n```ts ignore\n(.*?)```/s
    .exec(guide)!;
  const own = config!.replaceAll("localhost:8000", `localhost:${apiPort}`);
  assert.notEqual(own, config);
  await Deno.writeTextFile(join(folder, "vite.config.ts"), own);
  await Deno.writeTextFile(join(folder, "index.html"), "<!doctype html><title>SPA</title>");
  // The one that is here for vitest.
  const vitest = createRequire(import.meta.url).resolve("vitest/package.json");
  const vite = dirname(createRequire(vitest).resolve("vite/package.json"));
  await Deno.mkdir(join(folder, "node_modules"));
  await Deno.symlink(vite, join(folder, "node_modules", "vite"));
  return join(vite, "bin", "vite.js");
}

/** An API, by the guide's lines but for `own`. */
function createApi(own: Partial<AuthOptions>): { auth: Auth<unknown>; log: unknown[] } {
  const log: unknown[] = [];
  const database = createMemoryStorage();
  const auth = createAuth<unknown>({
    database,
    cookies: { sessionToken: { hostOnly: true } },
    pages: { signIn: "/login" },
    providers: [credentials({
      credentials: { pin: { label: "PIN", type: "password", required: true } },
      authorize: ({ pin }) => Promise.resolve(pin === "1234" ? { id: "ada", name: "Ada" } : null),
    })],
    logger: {
      info() {},
      error() {},
      warn(event, { origin }) {
        if (event === "origin-refused") log.push(origin);
      },
    },
    ...own,
  });
  return { auth, log };
}

/** Signs in by a script of the page, asks the API who it is, and as a visitor for a page of users. */
async function signIn(browser: TestBrowser, origin: string) {
  const page = await browser.newPage();
  await page.goto(origin);
  const answers = await page.evaluate(async () => {
    const headers = { "content-type": "application/json", "accept": "application/json" };
    const body = JSON.stringify({ pin: "1234" });
    const sent = await fetch("/auth/signin/credentials", { method: "POST", headers, body });
    const told = await sent.text();
    const me = await fetch("/api/me", { headers });
    return { status: sent.status, told, me: [me.status, await me.text()] };
  });
  await page.context().clearCookies();
  const visitor = await page.request.get(`${origin}/api/page`, { maxRedirects: 0 });
  await page.close();
  return { ...answers, login: visitor.headers()["location"] };
}

// Tracks: R071
Deno.test({
  name:
    "a page behind Vite's proxy signs in where its origin is baseUrl or trusted, and nowhere else",
  ignore: !nodeIsAvailable || await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    let api = createApi({});
    const where = { port: 0, hostname: "localhost", onListen() {} };
    const server = Deno.serve(where, (request, { remoteAddr }) => {
      const path = new URL(request.url).pathname;
      return api.auth.fetch(request, {}, {
        clientAddress: remoteAddr.hostname,
        next() {
          if (path === "/api/page") return new Response(requireAuth().name);
          const { id, name } = requireAuth({ throwError: true });
          return Response.json({ user: id, name });
        },
      });
    });
    const apiOrigin = `http://localhost:${server.addr.port}`;
    const folder = await Deno.makeTempDir({ prefix: "framework-dev-proxy-" });
    const program = await placePage(folder, server.addr.port);
    const port = freePort();
    const origin = `http://localhost:${port}`;
    const vite = startChild((await findNodes()).newest, [program, "--port", String(port)], {
      cwd: folder,
      group: true,
    });
    const browser = await launchBrowser();
    try {
      await until(async () => {
        await (await fetch(origin)).body?.cancel();
        return true;
      }, vite.output);

      const ada = [200, JSON.stringify({ user: "ada", name: "Ada" })];

      api = createApi({ baseUrl: origin });
      const own = await signIn(browser, origin);
      assert.deepEqual([own.status, own.me], [200, ada], own.told);
      assert.equal(own.login, `${origin}/login?callbackUrl=%2Fapi%2Fpage`);

      // With its own port the API is another site for this page, whatever the proxy makes of the Host.
      api = createApi({ baseUrl: apiOrigin });
      const refused = await signIn(browser, origin);
      assert.equal(refused.status, 403);
      assert.match(refused.told, /CROSS_SITE_REQUEST/);
      assert.equal(refused.me[0], 401);
      assert.deepEqual(api.log, [origin]);

      api = createApi({ baseUrl: apiOrigin, trustedOrigins: [origin] });
      const trusted = await signIn(browser, origin);
      assert.deepEqual([trusted.status, trusted.me], [200, ada], trusted.told);
      assert.deepEqual(api.log, []);
    } finally {
      await browser.close();
      await vite.stop();
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
