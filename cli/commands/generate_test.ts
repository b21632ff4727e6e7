import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { postgresSchema } from "@framework/auth/postgres";
import { starterFiles } from "../templates/starter_files.ts";
import { framework, withProject } from "../../tests/support/command_line.ts";

const application = {
  "app/page.tsx": "export default function Home() { return null; }\n",
  "package.json": '{ "devDependencies": { "@framework/testing": "1.0.0" } }',
};

Deno.test("generate writes the file and its test, and says so", () =>
  withProject(application, async (root) => {
    assert.deepEqual(await framework(root, "generate", "page", "/users/:id", "--loader"), {
      code: 0,
      stdout: "",
      stderr: "✓ Created app/users/[id]/page.tsx\n✓ Created tests/users/[id]/page.test.ts\n",
    });
    assert.equal(
      readFileSync(join(root, "app/users/[id]/page.tsx"), "utf8"),
      `import type { LoaderArgs, PageProps } from "@framework/cli/runtime";
import type { JSX } from "hono/jsx/jsx-runtime";

export const metadata = { title: "User" };

/** Loads the page's data on the server; \`context.db\` queries the database. */
export function loader({ params }: LoaderArgs<"/users/[id]">): { id: string } {
  return params;
}

/** The page at \`/users/:id\`. */
export default function UserPage({ data }: PageProps<"/users/[id]">): JSX.Element {
  return (
    <>
      <h1>User</h1>
      <p>{data.id}</p>
    </>
  );
}
`,
    );
    const { stdout } = await framework(root, "routes");
    assert.match(stdout, /^GET {2}\/users\/:id {2}app\/users\/\[id\]\/page\.tsx$/m);
  }));

Deno.test("generate writes no test with --no-test, nor where the project has no test helpers", () =>
  withProject({ "app/page.tsx": application["app/page.tsx"] }, async (root) => {
    const routeOnly = await framework(root, "generate", "route", "api/ping");
    assert.equal(routeOnly.stderr, "✓ Created app/api/ping/route.ts\n");
    writeFileSync(join(root, "package.json"), application["package.json"]);
    const component = await framework(root, "generate", "component", "UserCard", "--no-test");
    assert.equal(component.stderr, "✓ Created app/_components/user_card.tsx\n");
    assert.equal(existsSync(join(root, "tests")), false);
  }));

Deno.test("generate overwrites only with --force", () =>
  withProject(application, async (root) => {
    const refused = await framework(root, "generate", "page", "/");
    assert.deepEqual(refused, {
      code: 1,
      stdout: "",
      stderr: "error: app/page.tsx already exists.\n" +
        "hint: Choose another name, or replace the file with --force.\n",
    });
    assert.deepEqual(readdirSync(root).sort(), ["app", "package.json"]);
    assert.equal(readFileSync(join(root, "app/page.tsx"), "utf8"), application["app/page.tsx"]);
    const forced = await framework(root, "generate", "page", "/", "--force");
    assert.equal(forced.stderr, "✓ Replaced app/page.tsx\n✓ Created tests/page.test.ts\n");
    assert.match(readFileSync(join(root, "app/page.tsx"), "utf8"), /HomePage/);
    assert.deepEqual(readdirSync(join(root, "app")), ["page.tsx"]);
  }));

// Tracks: R159
Deno.test("generate --dry-run --json tells what would be written, and writes nothing", () =>
  withProject(application, async (root) => {
    const { code, stdout, stderr } = await framework(
      root,
      ...["generate", "page", "a", "--dry-run", "--json"],
    );
    assert.deepEqual([code, stderr], [0, ""]);
    assert.deepEqual(JSON.parse(stdout), {
      dryRun: true,
      files: [
        { path: "app/a/page.tsx", action: "create" },
        { path: "tests/a/page.test.ts", action: "create" },
      ],
    });
    assert.deepEqual(readdirSync(root).sort(), ["app", "package.json"]);
    assert.deepEqual(readdirSync(join(root, "app")), ["page.tsx"]);
  }));

