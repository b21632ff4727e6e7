// The projects that the guides of frameworks show: installed by npm, built and in development, and used in Chromium.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../../scripts/chromium.ts";
import { DEMO_CLIENT, startIdentityProvider } from "../../scripts/identity_provider.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { createDevice } from "../passkey/device.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { type Child, startChild } from "../support/child.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, nodeIsAvailable } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { sendRaw } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import { holdColumn, readTable } from "../docs/tables.ts";
import {
  AFTER,
  cookieHeader,
  type Door,
  FORM_OF_PAGE,
  openPage,
  OWN,
  ROWS,
  sessionRows,
  SOCKET,
  SOCKET_OF_SITE,
  visitDoor,
} from "./visit.ts";
import type { Page } from "playwright-core";

const DOORS = fileURLToPath(new URL(".", import.meta.url));

interface Project {
  /** Its name in the table of docs/servers.md. */
  title: string;
  /** Arguments of Node: the build, and the server of either mode. */
  build: string[];
  serve(mode: Mode, port: number): string[];
  /** Files that its guide shows, and the guide. */
  guide: string;
  shown: string[];
  /** File of `createAuth()`. */
  auth: string;
  /** True for the one that each push sees, in production. Default: the matrix alone does. */
  daily?: true;
  /** Default: both. */
  modes?: Mode[];
  /** Project over which its own files are laid. Default: none. */
  over?: string;
  /** Gets a build ready to be served. Returns the path of the SQLite database. Default: that of the environment. */
  prepare?(folder: string, node: string, env: Record<string, string>): Promise<string>;
  /** Status for a form of one of its pages that another site sends. Default: 403. */
  formRefusal?: Partial<Record<Mode, number | null>>;
  /** What its log says of an address that a header claims. Default: "proxy-not-trusted". */
  claimWarning?: string | null;
  /** Path of a WebSocket of the project. Default: it has none. */
  socket?: string;
  /** Status for a WebSocket that another site opens. Default: 403, and in development another program's. */
  handshakeRefusal?: Partial<Record<Mode, number | null>>;
  /** Ends its server in production, while work goes on behind an answer. Default: nobody looks. */
  end?(server: Child, door: Door): Promise<void>;
  /** What only this framework has. Default: nothing. */
  also?(page: Page, door: Door): Promise<void>;
}

type Mode = "development" | "production";

