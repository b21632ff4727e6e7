import assert from "node:assert/strict";
import { join } from "node:path";
import { starterFiles } from "../templates/starter_files.ts";
import { VERSION } from "../version.ts";
import type { Finding } from "../doctor/checks.ts";
import { framework, platformFile, withProject } from "../../tests/support/command_line.ts";

const page = "export default function Page() { return null; }\n";

function installed(versions: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(versions).map(([name, version]) => [
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, version }),
    ]),
  );
}

const tools = installed({
  hono: "4.0.0",
  kysely: "0.29.0",
  esbuild: "0.28.1",
  miniflare: "4.20260730.0",
  workerd: "1.20260730.1",
  wrangler: "4.116.0",
  typescript: "6.0.3",
  "@framework/auth": VERSION,
});

const healthy = {
  ...tools,
  "app/page.tsx": page,
  "wrangler.jsonc": platformFile.replace(
    '{"binding":"DB"}',
    '{"binding":"DB","database_name":"app","database_id":"5d0a"}',
  ),
  "migrations/0001_auth.sql": starterFiles["migrations/0001_auth.sql"]!,
  ".dev.vars.example": "AUTH_SECRET=\n",
  ".dev.vars": `AUTH_SECRET=${"s".repeat(32)}\n`,
};

async function findings(root: string): Promise<[number, Map<string, Finding>, string]> {
  const { code, stdout, stderr } = await framework(root, "doctor", "--json");
  const found = JSON.parse(stdout) as Finding[];
  return [code, new Map(found.map((finding) => [finding.check, finding])), stdout + stderr];
}

Deno.test("doctor of a project in order finds nothing to fix", () =>
  withProject(healthy, async (root) => {
    await framework(root, "migrate", "up");
    const [code, found] = await findings(root);
    assert.deepEqual([...found.values()].filter(({ status }) => status !== "ok"), []);
    assert.equal(code, 0);
    assert.equal(found.get("migrations")?.message, "1 applied locally");
    assert.match(found.get("auth schema")?.message ?? "", /^version \d+$/);
    const { stdout } = await framework(root, "doctor", "--quiet");
    assert.equal(stdout, "");
  }));