// Tracks: R158
Deno.test("generate writes nothing for names that would leave the folder or become code", () =>
  withProject({ "project/app/page.tsx": "", "project/package.json": "{}" }, async (folder) => {
    const root = join(folder, "project");
    for (const type of ["page", "layout", "route", "middleware", "component", "migration"]) {
      for (const name of ["../../x", "a;b", "größe", "x".repeat(300), "/../../x", "a/../../../x"]) {
        const { code, stderr } = await framework(root, "generate", type, name);
        assert.equal(code, 1, `${type} ${name}`);
        assert.match(stderr, /^error: .*\nhint: /);
      }
    }
    assert.deepEqual(readdirSync(folder), ["project"]);
    assert.deepEqual(readdirSync(root).sort(), ["app", "package.json"]);
    assert.deepEqual(readdirSync(join(root, "app")), ["page.tsx"]);
  }));

// Tracks: R158
Deno.test("generate follows no link out of the application's folder, and writes through none", () =>
  withProject({ "project/app/page.tsx": "", "other/keep.ts": "kept" }, async (folder) => {
    const root = join(folder, "project");
    symlinkSync(join(folder, "other"), join(root, "app", "link"));
    const through = await framework(root, "generate", "layout", "link/deep");
    assert.equal(through.code, 1);
    assert.match(through.stderr, /app\/link\/deep\/layout\.tsx would be written outside of app\./);
    assert.deepEqual(readdirSync(join(folder, "other")), ["keep.ts"]);
    mkdirSync(join(root, "app", "a"));
    symlinkSync(join(folder, "other", "keep.ts"), join(root, "app", "a", "layout.tsx"));
    assert.equal((await framework(root, "generate", "layout", "a")).code, 1);
    assert.equal((await framework(root, "generate", "layout", "a", "--force")).code, 0);
    assert.equal(readFileSync(join(folder, "other", "keep.ts"), "utf8"), "kept");
  }));

Deno.test("generate refuses a second route for the same paths", () =>
  withProject({ ...application, "app/users/[id]/page.tsx": "" }, async (root) => {
    for (
      const argv of [["page", "users/[name]"], ["route", "/users/:id"], ["page", "(g)/users/:x"]]
    ) {
      const { code, stderr } = await framework(root, "generate", ...argv);
      assert.equal(code, 1);
      assert.match(stderr, /^error: app\/users\/\[id\]\/page\.tsx answers the same paths as app\//);
    }
  }));

Deno.test("generate action names the group of the page that answers the path", () =>
  withProject({ ...application, "app/(shop)/products/page.tsx": "" }, async (root) => {
    const { code, stderr } = await framework(root, "generate", "action", "products");
    assert.equal(code, 1);
    assert.equal(
      stderr,
      "error: app/(shop)/products/page.tsx answers the same paths as app/products/page.tsx would.\n" +
        "hint: For its action, run `framework generate action '(shop)/products'`.\n",
    );
    assert.equal((await framework(root, "generate", "action", "(shop)/products")).code, 0);
  }));

Deno.test("generate action refuses a prerendered page", () =>
  withProject({
    ...application,
    "app/a/page.tsx": "export const prerender = true;\n",
    "app/b/page.tsx": "export const prerender = false;\n",
  }, async (root) => {
    const { code, stderr } = await framework(root, "generate", "action", "a");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^error: app\/a\/page\.tsx is prerendered, and a file takes no form\.\nhint: /,
    );
    assert.equal((await framework(root, "generate", "action", "b")).code, 0);
  }));

Deno.test("generate refuses what the library would answer in its place, and not its replaceable pages", () =>
  withProject({ ...application, "app/auth/config.ts": "export default {};\n" }, async (root) => {
    for (const argv of [["page", "auth/x"], ["route", "auth/signin"], ["action", "(a)/auth/:id"]]) {
      const { code, stderr } = await framework(root, "generate", ...argv);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        / would never be asked: the library answers all addresses below \/auth\.\n/,
      );
    }
    for (const name of ["auth/signin", "auth", "authors/x"]) {
      assert.equal((await framework(root, "generate", "page", name)).code, 0, name);
    }
    writeFileSync(join(root, "app/auth/config.ts"), 'export default { basePath: "/id" };\n');
    assert.equal((await framework(root, "generate", "page", "auth/x")).code, 0);
  }));