const projects: Record<string, Project> = {
  next: {
    title: "Next.js",
    build: ["node_modules/next/dist/bin/next", "build"],
    serve: (mode, port) => [
      ...["node_modules/next/dist/bin/next", mode === "production" ? "start" : "dev"],
      ...["-H", "127.0.0.1", "-p", String(port)],
    ],
    guide: "nextjs.md",
    auth: "auth.ts",
    shown: [
      "auth.ts",
      "app/auth/[...path]/route.ts",
      "app/account/page.tsx",
      "proxy.ts",
      "instrumentation.ts",
    ],
    // Nobody tells it the address of the connection.
    claimWarning: "client-address-unknown",
    // Its server closes every connection that wants to be a WebSocket.
    handshakeRefusal: { production: 0 },
    also: useServerComponents,
    end: endWithMail,
  },
  sveltekit: {
    title: "SvelteKit",
    build: ["node_modules/vite/bin/vite.js", "build"],
    serve: (mode, port) =>
      mode === "production"
        ? ["build/index.js"]
        : ["node_modules/vite/bin/vite.js", "dev", "--host", "127.0.0.1", "--port", String(port)],
    guide: "sveltekit.md",
    auth: "src/lib/server/auth.ts",
    shown: [
      "src/lib/server/auth.ts",
      "vite.config.js",
      "src/hooks.server.ts",
      "src/routes/account/+page.server.ts",
    ],
    daily: true,
    also: useActions,
    end: endSettled,
  },
  "react-router": {
    title: "React Router",
    build: ["node_modules/@react-router/dev/bin.cjs", "build"],
    serve: (mode, port) =>
      mode === "production"
        ? ["node_modules/@react-router/serve/bin.cjs", "build/server/index.js"]
        : [
          ...["node_modules/@react-router/dev/bin.cjs", "dev"],
          ...["--host", "127.0.0.1", "--port", String(port)],
        ],
    guide: "react_router.md",
    auth: "app/auth.server.ts",
    shown: ["app/auth.server.ts", "app/routes.ts", "app/auth.ts", "app/account.tsx"],
    // Nobody tells it the address of the connection.
    claimWarning: "client-address-unknown",
    // Before any middleware, so that nobody can make another status of it.
    formRefusal: { development: 400, production: 400 },
    also: useResource,
  },
  nuxt: {
    title: "Nuxt",
    build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    serve: (mode, port) =>
      mode === "production" ? [".output/server/index.mjs"] : [
        ...["node_modules/nuxt/bin/nuxt.mjs", "dev"],
        ...["--host", "127.0.0.1", "--port", String(port), "--no-fork"],
      ],
    guide: "nuxt.md",
    auth: "server/utils/auth.ts",
    shown: [
      "server/utils/auth.ts",
      "server/plugins/auth.ts",
      "nuxt.config.ts",
      "app/middleware/signed-in.ts",
      "app/pages/account.vue",
      "server/api/account.get.ts",
      "server/api/signout.post.ts",
    ],
    socket: "/socket",
    handshakeRefusal: { development: 403 },
    also: useNuxt,
  },
  "nuxt-workerd": {
    title: "Nuxt on workers",
    over: "nuxt",
    build: ["node_modules/nuxt/bin/nuxt.mjs", "build"],
    serve: (_mode, port) => [
      ...["node_modules/wrangler/bin/wrangler.js", "dev"],
      ...["--ip", "127.0.0.1", "--port", String(port)],
    ],
    guide: "nuxt_on_cloudflare.md",
    auth: "server/utils/auth.ts",
    shown: ["server/utils/auth.ts", "nuxt.config.ts", "wrangler.json"],
    modes: ["production"],
    prepare: makeWorkersTables,
    // The platform tells it.
    claimWarning: null,
    socket: "/socket",
    also: useNested,
  },
  astro: {
    title: "Astro",
    build: ["node_modules/astro/bin/astro.mjs", "build", "--silent"],
    serve: (mode, port) =>
      mode === "production" ? ["dist/server/entry.mjs"] : [
        "node_modules/astro/bin/astro.mjs",
        "dev",
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
      ],
    guide: "astro.md",
    auth: "src/lib/auth.ts",
    shown: [
      "src/lib/auth.ts",
      "src/middleware.ts",
      "src/env.d.ts",
      "src/actions/index.ts",
      "src/pages/account.astro",
      "astro.config.mjs",
    ],
    also: useEndpoints,
  },
};

/** Sends a form of another site to an endpoint of the application, which is to be refused before it is asked. */
async function refusesForm(page: Page, url: string): Promise<void> {
  const forged = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  const headers = { cookie: await cookieHeader(page), ...forged };
  const sent = await fetch(url, { method: "POST", headers, body: new FormData() });
  assert.equal(sent.status, 403, await sent.text());
  assert.deepEqual(sent.headers.getSetCookie(), []);
}

/** A resource route, by a user, by a visitor, and with a cookie of its own. */
async function useResource(page: Page, { origin }: Door): Promise<void> {
  await refusesForm(page, `${origin}/api/me`);
  const cookie = await cookieHeader(page);
  const me = await page.request.get(`${origin}/api/me`);
  assert.deepEqual(await me.json(), { name: "Ada" });
  const stranger = await fetch(`${origin}/api/me`);
  assert.equal(stranger.status, 401, await stranger.text());
  const other = await page.request.post(`${origin}/api/me`, { headers: { origin } });
  assert.equal(other.headers()["cache-control"], "no-store");
  assert.deepEqual(await other.json(), { name: "Ada" });
  assert.notEqual(await cookieHeader(page), cookie);
  await openPage(page, `${origin}/account`);
  await page.getByText("Hello Ada").waitFor();
}

