// deno-lint-ignore-file camelcase -- the names are those of the platform's file.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runWrangler } from "../../cli/tools/run.ts";
import { type PlatformApi, startPlatformApi } from "../support/platform_api.ts";
import { framework, frameworkWith, type Transcript } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";

// The bundler's own process ends a moment after what it was started for.
Deno.test.sanitizer({ ops: false, resources: false });

const platform = {
  name: "shop",
  compatibility_date: "2026-07-30",
  compatibility_flags: ["nodejs_compat"],
  d1_databases: [{ binding: "DB", database_name: "shop", database_id: "shop-id" }],
  vars: { GREETING: "hi" },
  upload_source_maps: true,
};

const files = {
  "app/page.tsx": "export default () => <p>hello</p>;",
  "public/styles.css": "p {}",
  "migrations/0001_a.sql": "CREATE TABLE a (x);",
  "wrangler.jsonc": JSON.stringify(platform),
  ".dev.vars.example": "AUTH_SECRET=\n",
  ".dev.vars": "AUTH_SECRET=0123456789abcdef\n",
};

function deploy(app: FixtureApp, api: PlatformApi, ...args: string[]): Promise<Transcript> {
  return frameworkWith({ cwd: app.root, env: api.env }, "deploy", ...args);
}

Deno.test("deploy uploads the built worker once its secrets are there, under its own name or to the environment that is named, and says where it answers", async () => {
  await using api = startPlatformApi();
  await using app = await createFixtureApp({
    ...files,
    "wrangler.jsonc": JSON.stringify({
      ...platform,
      env: { staging: { vars: { GREETING: "hey" } } },
    }),
  });

  const refused = await deploy(app, api);
  assert.equal(refused.code, 2);
  assert.match(
    refused.stderr,
    /lacks the secret AUTH_SECRET, so nothing was deployed\.\nhint: Run `npx wrangler secret put AUTH_SECRET`\.\n$/,
  );
  assert.deepEqual([...api.uploads.keys()], []);

  api.secrets.set("shop", ["AUTH_SECRET"]);
  const deployed = await deploy(app, api, "--env", "production", "--json");
  const json = JSON.parse(deployed.stdout);
  assert.deepEqual(json, {
    dryRun: false,
    worker: "shop",
    environment: null,
    versionId: json.versionId,
    targets: ["https://shop.test.workers.dev"],
  });
  assert.match(
    deployed.stderr,
    /✓ Deployed shop\n {2}https:\/\/shop\.test\.workers\.dev\n$/,
  );
  assert.deepEqual([...api.uploads.keys()], ["shop"]);
  const bindings = api.uploads.get("shop")?.["bindings"] as { name: string; type: string }[];
  assert.deepEqual(bindings.map(({ name }) => name).sort(), ["DB", "GREETING"]);
  assert.equal(JSON.stringify(bindings).includes("0123456789abcdef"), false);
  const { sources = [] } = api.sourceMaps.get("worker.js.map") ?? {};
  assert.ok(sources.some((source) => source.endsWith("app/page.tsx")), sources.join("\n"));

  // In a push the upload below that the platform refuses is one to a named environment.
  if (inMatrix) {
    // That nothing is to be asked for makes wrangler start once.
    await app.write(".dev.vars.example", "");
    const staging = await deploy(app, api, "-e", "staging");
    assert.equal(staging.code, 0, staging.stderr);
    assert.match(staging.stderr, /warning: The environment staging does not inherit d1_databases/);
    assert.match(
      staging.stderr,
      /✓ Deployed shop-staging\n {2}https:\/\/shop-staging\.test\.workers\.dev\n$/,
    );
    assert.equal(staging.stdout, "");
    assert.deepEqual([...api.uploads.keys()], ["shop", "shop-staging"]);
  }

  const mistyped = await deploy(app, api, "-e", "stagign");
  assert.equal(mistyped.code, 2);
  assert.match(
    mistyped.stderr,
    /no environment "stagign"\. Did you mean "staging"\?\nhint: Environ/,
  );
});