Deno.test("generate gives the props in a test the data of layouts where a layout has a loader", () =>
  withProject({
    ...application,
    "app/(shop)/layout.tsx": "export function loader() { return { cart: 1 }; }\n",
  }, async (root) => {
    const textOf = (path: string) => readFileSync(join(root, path), "utf8");
    await framework(root, "generate", "page", "(shop)/sale", "--loader");
    const page = textOf("tests/(shop)/sale/page.test.ts");
    assert.match(page, /^import type \{ PageProps \} from "@framework\/cli\/runtime";$/m);
    assert.ok(page.includes('layoutData: {} as PageProps<"/(shop)/sale">["layoutData"],'), page);
    await framework(root, "generate", "layout", "(shop)/sale");
    assert.ok(
      textOf("tests/(shop)/sale/layout.test.ts").includes(
        'layoutData: {} as LayoutProps<"/(shop)/sale">["layoutData"],',
      ),
    );
    await framework(root, "generate", "layout", "(shop)", "--force");
    assert.match(textOf("tests/(shop)/layout.test.ts"), /layoutData: \{\}, params/);
    await framework(root, "generate", "page", "plain", "--loader");
    assert.match(textOf("tests/plain/page.test.ts"), /layoutData: \{\}, params/);
  }));

// Tracks: F43
Deno.test("generate leaves nothing behind when a file stands where a folder is needed", () =>
  withProject({ ...application, "tests/a": "a file" }, async (root) => {
    const { code, stderr } = await framework(root, "generate", "page", "a/b");
    assert.equal(code, 1);
    assert.match(stderr, /^error: The files could not be written: /);
    assert.deepEqual(readdirSync(join(root, "app")), ["page.tsx"]);
    assert.equal(readFileSync(join(root, "tests/a"), "utf8"), "a file");
  }));

Deno.test("generate migration writes the two files of a migration", () =>
  withProject(application, async (root) => {
    const { stderr } = await framework(root, "generate", "migration", "add posts");
    assert.equal(
      stderr,
      "✓ Created migrations/0001_add_posts.sql\n✓ Created migrations/down/0001_add_posts.sql\n",
    );
  }));

const withDatabase = {
  "app/page.tsx": application["app/page.tsx"],
  "migrations/0001_posts.sql": "CREATE TABLE posts (id TEXT);\n",
  "wrangler.jsonc": JSON.stringify({
    name: "app",
    compatibility_date: "2026-08-06",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "app", database_id: "app" }],
  }),
};

Deno.test("generate auth writes configuration, roles, a provider and migrations that apply", () =>
  withProject(withDatabase, async (root) => {
    const { code, stderr } = await framework(root, "generate", "auth");
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "✓ Created app/auth/config.ts",
      "✓ Created app/auth/rbac.ts",
      "✓ Created app/auth/providers/passwords.ts",
      "✓ Created migrations/0002_auth.sql",
      "✓ Created migrations/down/0002_auth.sql",
      "✓ Created .dev.vars.example",
      "Next:",
      "  framework secret         writes AUTH_SECRET into .dev.vars",
      "  framework migrate up     makes the tables",
      "Then `framework dev` has accounts: sign up at /auth/signup, with mails in the terminal.",
    ]);
    const up = await framework(root, "migrate", "up");
    assert.equal(up.code, 0, up.stderr);
    const again = await framework(root, "generate", "auth");
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already create the tables of @framework\/auth.*\n.*--upgrade/);
  }));

Deno.test("generate auth says that a project without a database needs one", () =>
  withProject({
    ...withDatabase,
    "wrangler.jsonc": '{ "name": "app", "compatibility_date": "2026-08-06" }',
  }, async (root) => {
    const dry = await framework(root, "generate", "auth", "--dry-run");
    assert.doesNotMatch(dry.stderr, /Next/);
    const { stderr } = await framework(root, "generate", "auth");
    assert.match(
      stderr,
      /\nNext:\n {2}framework doctor --fix {3}declares the database\n {2}framework/,
    );
  }));

const forPostgres = {
  ...application,
  "framework.config.ts": `export default { database: { dialect: "postgres" } };\n`,
};