/** An action for a role, sent by somebody who may not, and by a visitor. */
async function useActions(page: Page, { origin }: Door): Promise<void> {
  const headers = { origin, accept: "text/html" };
  const init = { method: "POST", headers, body: new URLSearchParams({ sent: "1" }) };
  const visitor = await fetch(`${origin}/admin`, init);
  assert.equal(visitor.status, 401, await visitor.text());
  await openPage(page, `${origin}/account`);
  await page.getByText("Hello Ada").waitFor();
}

/** Server components, where no cookie can be set: what would set one changes nothing. */
async function useServerComponents(page: Page, door: Door): Promise<void> {
  const { origin } = door;
  const before = sessionRows(door);
  const cookie = await cookieHeader(page);
  await openPage(page, `${origin}/wrong`);
  const told = (await page.locator("pre").textContent())!.split("\n");
  assert.equal(told.length, 2);
  for (const line of told) {
    assert.match(line, /^HEADERS_SENT: .*Server Action \("use server"\) or a Route Handler/);
  }
  for (const path of ["/", "/account", "/stream", "/admin"]) {
    await openPage(page, `${origin}${path}`);
  }
  assert.equal(sessionRows(door), before);
  assert.equal(await cookieHeader(page), cookie);
  // Two cookies of one name: another host of the site has set one of them, and neither is believed.
  const token = /framework\.session-token=[^;]+/.exec(cookie)![0];
  const twice = await fetch(`${origin}/account`, {
    headers: { cookie: `framework.session-token=planted; ${token}` },
    redirect: "manual",
  });
  await twice.body?.cancel();
  assert.equal(twice.status, 303);

  // A route handler, where cookies go into the response.
  await refusesForm(page, `${origin}/api/me`);
  const me = await page.request.get(`${origin}/api/me`);
  assert.deepEqual(await me.json(), { name: "Ada" });
  const stranger = await fetch(`${origin}/api/me`);
  assert.equal(stranger.status, 401, await stranger.text());
  const other = await page.request.post(`${origin}/api/me`, { headers: { origin } });
  assert.deepEqual(await other.json(), { name: "Ada" });
  assert.notEqual(await cookieHeader(page), cookie);
  await openPage(page, `${origin}/account`);
  await page.getByText("Hello Ada").waitFor();
}

/** Endpoints of the application, an action that is sent by a visitor, and an address that a client claims. */
async function useEndpoints(page: Page, { origin }: Door): Promise<void> {
  await refusesForm(page, `${origin}/api/me`);
  const cookie = await cookieHeader(page);
  const me = await page.request.get(`${origin}/api/me`);
  assert.deepEqual(await me.json(), { name: "Ada" });
  const stranger = await fetch(`${origin}/api/me`);
  assert.equal(stranger.status, 401, await stranger.text());
  const headers = { origin };
  const other = await page.request.post(`${origin}/api/me`, { headers });
  assert.deepEqual(await other.json(), { name: "Ada" });
  assert.notEqual(await cookieHeader(page), cookie);
  await openPage(page, `${origin}/account`);
  await page.getByText("Hello Ada").waitFor();

  // An action, by a visitor and by somebody of the role, as a page's script calls it.
  const action = `${origin}/_actions/onlyAdmins`;
  const form = () => ({ method: "POST", headers, body: new FormData() });
  const refused = await fetch(action, form());
  assert.equal(refused.status, 401);
  assert.equal((await refused.json()).code, "UNAUTHORIZED");
  const allowed = await fetch(action, {
    ...form(),
    headers: { ...headers, cookie: await cookieHeader(page) },
  });
  assert.equal(allowed.status, 200, await allowed.text());
}

