import { authSchema } from "@framework/auth/storage";
import { createTestContext } from "@framework/testing";
import { sql } from "kysely";
import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free_port.ts";
import { buildServer, type ServerRuntime, startServer } from "./built_server.ts";
import type { FixtureApp } from "./fixture_app.ts";
import { framework } from "../support/command_line.ts";
import { startFramework } from "./framework.ts";
import { createPackedApp } from "./packed_app.ts";

const fixture = fileURLToPath(new URL("./conventions", import.meta.url));

/** The application of the folder `conventions`, running. */
export interface Running extends AsyncDisposable {
  /** URL of the server; null in a test context. */
  origin: string | null;
  /** Its folder; null in a test context. */
  app: FixtureApp | null;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Makes every read of a session an error from here on; only under build. */
  breakSessions?(): Promise<void>;
}

/** The same application as each engine runs it. */
export const engines: Record<
  | "in process"
  | "in workerd"
  | "under build"
  | "under dev"
  | "on Node 22"
  | "on Node 24"
  | "on Deno",
  () => Promise<Running>
> = {
  "in process": startInProcess,
  "in workerd": startInWorkerd,
  "under build": startBuilt,
  "under dev": startDev,
  "on Node 22": () => startOneServer("Node 22"),
  "on Node 24": () => startOneServer("Node 24"),
  "on Deno": () => startOneServer("Deno"),
};

/** The tables of the authentication, a statement each. */
const tables = authSchema.up.split(/;\s*$/m).filter((statement) => statement.trim() !== "");

async function startInProcess(): Promise<Running> {
  const context = await createTestContext({
    cwd: fixture,
    seed: async (db) => {
      for (const statement of tables) await sql.raw(statement).execute(db);
    },
  });
  return {
    origin: null,
    app: null,
    fetch: (path, init) => context.fetch(path, init),
    [Symbol.asyncDispose]: () => context.cleanup(),
  };
}

async function startInWorkerd(): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await createPackedApp(readFixture()));
  await app.write("migrations/0001_auth.sql", authSchema.up);
  const context = stack.use(await createTestContext({ cwd: app.root, runtime: "workerd" }));
  const rest = stack.move();
  return {
    origin: null,
    app: null,
    fetch: (path, init) => context.fetch(path, init),
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
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

/** Runs what a build of the application wrote. */
async function startBuilt(): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await createPackedApp(readFixture()));
  const { code, stderr } = await framework(app.root, "build");
  assert.equal(code, 0, stderr);
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
      d1Databases: ["DB"],
      kvNamespaces: ["LOG"],
      r2Buckets: ["UPLOADS"],
      queueProducers: { MAILS: { queueName: "mails" } },
      queueConsumers: { mails: { maxBatchTimeout: 0 } },
      durableObjects: {
        COUNTER: { className: "Counter", useSQLite: true },
        LIMITS: { className: "RateLimitObject", useSQLite: true },
      },
      assets: {
        directory: join(app.root, "dist", platform.assets.directory),
        routerConfig: { "has_user_worker": true },
      },
    }],
    unsafeTriggerHandlers: true,
  });
  stack.defer(() => miniflare.dispose());
  const { origin } = await miniflare.ready;
  const database = await miniflare.getD1Database("DB");
  for (const statement of tables) await database.prepare(statement).run();
  return {
    ...running({ origin, app }, stack.move()),
    async breakSessions() {
      const { results } = await database.prepare("SELECT name FROM pragma_table_info('sessions')")
        .all();
      const names = (results as { name: string }[]).map(({ name }) => `json('{') AS ${name}`);
      await database.prepare("DROP TABLE sessions").run();
      await database.prepare(`CREATE VIEW sessions AS SELECT ${names.join(", ")}`).run();
    },
  };
}

/** The application as one server, without the durable objects that only Workers have. */
async function startOneServer(runtime: ServerRuntime): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const files = Object.entries(readFixture())
    .filter(([path]) => !/^app\/(?:objects|counter|limited)\//.test(path));
  const { durable_objects: _objects, migrations: _classes, ...platform } = JSON.parse(
    readFixture()["wrangler.jsonc"]!,
  );
  const app = stack.use(
    await buildServer(runtime, {
      ...Object.fromEntries(files),
      "wrangler.jsonc": JSON.stringify(platform),
    }),
  );
  const port = freePort();
  const origin = `http://localhost:${port}`;
  stack.use(await startServer(runtime, app, { PORT: String(port), BASE_URL: origin }));
  return running({ origin, app }, stack.move());
}

async function startDev(): Promise<Running> {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await createPackedApp(readFixture()));
  await app.write("migrations/0001_auth.sql", authSchema.up);
  const migrated = await framework(app.root, "migrate", "up");
  assert.equal(migrated.code, 0, migrated.stderr);
  const child = startFramework(app.root, "dev", "--port", "0");
  stack.defer(async () => void await child.stop());
  const [, origin] = await child.waitFor(/ready at (http:\S+)/);
  return running({ origin: origin!, app }, stack.move());
}

function running(
  where: { origin: string; app: FixtureApp },
  stack: AsyncDisposableStack,
): Running {
  return {
    ...where,
    fetch: (path, init) => fetch(new URL(path, where.origin), { redirect: "manual", ...init }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