Deno.test("generate auth writes the tables of SQLite anew for PostgreSQL, and leaves app/auth alone", () =>
  withProject({
    ...forPostgres,
    "app/auth/config.ts": "// mine\n",
    "migrations/0001_auth.sql": starterFiles["migrations/0001_auth.sql"]!,
    "migrations/down/0001_auth.sql": starterFiles["migrations/down/0001_auth.sql"]!,
  }, async (root) => {
    const upgrade = await framework(root, "generate", "auth", "--upgrade");
    assert.equal(upgrade.code, 1);
    assert.match(
      upgrade.stderr,
      /0001_auth\.sql is written for SQLite.*\n.*`framework generate auth`/,
    );
    const { code, stderr } = await framework(root, "generate", "auth");
    assert.equal(code, 0, stderr);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "✓ Changed migrations/0001_auth.sql",
      "✓ Changed migrations/down/0001_auth.sql",
      "Next:",
      "  framework secret         writes AUTH_SECRET into .dev.vars",
      "  framework migrate up     makes the tables",
      "Then the server of `framework build --target node` has accounts: sign up at /auth/signup.",
    ]);
    assert.equal(
      readFileSync(join(root, "migrations/0001_auth.sql"), "utf8"),
      postgresSchema.up,
    );
    assert.equal(
      readFileSync(join(root, "migrations/down/0001_auth.sql"), "utf8"),
      postgresSchema.down,
    );
    const again = await framework(root, "generate", "auth");
    assert.match(again.stderr, /already create the tables of @framework\/auth/);
  }));

Deno.test("generate auth writes the tables alone where app/auth is configured", () =>
  withProject({ ...forPostgres, "app/auth/config.ts": "// mine\n" }, async (root) => {
    const { stderr } = await framework(root, "generate", "auth", "--dry-run");
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "✓ Would create migrations/0001_auth.sql",
      "✓ Would create migrations/down/0001_auth.sql",
    ]);
    const all = await framework(root, "generate", "auth", "--dry-run", "--force");
    assert.match(all.stderr, /Would replace app\/auth\/config\.ts/);
  }));

Deno.test("generate auth replaces no tables of SQLite with statements of one's own beside them, but by --force", () =>
  withProject({
    ...forPostgres,
    "app/auth/config.ts": "// mine\n",
    "migrations/0001_auth.sql": starterFiles["migrations/0001_auth.sql"]! +
      "CREATE TABLE notes (id INTEGER);\n",
  }, async (root) => {
    const file = join(root, "migrations/0001_auth.sql");
    const { code, stderr } = await framework(root, "generate", "auth");
    assert.equal(code, 1);
    assert.match(stderr, /0001_auth\.sql holds more than the tables.*\n.*--force/);
    assert.match(readFileSync(file, "utf8"), /CREATE TABLE notes/);
    const { code: forced } = await framework(root, "generate", "auth", "--force");
    assert.equal(forced, 0);
    assert.equal(readFileSync(file, "utf8"), postgresSchema.up);
  }));

Deno.test("generate auth names the updates of SQLite's tables, which its new ones contain", () =>
  withProject({
    ...forPostgres,
    "migrations/0001_auth.sql": "CREATE TABLE auth_schema (\n  version INTEGER);\n" +
      "INSERT INTO auth_schema (version) VALUES (1);\n",
    "migrations/0002_auth_version_2.sql": "UPDATE auth_schema SET version = 2;\n",
  }, async (root) => {
    const { code, stderr } = await framework(root, "generate", "auth");
    assert.equal(code, 1);
    assert.match(stderr, /are written for SQLite\.\n.*Remove 0002_auth_version_2\.sql/);
  }));

const seeded = {
  ...withDatabase,
  "package.json": '{ "devDependencies": { "@framework/testing": "*" } }',
};

Deno.test("generate seed writes a row into a table of the migrations, and none that it would not take", () =>
  withProject(seeded, async (root) => {
    await framework(root, "generate", "auth");
    const empty = await framework(root, "generate", "seed");
    assert.equal(empty.stderr, "✓ Created seeds/development.ts\n");
    assert.match(
      Deno.readTextFileSync(join(root, "seeds/development.ts")),
      /Kysely<Database>\): Promise<void> \{\n {2}return Promise\.resolve\(\);/,
    );
    Deno.writeTextFileSync(
      join(root, "migrations/0003_tasks.sql"),
      `CREATE TABLE a_keyless (title TEXT NOT NULL);
CREATE TABLE a_of_user (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id));
CREATE TABLE a_word (id TEXT PRIMARY KEY CHECK (length(id) > 20));
CREATE TABLE tasks (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, due TEXT);
`,
    );
    const { code, stderr } = await framework(root, "generate", "seed", "--force");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Created tests\/seeds\/development\.test\.ts/);
    const text = Deno.readTextFileSync(join(root, "seeds/development.ts"));
    assert.match(text, /db\.insertInto\("tasks"\)\.values\(\[\n {4}\{ id: 1, title: "first" \},\n/);
    assert.doesNotMatch(text, /interface|createTable/);
  }));

Deno.test("generate auth --upgrade says that nothing is to do, or what is missing", () =>
  withProject(withDatabase, async (root) => {
    const missing = await framework(root, "generate", "auth", "--upgrade");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /No migration creates the tables/);
    await framework(root, "generate", "auth");
    const current = await framework(root, "generate", "auth", "--upgrade");
    assert.deepEqual(current, {
      code: 0,
      stdout: "",
      stderr: "✓ The tables of @framework/auth are up to date\n",
    });
  }));