/** What `/api/nested` of Nuxt's project tells of a request that the server has made to itself. */
interface Nested {
  status: number;
  text: string;
  cookies: string[];
}

/** What a server of Nuxt is asked besides, where no platform stands in front. */
async function useNuxt(page: Page, door: Door): Promise<void> {
  const { origin } = door;
  // No handshake of the web platform: who sends it is answered, and the connection closed.
  const odd = { host: "user@localhost", connection: "Upgrade", upgrade: "websocket" };
  const lines = Object.entries(odd).map(([name, value]) => `${name}: ${value}\r\n`);
  const { port } = new URL(origin);
  const answer = await sendRaw(Number(port), `GET /socket HTTP/1.1\r\n${lines.join("")}\r\n`);
  assert.equal(answer.status, 400, answer.text);
  await useNested(page, door);
}

/** Server routes, those that are cached, and requests of the server to itself: the visitor's, nobody's, another site's. */
async function useNested(page: Page, { origin, output }: Door): Promise<void> {
  await useResource(page, { origin } as Door);
  const cookie = await cookieHeader(page);

  // The form of another site is answered by Nuxt's own error page, which finds what it needs.
  const headers = { cookie, origin: "https://evil.example", accept: "text/html" };
  const forged = { method: "POST", headers, body: new FormData() };
  const refused = await fetch(`${origin}/account`, forged);
  assert.equal(refused.status, 403, await refused.text());
  assert.match(refused.headers.get("content-type") ?? "", /^text\/html/);
  assert.doesNotMatch(output(), /TypeError/);

  async function ask(query: Record<string, string>, site: string, sent: HeadersInit = {}) {
    const response = await fetch(`${origin}/api/nested?${new URLSearchParams(query)}`, {
      headers: { cookie, "sec-fetch-site": site, ...sent },
    });
    assert.equal(response.status, 200, await response.clone().text());
    return { nested: await response.json() as Nested, response };
  }
  async function isSignedIn(): Promise<boolean> {
    return await (await fetch(`${origin}/auth/session`, { headers: { cookie } })).json() !== null;
  }

  // Its data come of a request of the server to itself.
  const account = await fetch(`${origin}/account`, { headers: { cookie } });
  assert.match(await account.text(), /Hello Ada/);
  assert.equal(account.headers.get("cache-control"), "no-store");
  assert.match(account.headers.get("vary") ?? "", /cookie/i);

  const visitors = await ask({ path: "/api/me", as: "visitor" }, "same-origin");
  assert.deepEqual(JSON.parse(visitors.nested.text), { name: "Ada" });
  const nobodys = await ask({ path: "/api/me" }, "same-origin");
  assert.equal(nobodys.nested.status, 401);

  // A link of another site leads to a page that makes the server post to itself: nothing that it says of itself helps.
  const lie = JSON.stringify({
    cookie,
    origin,
    host: new URL(origin).host,
    "sec-fetch-site": "same-origin",
  });
  for (const query of [{ as: "visitor" }, { as: "nobody" }, { as: "nobody", headers: lie }]) {
    for (const path of ["/auth/signout", "/api/signout"]) {
      const { nested } = await ask({ ...query, path, method: "POST" }, "cross-site");
      assert.equal(nested.status, 403, `${path} ${JSON.stringify(query)}: ${nested.text}`);
      assert.deepEqual(nested.cookies, []);
    }
  }
  assert.equal(await isSignedIn(), true);

  // The cookie of a session that a request within the visitor's begins is for the browser.
  const body = JSON.stringify({ name: "Eve" });
  const begun = await ask({ path: "/api/me", method: "POST", as: "visitor", body }, "same-origin");
  assert.deepEqual(begun.response.headers.getSetCookie(), begun.nested.cookies);
  assert.equal(begun.response.headers.get("cache-control"), "no-store");
  assert.equal(await isSignedIn(), false);
  const [, name, value] = begun.nested.cookies.join("; ").match(
    /(framework\.session-token)=([^;]+)/,
  )!;
  await page.context().addCookies([{ name: name!, value: value!, url: origin }]);
  await openPage(page, `${origin}/account`);
  await page.getByText("Hello Ada").waitFor();

  // What is cached is for everybody, and knows nobody.
  const now = await cookieHeader(page);
  for (const path of ["/api/cached", "/cached"]) {
    const first = await (await fetch(`${origin}${path}`, { headers: { cookie: now } })).text();
    const second = await (await fetch(`${origin}${path}`)).text();
    for (const text of [first, second]) assert.doesNotMatch(text, /Ada/);
    assert.match(first, /nobody/);
  }
}

