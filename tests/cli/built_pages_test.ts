// What pages owe to the host that they were built for: files, headers, requests ahead of a visit.
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { disposeMiniflare } from "../support/dispose_miniflare.ts";
import { freePort } from "../support/free_port.ts";
import { launchBrowser } from "../support/browser.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { serve } from "./built_server.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { until } from "./framework.ts";

const files = {
  "app/page.tsx": `export default () => (
  <main><a id="about" href="/about">About</a> <a id="seen" href="/seen">Seen</a></main>
);`,
  "app/about/page.tsx": `export const prerender = true;
export const metadata = { title: "About" };
export default () => <p>About, made at the build</p>;`,
  "app/_asked.ts": "export const asked: string[] = [];",
  "app/seen/page.tsx": `import { asked } from "../_asked.ts";
export function loader({ context }) {
  const how = context.isPrefetch ? "ahead" : "visited";
  asked.push(how);
  return how;
}
export default ({ data }) => <p>{data}</p>;`,
  "app/asked/route.ts": `import { asked } from "../_asked.ts";
export const GET = () => asked;`,
};

interface Host extends AsyncDisposable {
  origin: string;
  app: FixtureApp;
}

async function build(...args: string[]): Promise<FixtureApp> {
  const app = await createFixtureApp(files);
  const { code, stderr } = await framework(app.root, "build", ...args);
  assert.equal(code, 0, stderr);
  return app;
}

async function startWorker(): Promise<Host> {
  const app = await build();
  const platform = JSON.parse(await readFile(join(app.root, "dist/wrangler.json"), "utf8"));
  const miniflare = new Miniflare({
    cf: false,
    handleStructuredLogs: () => {},
    workers: [{
      name: "fixture",
      modules: [{ type: "ESModule", path: join(app.root, "dist/worker.js") }],
      modulesRoot: join(app.root, "dist"),
      compatibilityDate: platform["compatibility_date"],
      compatibilityFlags: platform["compatibility_flags"],
      d1Databases: ["DB"],
      assets: {
        directory: join(app.root, "dist/assets"),
        routerConfig: { "has_user_worker": true },
      },
    }],
  });
  const { origin } = await miniflare.ready;
  return {
    origin,
    app,
    async [Symbol.asyncDispose]() {
      await disposeMiniflare(miniflare);
      await app[Symbol.asyncDispose]();
    },
  };
}

async function startNode(): Promise<Host> {
  const app = await build("--target", "node");
  const port = freePort();
  const origin = `http://localhost:${port}`;
  const env = { PORT: String(port), BASE_URL: origin, IDLE_TIMEOUT: "1" };
  const server = await serve("Node 22", app, env);
  return {
    origin,
    app,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

// A worker's prerendered pages are asked of its assets in prerender_test.ts.
const hosts = {
  "a server on Node": startNode,
  ...inMatrix && { "a worker": startWorker },
};

for (const [name, start] of Object.entries(hosts)) {
  Deno.test(`pages built for ${name}: prerendered ones are files, others are loaded ahead`, {
    sanitizeOps: false,
    sanitizeResources: false,
  }, async (t) => {
    await using host = await start();
    const { origin } = host;

    // Tracks: R080
    await t.step("a prerendered page, with the headers of a page", async () => {
      const file = await readFile(join(host.app.root, "dist/assets/about.html"), "utf8");
      const answer = await fetch(`${origin}/about`);
      assert.equal(answer.status, 200);
      assert.equal(await answer.text(), file);
      assert.match(file, /<title>About<\/title>.*About, made at the build/);
      assert.match(answer.headers.get("content-type")!, /^text\/html/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const policy = answer.headers.get("content-security-policy")!;
      assert.match(policy, /^default-src 'self'; script-src 'self'; /);
      const etag = answer.headers.get("etag")!;
      const again = await fetch(`${origin}/about`, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304);
    });

    // Tracks: R194
    await t.step("a page is loaded ahead, knows it, and is shown from there", async () => {
      const asked = async (): Promise<string[]> => await (await fetch(`${origin}/asked`)).json();
      const browser = await launchBrowser();
      try {
        const tab = await browser.newPage();
        await tab.goto(origin);
        await tab.hover("#seen");
        await until(asked, (found) => found.includes("ahead"));
        await tab.click("#seen");
        await tab.waitForURL("**/seen");
        assert.equal(await tab.textContent("p"), "ahead");
        assert.deepEqual(await asked(), ["ahead"]);
        await tab.reload();
        assert.equal(await tab.textContent("p"), "visited");
      } finally {
        await browser.close();
      }
    });

    if (name === "a worker") return;
    // Tracks: R193
    await t.step("a connection that stays idle is closed after IDLE_TIMEOUT", async () => {
      const { hostname, port, host: name } = new URL(origin);
      const connection = await Deno.connect({ hostname, port: Number(port) });
      await connection.write(
        new TextEncoder().encode(`GET /asked HTTP/1.1\r\nHost: ${name}\r\n\r\n`),
      );
      // It ends when the server closes: nothing here asks for that.
      const text = await new Response(connection.readable).text();
      assert.match(
        text,
        /^HTTP\/1\.1 200 .*\r\n[^]*keep-alive: timeout=1\r\n[^]*\["ahead","visited"\]\r\n0\r\n\r\n$/i,
      );
    });
  });
}