Deno.test("generate ci writes the checks that the project's lock file asks for", () =>
  withProject({ ...application, "package-lock.json": "{}" }, async (root) => {
    const github = await framework(root, "generate", "ci", "github");
    assert.equal(github.stderr, "✓ Created .github/workflows/ci.yml\n");
    const text = readFileSync(join(root, ".github/workflows/ci.yml"), "utf8");
    assert.deepEqual([...text.matchAll(/- run: (.*)/g)].map(([, command]) => command), [
      "npm ci",
      "npx framework typecheck",
      "npx framework lint",
      "npx framework test",
      "npx framework build",
    ]);
    await framework(root, "generate", "ci", "gitlab");
    assert.match(readFileSync(join(root, ".gitlab-ci.yml"), "utf8"), /script:\n {4}- npm ci\n/);
  }));

// Tracks: AB-02
Deno.test("generate ci of a project that Deno installs needs no Node", () =>
  withProject({ ...application, "package.json": "{}", "deno.lock": "{}" }, async (root) => {
    await framework(root, "generate", "ci", "github");
    const github = readFileSync(join(root, ".github/workflows/ci.yml"), "utf8");
    assert.match(github, /uses: denoland\/setup-deno@/);
    assert.deepEqual([...github.matchAll(/- run: (.*)/g)].map(([, command]) => command), [
      "deno install --frozen",
      "deno run -A npm:@framework/cli typecheck",
      "deno run -A npm:@framework/cli lint",
      "deno run -A npm:@framework/cli test",
      "deno run -A npm:@framework/cli build",
    ]);
    await framework(root, "generate", "ci", "gitlab");
    const gitlab = readFileSync(join(root, ".gitlab-ci.yml"), "utf8");
    assert.match(
      gitlab,
      /image: denoland\/deno:[\d.]+\n {2}script:\n {4}- deno install --frozen\n/,
    );
    assert.doesNotMatch(github + gitlab, /npm ci|npx|node/);
  }));

const withPlatform = {
  ...application,
  "wrangler.jsonc": `{
  "name": "app", // the worker
  "compatibility_date": "2026-08-06",
  "compatibility_flags": ["nodejs_compat"],
  "durable_objects": {
    "bindings": [
      { "name": "ROOM", "class_name": "Room" },
    ],
  },
  "migrations": [{ "tag": "v1", "new_sqlite_classes": ["Room"] }],
}
`,
};

// Tracks: AB-18
Deno.test("generate queue, cron and object write the file, its test and what the platform's file requires", () =>
  withProject(withPlatform, async (root) => {
    for (
      const [argv, created] of [
        [["queue", "audit-log"], "queues/audit-log"],
        [["cron", "weekly-report", "--schedule", "30 4 * * 1"], "cron/weekly_report"],
        [["object", "ChatRoom"], "objects/chat_room"],
      ] as const
    ) {
      const { code, stderr } = await framework(root, "generate", ...argv);
      assert.equal(code, 0, stderr);
      assert.deepEqual(stderr.trimEnd().split("\n"), [
        `✓ Created app/${created}.ts`,
        `✓ Created tests/${created}.test.ts`,
        "✓ Changed wrangler.jsonc",
      ]);
    }
    assert.equal(
      readFileSync(join(root, "wrangler.jsonc"), "utf8"),
      `{
  "name": "app", // the worker
  "compatibility_date": "2026-08-06",
  "compatibility_flags": ["nodejs_compat"],
  "durable_objects": {
    "bindings": [
      { "name": "ROOM", "class_name": "Room" },
      { "name": "CHAT_ROOM", "class_name": "ChatRoom" },
    ],
  },
  "migrations": [
    { "tag": "v1", "new_sqlite_classes": ["Room"] },
    { "tag": "v2", "new_sqlite_classes": ["ChatRoom"] }
  ],
  "queues": {
    "consumers": [{ "queue": "audit-log" }],
    "producers": [{ "binding": "AUDIT_LOG", "queue": "audit-log" }]
  },
  "triggers": { "crons": ["30 4 * * 1"] },
}
`,
    );
    assert.match(
      readFileSync(join(root, ".framework/types/app.ts"), "utf8"),
      /CHAT_ROOM: DurableObjectNamespace<import\(".*objects\/chat_room\.ts"\)\.ChatRoom>/,
    );
    // A trigger that is there is not written again.
    const again = await framework(root, "generate", "cron", "mondays", "--schedule", "30 4 * * 1");
    assert.doesNotMatch(again.stderr, /wrangler/);
    const refused = await framework(root, "generate", "queue", "audit-log");
    assert.match(refused.stderr, /app\/queues\/audit-log\.ts already exists/);
  }));