/** Follows the steps of the guide between a build and its server. */
async function makeWorkersTables(
  folder: string,
  node: string,
  env: Record<string, string>,
): Promise<string> {
  const { guide } = projects["nuxt-workerd"]!;
  const text = await Deno.readTextFile(join(repositoryRoot, "docs", guide));
  const lines = /```sh\n(.*?)\n```/s.exec(text)![1]!.split("\n");
  assert.equal(lines.pop(), "npx wrangler dev");
  const steps = lines.filter((line) => line !== "npx nuxt build").join("\n")
    .replace(/^node /m, `'${node}' `)
    .replaceAll("npx wrangler ", `'${node}' node_modules/wrangler/bin/wrangler.js `)
    .replace("http://localhost:8787", env.BASE_URL!);
  assert.equal(steps.split("\n").length, lines.length - 1);
  assert.ok(steps.includes(env.BASE_URL!) && !steps.includes("npx"), steps);
  await run("sh", ["-ec", steps], { cwd: folder, env });
  const variables = join(folder, ".dev.vars");
  await Deno.writeTextFile(variables, `ISSUER=${env.ISSUER}\n`, { append: true });
  const state = join(folder, ".wrangler", "state", "v3", "d1", "miniflare-D1DatabaseObject");
  for await (const { name } of Deno.readDir(state)) {
    if (/^[\da-f]+\.sqlite$/.test(name)) return join(state, name);
  }
  throw new Error(`No database of D1 is in ${state}`);
}

/** Copies a project, with a provider more, and installs it by npm with the packed package. */
async function install(name: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: `framework-${name}-` });
  const { over = name } = projects[name]!;
  for (const part of [over, name]) await cp(join(DOORS, part), folder, { recursive: true });
  const file = join(folder, projects[name]!.auth);
  const text = await Deno.readTextFile(file);
  const provider = `, createOidcProvider({
    id: "local", name: "Local", issuer: process.env.ISSUER!, clientId: "${DEMO_CLIENT.clientId}",
    clientSecret: "${DEMO_CLIENT.clientSecret}", trustEmail: true,
  })],`;
  const more = text.replace("accountPage()],", `accountPage()${provider}`)
    .replace("createAuth,", "createAuth, createOidcProvider,");
  assert.ok(more.includes("createOidcProvider,") && more.includes('id: "local"'));
  await Deno.writeTextFile(file, more);
  if (name === "sveltekit") await addShutdown(folder);
  if (name === "next") await delayMails(folder);
  await installWithNpm(folder, await buildPackages({ gate: false }));
  return folder;
}

/** Adds the guide's line for the end of the server, which says so in the place of closing a file. */
async function addShutdown(folder: string): Promise<void> {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "sveltekit.md"));
  const [line] = guide.match(/(?<=`)process\.on\("sveltekit:shutdown".*(?=`)/)!;
  assert.ok(line!.includes("file.close()"));
  const hooks = join(folder, "src/hooks.server.ts");
  const told = line!.replace("file.close()", 'console.log("everything is settled")');
  const text = await Deno.readTextFile(hooks);
  await Deno.writeTextFile(hooks, `import { settled } from "@framework/auth";\n${text}\n${told}\n`);
}