Deno.test("doctor says what is wrong and what to do, and is exit 1", () =>
  withProject({
    ...healthy,
    "app/page.tsx": "export const nothing = 1;\n",
    "wrangler.jsonc": platformFile.replace("2026-07-01", "2026-08-07"),
    "node_modules/@framework/auth/package.json": '{"version":"0.0.1"}',
    ".dev.vars": "AUTH_SECRET=short\n",
    ".git/HEAD": "",
    "package-lock.json": "",
  }, async (root) => {
    await Deno.remove(join(root, "node_modules/miniflare"), { recursive: true });
    await Deno.remove(join(root, "node_modules/wrangler"), { recursive: true });
    const [code, found] = await findings(root);
    assert.equal(code, 1);
    const expected: [string, Finding["status"], RegExp][] = [
      ["miniflare", "problem", /Run `npm install -D miniflare`/],
      ["wrangler", "warning", /Run `npm install -D wrangler`/],
      ["@framework/auth", "warning", /Install the same version/],
      ["compatibility date", "problem", /Set compatibility_date to 2026-08-06/],
      ["database", "warning", /npx wrangler d1 create DB/],
      ["migrations", "warning", /framework migrate up/],
      ["routes", "problem", /framework lint/],
      ["AUTH_SECRET", "problem", /framework secret --force/],
      [".dev.vars", "warning", /\.gitignore/],
    ];
    for (const [check, status, fix] of expected) {
      assert.equal(found.get(check)?.status, status, check);
      assert.match(found.get(check)?.fix ?? "", fix);
    }
    const { stdout } = await framework(root, "doctor");
    assert.match(stdout, /^✗ miniflare {2,}not installed \(for framework dev\)\n {2,}Run `npm/m);
  }));

// Tracks: A-06
Deno.test("doctor asks for a session cookie that no other host of the site can plant", async () => {
  function config(cookies: string): string {
    return `import { defineAuthConfig } from "@framework/auth/convention";\n` +
      `export default defineAuthConfig(() => ({ ${cookies} }));\n`;
  }
  const written: [string | null, Finding["status"] | undefined][] = [
    [null, undefined],
    [config(""), "warning"],
    [config("// hostOnly: true\n"), "warning"],
    [config("cookies: { sessionToken: { hostOnly: false } }"), "warning"],
    [config("cookies: { sessionToken: { hostOnly: true } }"), "ok"],
    [config('cookies: { sessionToken: { name: "__Host-session" } }'), "ok"],
  ];
  for (const [text, status] of written) {
    const files = text === null ? healthy : { ...healthy, "app/auth/config.ts": text };
    await withProject(files, async (root) => {
      const [, found] = await findings(root);
      assert.equal(found.get("session cookie")?.status, status, String(text));
      if (status === "warning") assert.match(found.get("session cookie")!.fix!, /hostOnly: true/);
    });
  }
});

Deno.test("doctor goes on after a file that cannot be read", () =>
  withProject({ ...healthy, "wrangler.jsonc": '{\n  "name": }' }, async (root) => {
    const [code, found] = await findings(root);
    assert.equal(code, 1);
    assert.match(found.get("platform file")?.message ?? "", /^wrangler\.jsonc:2:11: /);
    assert.equal(found.get("routes")?.status, "ok");
  }));

Deno.test("doctor lists the packages although the configuration cannot be read", () =>
  withProject({
    ...healthy,
    "framework.config.ts": 'import "left-pad";\nexport default {};\n',
  }, async (root) => {
    await Deno.remove(join(root, "node_modules/esbuild"), { recursive: true });
    const [code, found] = await findings(root);
    assert.equal(code, 1);
    assert.match(found.get("configuration")?.message ?? "", /esbuild is not installed/);
    assert.equal(found.get("esbuild")?.status, "problem");
    assert.equal(found.get("hono")?.status, "ok");
  }));

Deno.test("doctor names the bindings, and those that do not work locally", () =>
  withProject(healthy, async (root) => {
    const [, found] = await findings(root);
    assert.equal(found.get("bindings")?.message, "DB");
    assert.equal(found.get("compatibility flags")?.message, "nodejs_compat");
    await Deno.writeTextFile(
      join(root, "wrangler.jsonc"),
      healthy["wrangler.jsonc"].replace("{", '{"ai":{"binding":"AI"},'),
    );
    const [, remote] = await findings(root);
    assert.match(remote.get("bindings")?.message ?? "", /^ai of wrangler\.jsonc do not work/);
  }));

Deno.test("doctor finds a pending migration whose number another one has", () =>
  withProject({ ...healthy, "migrations/0002_a.sql": "CREATE TABLE a (x);" }, async (root) => {
    await framework(root, "migrate", "up");
    await Deno.writeTextFile(join(root, "migrations/0002_b.sql"), "CREATE TABLE b (x);");
    const [, found] = await findings(root);
    assert.match(found.get("migrations")?.message ?? "", /^0002_b\.sql has the number of another/);
    await framework(root, "migrate", "up");
    assert.equal((await findings(root))[1].get("migrations")?.status, "ok");
  }));

// Tracks: AB-14
Deno.test("doctor finds migrations that were changed, and an older schema", () =>
  withProject({
    ...healthy,
    "migrations/0001_auth.sql": "CREATE TABLE auth_schema (version INTEGER);\n" +
      "INSERT INTO auth_schema VALUES (0);\n",
  }, async (root) => {
    await framework(root, "migrate", "up");
    await Deno.writeTextFile(join(root, "migrations/0001_auth.sql"), "SELECT 1;");
    const [, found] = await findings(root);
    assert.match(found.get("migrations")?.message ?? "", /0001_auth\.sql \(changed\)/);
    assert.match(found.get("migrations")?.fix ?? "", /`framework migrate reset --local --force`/);
    assert.match(
      found.get("auth schema")?.message ?? "",
      /have version 0, but this version of the library uses/,
    );
  }));

// Tracks: F48, OP-06
Deno.test("doctor tells tables of later versions that this one may use from those that it may not", async () => {
  for (const [compatible, status] of [[1, "ok"], [9, "problem"]] as const) {
    await withProject({
      ...healthy,
      "migrations/0001_auth.sql":
        "CREATE TABLE auth_schema (version INTEGER, compatible INTEGER, key TEXT);\n" +
        `INSERT INTO auth_schema VALUES (9, ${compatible}, 'k');\n`,
    }, async (root) => {
      await framework(root, "migrate", "up");
      const [, found] = await findings(root);
      const schema = found.get("auth schema");
      assert.equal(schema?.status, status);
      assert.match(schema?.message ?? "", status === "ok" ? /version 9/ : /version 9 or later/);
    });
  }
});

// Tracks: F46
Deno.test("doctor shows no secret, whatever is wrong", () =>
  withProject({
    ...healthy,
    "wrangler.jsonc": platformFile.replace(
      "{",
      '{"vars":{"A":"canary-1"},"account_id":["canary-2"],',
    ),
    ".dev.vars": "AUTH_SECRET=canary-3\nOTHER='canary-4'\n",
  }, async (root) => {
    const [, , text] = await findings(root);
    const { stdout, stderr } = await framework(root, "doctor", "--verbose");
    assert.equal((text + stdout + stderr).includes("canary"), false);
  }));

// Tracks: AB-18
Deno.test("doctor compares queues, cron jobs and durable objects with the platform's file", async () => {
  const files = {
    ...healthy,
    "app/queues/mails.ts": "export function queue() {}\n",
    "app/cron/nightly.ts": 'export const schedule = "0 3 * * *";\nexport function scheduled() {}\n',
    "app/objects/room.ts": "export class Room {}\n",
  };
  await withProject(files, async (root) => {
    const [code, found] = await findings(root);
    assert.equal(code, 2);
    const { status, message, fix } = found.get("background work")!;
    assert.equal(status, "problem");
    assert.equal(message.split("\n").length, 3);
    for (const lacking of ["queues", "triggers", "durable_objects", "migrations"]) {
      assert.ok(fix?.includes(`"${lacking}": `), fix);
    }
  });
  const lines = {
    queues: { consumers: [{ queue: "mails" }] },
    triggers: { crons: ["0 3 * * *"] },
    ["durable_objects"]: { bindings: [{ name: "ROOM", ["class_name"]: "Room" }] },
    migrations: [{ tag: "v1", ["new_sqlite_classes"]: ["Room"] }],
  };
  const whole = { ...JSON.parse(healthy["wrangler.jsonc"]), ...lines };
  await withProject({ ...files, "wrangler.jsonc": JSON.stringify(whole) }, async (root) => {
    const [, found] = await findings(root);
    const { status, message } = found.get("background work")!;
    assert.deepEqual([status, message], ["ok", "queue mails, cron nightly, object Room"]);
  });
});

const unbound = {
  ...healthy,
  ".dev.vars.example": "AUTH_SECRET=\n# MAIL_URL=\n",
  "app/queues/mails.ts": "export function queue() {}\n",
  "app/queues/audit-log.ts": "export function queue() {}\n",
  "app/cron/nightly.ts": 'export const schedule = "0 3 * * *";\nexport function scheduled() {}\n',
  "app/objects/room.ts": "export class Room {}\n",
  "app/_server/read.ts": `export async function read({ env }) {
  env.AUDIT_LOG.sendBatch([]);
  env.FILES.createMultipartUpload("a");
  env.ROOM.getByName("a");
  env.SESSIONS.getWithMetadata("a");
  await env.MAILS.send({});
  return import.meta.env.MODE + env.OPTIONAL?.get("a") + env.GREETING + env.MAIL_URL + env.AI_KEY;
}
`,
  "wrangler.jsonc": `{
  // The worker.
  "name": "app",
  "compatibility_date": "2026-07-01",
  "compatibility_flags": [
    "global_fetch_strictly_public", // as before
  ],
  "vars": { "GREETING": "hello" },
}
`,
};

// Tracks: AB-18
Deno.test("doctor finds every missing binding at once, and --fix writes them", () =>
  withProject(unbound, async (root) => {
    const file = join(root, "wrangler.jsonc");
    const [, before] = await findings(root);
    assert.match(before.get("platform file")?.fix ?? "", /"nodejs_compat"/);

    const { code, stdout, stderr } = await framework(root, "doctor", "--fix");
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      '✓ Added to compatibility_flags of wrangler.jsonc: "nodejs_compat"',
      '✓ Added to queues.consumers of wrangler.jsonc: { "queue": "audit-log" }',
      '✓ Added to queues.consumers of wrangler.jsonc: { "queue": "mails" }',
      '✓ Added to triggers.crons of wrangler.jsonc: "0 3 * * *"',
      '✓ Added to durable_objects.bindings of wrangler.jsonc: { "name": "ROOM", "class_name": "Room" }',
      '✓ Added to migrations of wrangler.jsonc: { "tag": "v1", "new_sqlite_classes": ["Room"] }',
      '✓ Added to d1_databases of wrangler.jsonc: { "binding": "DB", "database_name": "app" }',
      '✓ Added to queues.producers of wrangler.jsonc: { "binding": "AUDIT_LOG", "queue": "audit-log" }',
      '✓ Added to r2_buckets of wrangler.jsonc: { "binding": "FILES", "bucket_name": "app-files" }',
      '✓ Added to kv_namespaces of wrangler.jsonc: { "binding": "SESSIONS" }',
      '✓ Added to queues.producers of wrangler.jsonc: { "binding": "MAILS", "queue": "mails" }',
    ]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^! missing variables +app\/_server\/read\.ts:7 needs AI_KEY, which/m);
    assert.doesNotMatch(stdout, /OPTIONAL|MODE|MAIL_URL|missing bindings/);
    const text = Deno.readTextFileSync(file);
    assert.equal(
      text,
      `{
  // The worker.
  "name": "app",
  "compatibility_date": "2026-07-01",
  "compatibility_flags": [
    "global_fetch_strictly_public", // as before
    "nodejs_compat",
  ],
  "vars": { "GREETING": "hello" },
  "queues": {
    "consumers": [{ "queue": "audit-log" }, { "queue": "mails" }],
    "producers": [
      { "binding": "AUDIT_LOG", "queue": "audit-log" },
      { "binding": "MAILS", "queue": "mails" }
    ]
  },
  "triggers": { "crons": ["0 3 * * *"] },
  "durable_objects": { "bindings": [{ "name": "ROOM", "class_name": "Room" }] },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }],
  "d1_databases": [{ "binding": "DB", "database_name": "app" }],
  "r2_buckets": [{ "binding": "FILES", "bucket_name": "app-files" }],
  "kv_namespaces": [{ "binding": "SESSIONS" }],
}
`,
    );

    const again = await framework(root, "doctor", "--fix");
    assert.equal(again.stderr, "No binding is missing.\n");
    assert.equal(Deno.readTextFileSync(file), text);
  }));

// Tracks: AB-18
Deno.test("doctor says at once which bindings the code needs, with the lines to add", () =>
  withProject({
    ...unbound,
    "wrangler.jsonc": unbound["wrangler.jsonc"].replace(
      '"global_fetch_strictly_public", // as before',
      '"nodejs_compat"',
    ),
  }, async (root) => {
    const [code, found] = await findings(root);
    assert.equal(code, 2);
    const { message, fix } = found.get("missing bindings")!;
    assert.deepEqual(message.split("\n"), [
      "migrations/0001_auth.sql needs DB, which wrangler.jsonc does not declare",
      "app/_server/read.ts:2 needs AUDIT_LOG, which wrangler.jsonc does not declare",
      "app/_server/read.ts:3 needs FILES, which wrangler.jsonc does not declare",
      "app/_server/read.ts:5 needs SESSIONS, which wrangler.jsonc does not declare",
      "app/_server/read.ts:6 needs MAILS, which wrangler.jsonc does not declare",
    ]);
    assert.match(fix!, /^Add to r2_buckets of wrangler\.jsonc: \{ "binding": "FILES", /m);
    assert.match(fix!, /\nOr run `framework doctor --fix`, which writes what is to be added\.$/);
    assert.equal(found.get("background work")?.message.split("\n").length, 4);
    assert.match(found.get("background work")!.fix!, /doctor --fix/);
    assert.equal(Deno.readTextFileSync(join(root, "wrangler.jsonc")).includes("d1_"), false);
  }));

Deno.test("doctor --fix leaves a file alone that it cannot complete", () =>
  withProject({
    ...unbound,
    "wrangler.jsonc": '{ "name": "app", "compatibility_flags": ["nodejs_compat"], ' +
      '"compatibility_date": "2026-07-01", "triggers": [] }',
  }, async (root) => {
    const text = Deno.readTextFileSync(join(root, "wrangler.jsonc"));
    const { code, stderr } = await framework(root, "doctor", "--fix");
    assert.equal(code, 1);
    assert.match(stderr, /^error: wrangler\.jsonc: triggers\.crons is not a list\.\nhint: /);
    assert.equal(Deno.readTextFileSync(join(root, "wrangler.jsonc")), text);
  }));

Deno.test("doctor asks for the database of context.db, and --fix writes it", () =>
  withProject({
    "package.json": "{}",
    "wrangler.jsonc": `{
  "name": "app",
  "compatibility_date": "2026-07-01",
  "compatibility_flags": ["nodejs_compat"],
}
`,
    "app/page.tsx": "export default () => <p>context.db</p>; // context.db\n",
    "app/notes/page.tsx": `import type { LoaderArgs } from "@framework/cli/runtime";
export const loader = ({ context }: LoaderArgs) =>
  context.db.selectFrom("notes").selectAll().execute();
export default () => <p>notes</p>;
`,
  }, async (root) => {
    const [, found] = await findings(root);
    const { message, fix } = found.get("missing bindings")!;
    assert.equal(message, "app/notes/page.tsx:3 needs DB, which wrangler.jsonc does not declare");
    assert.match(fix ?? "", /d1_databases of wrangler\.jsonc: \{ "binding": "DB"/);
    const { stderr } = await framework(root, "doctor", "--fix");
    assert.match(stderr, /Added to d1_databases of wrangler\.jsonc: \{ "binding": "DB", /);
    assert.equal((await findings(root))[1].get("missing bindings"), undefined);
  }));

Deno.test("doctor tells buckets from key-value namespaces by options and names, and asks where neither tells", () =>
  withProject({
    ...healthy,
    "app/_server/files.ts": `export async function files({ env }, file, SETTINGS) {
  await env.PICTURES.put("a", file);
  await env.A.put("a", await file.arrayBuffer(), { httpMetadata: { contentType: "image/png" } });
  await env.B.put("a", "b", { expirationTtl: 60 });
  await env.C.head("a");
  await env.APP_KV.get("a");
  await env.THINGS.get("a");
  env.ROOM.get(env.ROOM.idFromName("a"));
  return env.SITE_NAME.list;
}
`,
  }, async (root) => {
    const [code, found] = await findings(root);
    assert.equal(code, 1);
    const { message, fix } = found.get("missing bindings")!;
    assert.match(message, /files\.ts:2 needs PICTURES[^]*files\.ts:7 needs THINGS, which wrangler/);
    assert.doesNotMatch(message, /SITE_NAME/);
    assert.match(
      found.get("missing variables")!.message,
      /:8 needs ROOM, which nothing[^]*:9 needs SITE_NAME, which nothing/,
    );
    assert.ok(
      fix!.endsWith(
        'Add, for files, to r2_buckets of wrangler.jsonc: { "binding": "THINGS", "bucket_name": "app-things" }\n' +
          'or, for small values, to kv_namespaces of wrangler.jsonc: { "binding": "THINGS" }',
      ),
      fix,
    );
    const { stderr } = await framework(root, "doctor", "--fix");
    assert.deepEqual(
      [...stderr.matchAll(/Added to (\w+) of \S+ \{ "binding": "(\w+)"/g)].map(([, list, name]) =>
        `${list} ${name}`
      ),
      [
        "r2_buckets PICTURES",
        "r2_buckets A",
        "kv_namespaces B",
        "r2_buckets C",
        "kv_namespaces APP_KV",
      ],
      stderr,
    );
  }));

const onPostgres = {
  "app/page.tsx": page,
  "app/_tables.ts": "export const tables = (env) => env.DB.prepare('');\n",
  "framework.config.ts": `export default { database: { dialect: "postgres" } };\n`,
  "wrangler.jsonc": platformFile,
  "migrations/0001_auth.sql": starterFiles["migrations/0001_auth.sql"]!,
};

Deno.test("doctor finds a D1 database and migrations of SQLite in a project whose database is PostgreSQL", () =>
  withProject(onPostgres, async (root) => {
    const [code, found] = await findings(root);
    assert.equal(code, 1);
    const bindings = found.get("bindings");
    assert.equal(bindings?.status, "problem");
    assert.match(
      bindings!.message,
      /declares D1 databases \(DB\), but the project's is PostgreSQL/,
    );
    assert.match(bindings!.fix ?? "", /^Remove "d1_databases"/);
    const migrations = found.get("migrations");
    assert.equal(migrations?.status, "problem");
    assert.match(migrations!.message, /^0001_auth\.sql:\d+: the file is written for SQLite/);
    assert.match(migrations!.fix ?? "", /^Run `framework generate auth`/);
  }));

Deno.test("doctor --fix declares no D1 database for PostgreSQL", async () => {
  const { d1_databases: _, ...without } = JSON.parse(platformFile);
  const files = { ...onPostgres, "wrangler.jsonc": JSON.stringify(without) };
  await withProject(files, async (root) => {
    const { stderr } = await framework(root, "doctor", "--fix");
    assert.match(stderr, /No binding is missing\./);
    const [, found] = await findings(root);
    assert.equal(found.get("bindings")?.message, "none");
    assert.equal(found.has("missing bindings"), false);
  });
});