Deno.test("generate queue --dry-run changes neither the platform's file nor the folder", () =>
  withProject(withPlatform, async (root) => {
    const { stdout } = await framework(root, "generate", "queue", "mails", "--dry-run", "--json");
    assert.deepEqual(JSON.parse(stdout).files.map(({ action }: { action: string }) => action), [
      "create",
      "create",
      "change",
    ]);
    assert.equal(
      readFileSync(join(root, "wrangler.jsonc"), "utf8"),
      withPlatform["wrangler.jsonc"],
    );
    assert.equal(existsSync(join(root, "app/queues")), false);
  }));

Deno.test("generate action adds the action to a page that is there, once", () =>
  withProject({
    ...application,
    "app/contact/page.tsx": "/** Contact. */\nexport default function Contact() { return null; }\n",
  }, async (root) => {
    const { stderr } = await framework(root, "generate", "action", "contact");
    assert.equal(
      stderr,
      "✓ Changed app/contact/page.tsx\n✓ Created tests/contact/action.test.ts\n",
    );
    assert.equal(
      readFileSync(join(root, "app/contact/page.tsx"), "utf8"),
      `import type { ActionArgs } from "@framework/cli/runtime";
/** Contact. */
export default function Contact() { return null; }

/** Receives the form of this page; the result is \`actionData\` of the component. */
export async function action({ request }: ActionArgs<"/contact">): Promise<{ name: string }> {
  const form = await request.formData();
  return { name: String(form.get("name") ?? "") };
}
`,
    );
    const again = await framework(root, "generate", "action", "contact", "--force");
    assert.equal(again.code, 1);
    assert.match(again.stderr, /app\/contact\/page\.tsx already exports an action\./);
  }));

Deno.test.each([
  [
    "valibot",
    'import { nonEmpty, object, pipe, string } from "valibot";',
    'pipe(string(), nonEmpty("Please',
  ],
  ["zod", 'import { z } from "zod";', 'z.string().min(1, "Please'],
])(
  "generate action writes a schema where the project has $0",
  (library, load, schema) =>
    withProject({
      ...application,
      "package.json": JSON.stringify({
        dependencies: { [library]: "*", "@framework/testing": "*" },
      }),
      "app/contact/page.tsx": `${load}\nexport default function Contact() { return null; }\n`,
    }, async (root) => {
      for (const name of ["contact", "feedback"]) {
        assert.equal((await framework(root, "generate", "action", name)).code, 0);
        const text = readFileSync(join(root, `app/${name}/page.tsx`), "utf8");
        assert.equal(text.split(load).length, 2, text);
        assert.ok(text.includes(`name: ${schema} enter your name.")`), text);
        assert.doesNotMatch(text, /formData/);
        const test = readFileSync(join(root, `tests/${name}/action.test.ts`), "utf8");
        assert.match(test, /createMockContext\(\{ params, input: \{ name: "Ada" \} \}\)/);
      }
    }),
);

Deno.test("generate names error pages and loading.tsx after their place; without a name they are for all pages", () =>
  withProject(application, async (root) => {
    for (
      const [argv, path, name] of [
        [["error"], "error.tsx", "ErrorPage"],
        [["not-found", "/users/:id"], "users/[id]/not-found.tsx", "UserNotFoundPage"],
        [["loading", "reports"], "reports/loading.tsx", "ReportsLoading"],
      ] as const
    ) {
      const { code, stderr } = await framework(root, "generate", ...argv);
      assert.equal(code, 0, stderr);
      const text = readFileSync(join(root, "app", path), "utf8");
      assert.match(text, new RegExp(`export default function ${name}\\(`));
    }
    for (const type of ["layout", "middleware"]) {
      const { code, stdout, stderr } = await framework(root, "generate", type, "--json", "--force");
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`"app/${type}\\.tsx?"`));
    }
  }));