/** Has a mail be under way for a second, as with a service that is slow. */
async function delayMails(folder: string): Promise<void> {
  const file = join(folder, "mail.ts");
  const text = await Deno.readTextFile(file);
  const slow = text.replace("export function", "export async function")
    .replace(
      "): void {",
      "): Promise<void> {\n  await new Promise((done) => setTimeout(done, 1000));",
    );
  assert.ok(slow.includes("async") && slow.includes("setTimeout"));
  await Deno.writeTextFile(file, slow);
}

/** What was answered is done: a mail that goes out behind the answer is sent before the server ends. */
async function endWithMail(server: Child, { origin, output }: Door): Promise<void> {
  const answer = await createClient(origin).post("/auth/forgot", { email: "ada@mail.example" });
  assert.equal(answer.status, 303, await answer.text());
  assert.doesNotMatch(output(), /\/auth\/reset\?token=/);
  Deno.kill(server.pid, "SIGTERM");
  await server.ended;
  assert.match(output(), /\/auth\/reset\?token=/);
}

async function endSettled(server: Child): Promise<void> {
  Deno.kill(server.pid, "SIGTERM");
  await server.waitFor(/everything is settled/);
  assert.equal(await server.ended, 0, server.output());
}

async function untilServed(origin: string, server: Child): Promise<void> {
  await until(
    async () => {
      await (await fetch(`${origin}/auth/session`)).body?.cancel();
      return true;
    },
    () => `Nobody listens at ${origin}:\n${server.output()}`,
  );
}

