import { loadManifest, scanApp } from "@framework/cli/project";
import { createApplication } from "@framework/cli/runtime";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createFixtureApp } from "./fixture_app.ts";
import { runFramework, startFramework, until } from "./framework.ts";

const fixture = fileURLToPath(new URL("./conventions", import.meta.url));

/** The application of the folder `conventions`, running. */
interface Running extends AsyncDisposable {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** The same application as each engine runs it. */
const engines: Record<string, () => Promise<Running>> = {
  "in process": startInProcess,
  "under build": startBuilt,
  "under dev": startDev,
};

async function startInProcess(): Promise<Running> {
  const manifest = await loadManifest(await scanApp(join(fixture, "app")), {
    database: "DB",
    importModule: (file) => import(pathToFileURL(file).href),
  });
  const { worker } = createApplication(manifest, { onError: () => {} });
  return {
    fetch: (path, init) => worker.fetch(new Request(new URL(path, "http://localhost"), init), {}),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function readFixture(): Record<string, string> {
  const entries = readdirSync(fixture, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(fixture.length + 1), readFileSync(path, "utf8")];
    }),
  );
}

async function startBuilt(): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await createFixtureApp(readFixture()));
  const built = await runFramework(app.root, "build");
  assert.equal(built.code, 0, built.stderr);
  const platform = JSON.parse(readFileSync(join(app.root, "dist/wrangler.json"), "utf8"));
  const miniflare = new Miniflare({
    cf: false,
    handleStructuredLogs: () => {},
    workers: [{
      name: platform.name,
      modules: [{ type: "ESModule", path: join(app.root, "dist", platform.main) }],
      modulesRoot: join(app.root, "dist"),
      compatibilityDate: platform["compatibility_date"],
      compatibilityFlags: platform["compatibility_flags"],
      kvNamespaces: ["LOG"],
      queueProducers: { MAILS: { queueName: "mails" } },
      queueConsumers: { mails: { maxBatchTimeout: 0 } },
      durableObjects: { COUNTER: { className: "Counter", useSQLite: true } },
    }],
    unsafeTriggerHandlers: true,
  });
  stack.defer(() => miniflare.dispose());
  const { origin } = await miniflare.ready;
  return running(origin, stack.move());
}

async function startDev(): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await createFixtureApp(readFixture()));
  const child = startFramework(app.root, "dev", "--port", "0");
  stack.defer(async () => void await child.stop());
  const [, origin] = await child.waitFor(/ready at (http:\S+)/);
  return running(origin!, stack.move());
}

function running(origin: string, stack: AsyncDisposableStack): Running {
  return {
    fetch: (path, init) => fetch(new URL(path, origin), { redirect: "manual", ...init }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const json = { method: "POST", headers: { "content-type": "application/json" } };

function logged(app: Running, key: string): Promise<string> {
  return until(async () => {
    const response = await app.fetch(`/jobs?key=${encodeURIComponent(key)}`);
    return (await response.json()).value;
  }, (value) => value !== null);
}

const asBrowser = { headers: { accept: "text/html" } };

for (const [engine, start] of Object.entries(engines)) {
  Deno.test(`every convention works ${engine}`, {
    sanitizeOps: false,
    sanitizeResources: false,
  }, async (test) => {
    await using app = await start();
    const get = async (path: string): Promise<{ status: number; text: string }> => {
      const response = await app.fetch(path, asBrowser);
      return { status: response.status, text: await response.text() };
    };

    for (
      const [path, status, text] of [
        ["/shop/1", 200, /Site<\/header><main class="shop"><p>Item 1<\/p>/],
        ["/shop/none", 404, /Site<\/header><main class="shop"><p>shop: not found<\/p>/],
        ["/shop/secret", 403, /<main class="shop"><p>shop: not you, secret<\/p>/],
        ["/shop/mine", 401, /Site<\/header><p>site: sign in<\/p>/],
        ["/shop/broken", 500, /Site<\/header><p>error 500 INTERNAL_ERROR /],
        ["/nothing/at/all", 404, /<title>Nothing here<\/title>.*<p>site: not found<\/p>/],
      ] as const
    ) {
      await test.step(`${path} is answered with ${status} by the nearest page`, async () => {
        const answer = await get(path);
        assert.equal(answer.status, status);
        assert.match(answer.text, text);
        assert.equal(
          answer.text.includes("The shelf fell down"),
          engine === "under dev" && status === 500,
        );
      });
    }

    // Tracks: R080
    await test.step("pages carry a policy, and their own one where they export it", async () => {
      for (const path of ["/", "/nothing", "/shop/broken"]) {
        const { headers } = await app.fetch(path, asBrowser);
        assert.match(headers.get("content-security-policy")!, /^default-src 'self'; .*frame-anc/);
        assert.equal(headers.get("x-content-type-options"), "nosniff");
      }
      const { headers } = await app.fetch("/policy", asBrowser);
      assert.match(headers.get("content-security-policy")!, /partner\.example$/);
      assert.equal(headers.get("referrer-policy"), null);
    });

    await test.step("a page with loading.tsx arrives in parts", async () => {
      const { body, status } = await app.fetch("/slow", {
        // Compression would hold the parts back until they fill a block.
        headers: { accept: "text/html", "accept-encoding": "identity" },
      });
      assert.equal(status, 200);
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = (await reader.read()).value ?? "";
      assert.match(text, /<title>Slow<\/title>.*Site<\/header>.*Please wait/);
      assert.doesNotMatch(text, /Ready at last/);
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      assert.match(text, /<p>Ready at last<\/p>.*<script nonce="[^]*<\/body><\/html>/);
    });

    await test.step("getContext() is each request's own", async () => {
      const names = ["ada", "bob", "eve"];
      const answers = names.map(async (name) => await (await app.fetch(`/whoami/${name}`)).json());
      assert.deepEqual(await Promise.all(answers), names);
    });

    // The bindings are the platform's own.
    if (engine === "in process") return;

    await test.step("a queue's messages reach its file, and come again when it says so", async () => {
      for (const text of ["once", "again"]) {
        const response = await app.fetch("/jobs", { ...json, body: JSON.stringify({ text }) });
        assert.equal(response.status, 204);
      }
      assert.equal(await logged(app, "mail:once"), "1");
      assert.equal(await logged(app, "mail:again"), "2");
    });

    await test.step("a durable object keeps its state", async () => {
      const count = async (): Promise<unknown> => await (await app.fetch("/counter", json)).json();
      assert.deepEqual([await count(), await count()], [1, 2]);
    });

    await test.step("a cron job runs when its schedule is due", async () => {
      const due = await app.fetch("/cdn-cgi/handler/scheduled?cron=0+3+*+*+*");
      assert.deepEqual([due.status, await due.text()], [200, "ok"]);
      assert.equal(await logged(app, "cron"), "0 3 * * *");
    });
  });
}