Deno.test.each([
  [["generate", "queue", "Mails"], /"Mails" cannot be used as a queue's name\.\n.*such as mails/],
  [["generate", "object", "../room"], /cannot be used as a durable object's name/],
  [["generate", "seed", "a/b"], /cannot be used as an environment's name/],
  [["generate", "queue"], /The argument <name> is missing\./],
  [["generate", "cron", "nightly", "--schedule", "daily"], /"daily" is not a cron expression/],
  [["generate", "cron", "x", "--schedule", "99 3 * * *"], /--schedule: "99 3.*"99" as its minute/],
  [["generate", "queue", "x", "--schedule", "x"], /--schedule cannot be used with queue/],
  [["generate", "paeg", "x"], /Did you mean "page"\?/],
  [["generate", "route", "x", "--loader"], /The option --loader cannot be used with route\./],
  [
    ["generate", "migration", "x", "--dry-run"],
    /The option --dry-run cannot be used with migration\./,
  ],
  [["generate", "page"], /The argument <name> is missing\./],
  [["generate", "ci"], /The argument <name> is missing\.\n.*github or gitlab/],
  [["generate", "ci", "jenkins"], /CI file for "jenkins" is not supported\.\n.*github, gitlab/],
  [["generate", "auth", "x"], /takes no name/],
  [["generate", "page", "x", "--upgrade"], /The option --upgrade cannot be used with page\./],
])("framework %o is a usage error", async (argv, message) => {
  const { code, stderr } = await framework("/", ...argv);
  assert.equal(code, 1);
  assert.match(stderr, message);
});

Deno.test("generate guards writes the test of all guards, where a new route without a middleware becomes public", () =>
  withProject({
    ...application,
    "app/users/[id]/page.tsx": application["app/page.tsx"],
    "app/files/[...file-path]/route.ts": "export const GET = () => null;\n",
    "app/admin/middleware.ts": "export const middleware = (_, next) => next();\n",
  }, async (root) => {
    const file = join(root, "tests/guarded.test.ts");
    assert.deepEqual(await framework(root, "generate", "guards"), {
      code: 0,
      stdout: "",
      stderr: "✓ Created tests/guarded.test.ts\n",
    });
    const written = readFileSync(file, "utf8");
    assert.match(written, /^it\.skipIf\(inPool\)\(/m);
    assert.match(written, /await assertGuarded\(ctx, \{\n {4}public: \[\],\n {4}signedIn: \[\],\n/);
    assert.match(written, / {4}params: \{\n {6}"file-path": "1",\n {6}id: "1",\n {4}\},/);
    assert.equal((await framework(root, "generate", "guards")).code, 1);
    assert.equal((await framework(root, "generate", "guards", "all")).code, 1);

    const page = await framework(root, "generate", "page", "blog/[slug]");
    assert.equal(
      page.stderr,
      "✓ Created app/blog/[slug]/page.tsx\n✓ Created tests/blog/[slug]/page.test.ts\n" +
        "✓ Changed tests/guarded.test.ts\n",
    );
    await framework(root, "generate", "action", "feedback");
    await framework(root, "generate", "action", "blog/[slug]");
    await framework(root, "generate", "page", "admin/users");
    await framework(root, "generate", "route", "api/ping", "--no-test");
    assert.match(readFileSync(file, "utf8"), / {4}public: \["\/feedback", "\/blog\/\[slug\]"\],/);

    writeFileSync(file, written.replace("public: []", 'public: [\n      "/",\n    ]'));
    await framework(root, "generate", "page", "docs/[[...path]]");
    assert.match(
      readFileSync(file, "utf8"),
      / {4}public: \[\n {6}"\/docs\/\[\[\.\.\.path\]\]",\n {6}"\/",\n {4}\],/,
    );
    // Another test of that name is nobody's list.
    writeFileSync(file, "export {};\n");
    await framework(root, "generate", "page", "about");
    assert.equal(readFileSync(file, "utf8"), "export {};\n");
  }));