for (const [name, project] of Object.entries(projects)) {
  if (!project.daily && !inMatrix) continue;
  const { modes: own = ["production", "development"] } = project;
  const modes = inMatrix ? own : own.slice(0, 1);
  // Tracks: AU-06, R083
  Deno.test({
    name: `${name}: sign-up, every way in, guard, role, stream and forged forms in Chromium`,
    ignore: !nodeIsAvailable || await findChromium() === null,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(test) {
      const { newest: node } = await findNodes();
      const folder = await install(name);
      try {
        for (const mode of modes) {
          await test.step({
            name: mode,
            sanitizeOps: false,
            sanitizeResources: false,
            fn: (test) => use(test, name, { mode, node, folder }),
          });
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

/** What another site is answered; null where it is somebody else's to say. */
function refusalsOf({ formRefusal = {}, handshakeRefusal = {} }: Partial<Project>) {
  const { production: form = 403, development: formInDevelopment = 403 } = formRefusal;
  const { production: socket = 403, development: socketInDevelopment = null } = handshakeRefusal;
  return {
    production: { formRefusal: form, handshakeRefusal: socket },
    development: { formRefusal: formInDevelopment, handshakeRefusal: socketInDevelopment },
  };
}

async function use(
  test: Deno.TestContext,
  name: string,
  { mode, node, folder }: { mode: Mode; node: string; folder: string },
): Promise<void> {
  const { build, prepare, serve, also, end, socket = null, ...project } = projects[name]!;
  const { claimWarning = "proxy-not-trusted" } = project;
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const identity = await startIdentityProvider({
    redirectUris: [`${origin}/auth/callback/local`],
  });
  const env = {
    BASE_URL: origin,
    ORIGIN: origin,
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE: join(folder, `${mode}.db`),
    ISSUER: identity.issuer,
    NEXT_TELEMETRY_DISABLED: "1",
    ASTRO_TELEMETRY_DISABLED: "1",
    NUXT_TELEMETRY_DISABLED: "1",
    WRANGLER_SEND_METRICS: "false",
  };
  const browser = await launchBrowser();
  try {
    if (mode === "production") await run(node, build, { cwd: folder, env });
    const database = await prepare?.(folder, node, env) ?? env.DATABASE;
    const server = startChild(node, serve(mode, port), { cwd: folder, env, group: true });
    try {
      await untilServed(origin, server);
      // A development server compiles a page when it is first asked for: no browser is to wait for that.
      for (const path of ["/", "/account", "/admin", "/stream", "/wrong", "/api/me"]) {
        await (await fetch(`${origin}${path}`, { redirect: "manual" })).body?.cancel();
      }
      if (mode === "development") await loadFirst(browser, origin);
      const { output } = server;
      const refusals = refusalsOf(project)[mode];
      const door = { origin, database, output, ...refusals, socket, claimWarning, also };
      await visitDoor(test, door, browser);
      if (end !== undefined && mode === "production") {
        await browser.close(); // some wait for its connections
        await test.step(AFTER, () => end(server, door));
      }
    } finally {
      try {
        // Next.js waits for connections that a browser keeps.
        Deno.kill(-server.pid, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await server.stop();
    }
  } finally {
    await browser.close();
    await identity.close();
  }
}

/**
 * Opens the first pages that a browser loads. Vite finds only then which packages their scripts import, and has pages reload
 * with them: until then React may be there twice, which React says in the console.
 */
async function loadFirst(browser: TestBrowser, origin: string): Promise<void> {
  const { page } = await createDevice(browser, { list: false });
  for (const path of ["/", "/auth/signin", "/"]) {
    await openPage(page, `${origin}${path}`);
    await page.waitForLoadState("networkidle");
  }
  await page.close();
}

// Every row is a step of the test above, by its name, in both modes.
Deno.test("the table in docs/servers.md is what the projects are asked", async () => {
  const table = await readTable("docs/servers.md", "SvelteKit");
  for (const project of Object.values(projects)) {
    const { title, also, end, socket } = project;
    const { production, development } = refusalsOf(project);
    const told = (name: keyof typeof production) => {
      const isBuilt = project.modes === undefined && development[name] === null;
      return `R: ${production[name] || "closed"}${isBuilt ? ", built" : ""}`;
    };
    const cells = Object.entries(ROWS).map(([row, { by }]) => [row, by]);
    holdColumn(table, title, {
      ...Object.fromEntries(cells),
      [FORM_OF_PAGE]: told("formRefusal"),
      [SOCKET_OF_SITE]: told("handshakeRefusal"),
      ...socket === undefined && { [SOCKET]: "" },
      ...also === undefined && { [OWN]: "" },
      ...end !== undefined && { [AFTER]: "R, built" },
      "production build": "C",
      "development server": project.modes === undefined ? "C" : "",
    });
  }
});

Deno.test("the guides of frameworks show the projects that are tested", async () => {
  for (const [name, { guide, shown }] of Object.entries(projects)) {
    const text = await Deno.readTextFile(join(repositoryRoot, "docs", guide));
    for (const file of shown) {
      const code = await Deno.readTextFile(join(DOORS, name, file));
      assert.ok(text.includes(`\n${code}\`\`\``), `${name}/${file} is not in docs/${guide}`);
      assert.ok(text.includes(`\`${file}\``), `docs/${guide} does not name ${file}`);
    }
  }
});

/** Lines that an upright screen shows of a page: with them the files of an application, and what is peculiar to it. */
const SCREEN = { lines: 100, ofText: 31 };

Deno.test("the guides of frameworks are one screen each: the files, and what holds there alone", async () => {
  const guides = Object.values(projects).map(({ guide }) => guide);
  for (const guide of new Set(guides)) {
    const text = await Deno.readTextFile(join(repositoryRoot, "docs", guide));
    const lines = text.trimEnd().split("\n").length;
    assert.ok(
      lines <= SCREEN.lines,
      `docs/${guide} has ${lines} lines, of at most ${SCREEN.lines}`,
    );
    const own = text.replaceAll(/^```.*?^```$/gms, "").split("\n").filter((line) => line !== "");
    assert.ok(own.length <= SCREEN.ofText, `docs/${guide} has ${own.length} lines of text`);
    assert.match(text, /\]\((?:servers\.md#in-every-framework|nuxt\.md)\)/);
  }
});