// Tracks: R159
Deno.test("deploy --dry-run shows the plan, asks nobody and leaves nothing behind", async () => {
  await using api = startPlatformApi();
  await using app = await createFixtureApp({
    ...files,
    "app/queues/mails.ts": "export function queue() {}",
    "wrangler.jsonc": JSON.stringify({
      ...platform,
      queues: { consumers: [{ queue: "mails" }] },
      env: {
        production: {
          name: "shop-live",
          kv_namespaces: [{ binding: "KV", id: "kv-id" }],
          queues: { consumers: [{ queue: "mails" }] },
        },
      },
    }),
  });
  // Without wrangler nothing can reach the platform: no request, and not even the attempt at one.
  await app.remove("node_modules/wrangler");
  const run = await deploy(app, api, "--dry-run", "--json");
  assert.equal(run.code, 0, run.stderr);
  const plan = JSON.parse(run.stdout);
  assert.ok(plan.size.gzipBytes > 0 && plan.size.gzipBytes < plan.size.bytes);
  delete plan.size;
  assert.deepEqual(plan, {
    dryRun: true,
    worker: "shop-live",
    environment: "production",
    bindings: [{ kind: "kv_namespaces", name: "KV", target: "kv-id" }],
    background: { crons: [], consumers: ["mails"], objects: [] },
    secrets: ["AUTH_SECRET"],
    routes: 1,
    assets: { files: 1, bytes: 4 },
    migrations: { folder: "migrations", files: 1, pendingLocally: ["0001_a.sql"] },
  });
  assert.deepEqual(api.requests, []);
  assert.equal(existsSync(join(app.root, "dist")), false);
  assert.equal(existsSync(join(app.root, ".framework/preview")), false);
  assert.equal(existsSync(join(app.root, ".wrangler")), false);
});

// Tracks: AB-18
Deno.test("deploy --dry-run lists crons, consumers of queues and migrations of objects", async () => {
  await using app = await createFixtureApp({
    ...files,
    "app/queues/mails.ts": "export function queue() {}",
    "app/cron/nightly.ts":
      'export const schedule = ["0 3 * * *", "0 4 * * *"];\nexport function scheduled() {}',
    "app/objects/room.ts": "export class Room {}",
    "wrangler.jsonc": JSON.stringify({
      ...platform,
      queues: {
        consumers: [{ queue: "mails" }],
        producers: [{ queue: "mails", binding: "MAILS" }],
      },
      triggers: { crons: ["0 3 * * *", "0 4 * * *"] },
      durable_objects: { bindings: [{ name: "ROOM", class_name: "Room" }] },
      migrations: [
        { tag: "v1", new_sqlite_classes: ["Lobby", "Old"] },
        { tag: "v2", renamed_classes: [{ from: "Lobby", to: "Room" }], deleted_classes: ["Old"] },
      ],
    }),
  });
  const shown = await framework(app.root, "deploy", "--dry-run");
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^crons {8}0 3 \* \* \*\n {13}0 4 \* \* \*$/m);
  assert.match(shown.stdout, /^consumers {4}queue mails$/m);
  assert.match(
    shown.stdout,
    /^objects {6}v1 {2}creates Lobby, creates Old\n {13}v2 {2}renames Lobby to Room, deletes with all its data Old$/m,
  );
});

Deno.test("deploy refuses an example where a secret belongs", async () => {
  await using app = await createFixtureApp({
    ...files,
    ".dev.vars.example": "AUTH_SECRET=change-me-to-32-random-bytes\n",
    "wrangler.jsonc": JSON.stringify({
      ...platform,
      vars: { AUTH_SECRET: "change-me-to-32-random-bytes" },
    }),
  });
  for (const args of [[], ["--dry-run"]]) {
    const { code, stderr } = await framework(app.root, "deploy", ...args);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /AUTH_SECRET in vars of wrangler\.jsonc is only an example\.\nhint: Remove it there, and run `npx wrangler secret put AUTH_SECRET`/,
    );
    assert.doesNotMatch(stderr, /change-me/);
  }
});

// Tracks: F44
Deno.test("deploy is exit 4 with wrangler's message, and claims nothing", async () => {
  await using api = startPlatformApi();
  await using app = await createFixtureApp({
    ...files,
    ".dev.vars.example": "",
    "wrangler.jsonc": JSON.stringify({
      ...platform,
      env: { staging: { vars: { GREETING: "hey" } } },
    }),
  });
  api.refuse = "Uncaught Error: at the start";
  const refused = await deploy(app, api, "-e", "staging", "--json");
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /wrangler did not deploy the worker: Uncaught Error: at the start/);
  assert.equal(JSON.parse(refused.stdout).error.code, "deploy");
  assert.match(refused.stderr, /warning: The environment staging does not inherit d1_databases/);
  assert.doesNotMatch(refused.stderr, /✓/);
  const uploads = api.requests.filter(({ method }) => method === "PUT");
  assert.deepEqual(uploads.map(({ path }) => path), ["/workers/scripts/shop-staging"]);

  // wrangler tries a while.
  if (inMatrix) {
    const env = { ...api.env, CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:9/client/v4" };
    const gone = await frameworkWith({ cwd: app.root, env }, "deploy");
    assert.equal(gone.code, 4);
    assert.match(gone.stderr, /error: wrangler did not deploy the worker: fetch failed/);
  }

  const anonymous = {
    ...api.env,
    CLOUDFLARE_API_TOKEN: "",
    HOME: app.root,
    XDG_CONFIG_HOME: app.root,
    // Where Deno keeps what it has compiled of wrangler, which is else found below HOME.
    XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "", ".cache"),
  };
  const denied = await frameworkWith({ cwd: app.root, env: anonymous }, "deploy");
  assert.equal(denied.code, 4);
  assert.match(denied.stderr, /hint: Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN/);
  assert.doesNotMatch(denied.stderr, /--temporary/);
});

Deno.test("deploy is exit 3 for a build that fails, 2 without wrangler, and asks nobody in either case", async () => {
  await using api = startPlatformApi();
  await using app = await createFixtureApp({
    ...files,
    "app/page.tsx": "export default () => <p>;",
  });
  assert.equal((await deploy(app, api)).code, 3);
  await app.remove("node_modules/wrangler");
  const { code, stderr } = await deploy(app, api);
  assert.equal(code, 2);
  assert.match(stderr, /wrangler is not installed[\s\S]*hint: Run `/);
  assert.deepEqual(api.requests, []);
});

// That the file says so is held by cli/platform/platform_production_test.ts.
if (inMatrix) {
  Deno.test("wrangler uploads the worker alone, not what build --analyze writes beside it", async () => {
    // Tracks: AB-15
    await using app = await createFixtureApp({ ...files, "public/about.html": "<p>about</p>" });
    assert.equal((await framework(app.root, "build", "--analyze")).code, 0);
    assert.equal(existsSync(join(app.root, "dist/analysis.html")), true);
    const uploaded = await runWrangler(
      ["deploy", "--dry-run", "--outdir", "uploaded", "--config", "dist/wrangler.json"],
      {
        root: app.root,
        env: { ...Deno.env.toObject(), WRANGLER_SEND_METRICS: "false" },
        signal: new AbortController().signal,
      },
    );
    assert.equal(uploaded.code, 0, uploaded.stderr);
    const names = [...Deno.readDirSync(join(app.root, "uploaded"))].map(({ name }) => name);
    assert.deepEqual(names.filter((name) => /\.(html|json)$/.test(name)), []);
    assert.doesNotMatch(uploaded.stdout, /analysis|about/);
  });
}
