import type { Session, Step } from "./transcript.ts";

function step(line: string, rest: Omit<Step, "run"> = {}): Step {
  return { run: line.split(" "), ...rest };
}

/** A line that says what it says whatever process it runs in: one process runs all of these. */
function line(words: string, rest: Omit<Step, "run"> = {}): Step {
  return step(words, { ...rest, shared: true });
}

const shop: Record<string, string> = {
  "app/layout.tsx": `import type { LayoutProps } from "@framework/cli/runtime";
export default function Layout({ children }: LayoutProps) {
  return <html><head></head><body>{children}</body></html>;
}
`,
  "app/page.tsx": "export default function Home() {\n  return <p>Hello</p>;\n}\n",
  "app/users/[id]/page.tsx":
    `export const loader = ({ params }: { params: { id: string } }) => params;
export const action = () => null;
export default function User() {
  return <p>User</p>;
}
`,
  "app/members/middleware.ts": `import type { Middleware } from "@framework/cli/runtime";
export const middleware: Middleware = (request, next) => next(request);
`,
  "app/members/page.tsx": "export default function Members() {\n  return <p>Members</p>;\n}\n",
  "app/files/[...path]/route.ts": `export const GET = () => "file";
export const DELETE = () => null;
`,
  "public/styles.css": "p { margin: 0 }\n",
};

const database = JSON.stringify({
  name: "shop",
  "compatibility_date": "2026-07-30",
  "compatibility_flags": ["nodejs_compat"],
  "d1_databases": [{ binding: "DB", "database_name": "shop", "database_id": "shop-id" }],
});

const broken = "export default function Home() {\n  return <p>;\n}\n";

/** A session for each command, right and wrong; the name is that of its transcript. */
export const sessions: Record<string, Session> = {
  program: {
    files: null,
    steps: [
      step("--help"),
      line("--version"),
      step("biuld"),
      line("--hlep"),
      line("help migrate"),
      line("migrate"),
      line("migrate latest"),
      line("dev --prot 3000"),
      line("dev --port many"),
      line("dev --port 70000"),
      line("build --minify=maybe"),
      line("build dist"),
      line("routes"),
      line("routes --json"),
      line("routes --cwd elsewhere"),
      line("routes --config framework.confg.ts"),
    ],
  },
  help: {
    files: null,
    steps: [
      "init",
      "dev",
      "build",
      "deploy",
      "generate",
      "routes",
      "typecheck",
      "lint",
      "test",
      "migrate",
      "migrate create",
      "migrate up",
      "migrate down",
      "migrate status",
      "migrate reset",
      "secret",
      "doctor",
      "completions",
    ].map((command) => (command === "migrate up" ? step : line)(`${command} --help`)),
  },
  configuration: {
    files: {
      ...shop,
      "framework.config.ts":
        'import { defineConfig } from "@framework/cli";\nexport default defineConfig({ dev: { port: 3000 } });\n',
    },
    steps: [
      step("routes --match /"),
      step("routes", {
        note: "dev.prot instead of dev.port",
        files: { "framework.config.ts": "export default { dev: { prot: 3000 } };\n" },
      }),
      line("routes", {
        note: "a port that is a string",
        files: { "framework.config.ts": 'export default { dev: { port: "3000" } };\n' },
      }),
      line("routes", {
        note: "a bracket is missing",
        files: { "framework.config.ts": "export default { dev: { port: 3000 };\n" },
      }),
      line("routes --json", {
        note: "it throws",
        files: { "framework.config.ts": 'throw new Error("no licence");\n' },
      }),
      line("build", {
        note: "wrangler.jsonc without a name",
        files: {
          "framework.config.ts": null,
          "wrangler.jsonc":
            '{\n  "compatibility_date": "2026-07-30",\n  "compatibility_flags": ["nodejs_compat"]\n}\n',
        },
      }),
      line("build", {
        note: "wrangler.jsonc without nodejs_compat",
        files: {
          "wrangler.jsonc": '{\n  "name": "shop",\n  "compatibility_date": "2026-07-30"\n}\n',
        },
      }),
      line("build", {
        note: "wrangler.jsonc is cut off",
        files: { "wrangler.jsonc": '{ "name":' },
      }),
      line("build", {
        note: "wrangler.toml instead of wrangler.jsonc",
        files: { "wrangler.jsonc": null, "wrangler.toml": 'name = "shop"\n' },
      }),
    ],
  },
  init: {
    files: null,
    steps: [
      step("init"),
      step("init shop"),
      line("init shop"),
      line("init other --name Shop!"),
      line("init inner --quiet"),
      { run: ["init", "a", "b"], shared: true },
    ],
  },
  dev: {
    files: shop,
    steps: [
      step("dev --port 0", { interruptAt: /ready at/ }),
      step("dev --port 0", {
        note: "app/page.tsx is broken",
        once: true,
        files: { "app/page.tsx": broken },
        interruptAt: /shows this until/,
      }),
      step("dev --port 0 --https --host 0.0.0.0", {
        note: "app/page.tsx is mended",
        files: { "app/page.tsx": shop["app/page.tsx"]! },
        env: { XDG_CONFIG_HOME: "settings" },
        interruptAt: /ready at/,
      }),
      step("dev", {
        note: "miniflare is not installed",
        files: { "node_modules/miniflare": null },
      }),
    ],
  },
  build: {
    files: shop,
    steps: [
      step("build"),
      step("build --quiet", { once: true }),
      step("build --no-sourcemap --no-minify --analyze"),
      step("build", { note: "app/page.tsx is broken", files: { "app/page.tsx": broken } }),
      step("build", {
        note: "app/page.tsx imports what is not there",
        once: true,
        files: { "app/page.tsx": 'import "./nothing.ts";\nexport default () => null;\n' },
      }),
      step("build", {
        note: "app/page.tsx has no page",
        once: true,
        files: { "app/page.tsx": "export const loader = () => null;\n" },
      }),
      line("build", {
        note: "a route and a page for the same address",
        files: { "app/page.tsx": null, "app/users/[id]/route.ts": "export const GET = () => 1;\n" },
      }),
      line("build", {
        note: "esbuild is not installed",
        files: { "app/users/[id]/route.ts": null, "node_modules/esbuild": null },
      }),
    ],
  },
  deploy: {
    files: {
      ...shop,
      "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
      "wrangler.jsonc": database,
      ".dev.vars.example": "AUTH_SECRET=\n",
    },
    steps: [
      step("deploy --dry-run"),
      step("deploy --dry-run --json", { once: true }),
      line("deploy --dry-run --env staging"),
      step("deploy", {
        once: true,
        note: "app/page.tsx is broken",
        files: { "app/page.tsx": broken },
      }),
      step("deploy --json", {
        note: "wrangler is not installed",
        files: { "app/page.tsx": shop["app/page.tsx"]!, "node_modules/wrangler": null },
      }),
    ],
  },
  generate: {
    files: shop,
    steps: [
      step("generate"),
      line("generate pag about"),
      line("generate page"),
      step("generate page about"),
      line("generate page about"),
      line("generate page about --force --loader"),
      line("generate page posts/[id] --loader --no-test"),
      line("generate route /api/posts/:id"),
      line("generate layout about --json"),
      line("generate middleware admin --dry-run"),
      line("generate component UserCard"),
      line("generate component user"),
      line("generate migration add_posts"),
      line("generate page ../outside"),
      { run: ["generate", "page", "a;b"], shared: true },
      line("generate route about"),
      line("generate ci github"),
      line("generate ci jenkins"),
      line("generate auth"),
    ],
  },
  migrate: {
    files: {
      "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
      "migrations/down/0001_a.sql": "DROP TABLE a;\n",
    },
    steps: [
      step("migrate status"),
      line("migrate up --dry-run"),
      step("migrate up"),
      line("migrate up"),
      step("migrate create"),
      line("migrate create ../escape"),
      step("migrate create add_b"),
      line("migrate up --steps none"),
      step("migrate up", {
        note: "a second migration with a mistake in its second statement",
        files: {
          "migrations/0002_add_b.sql": "CREATE TABLE b (x);\nCRATE TABLE c (x);\n",
          "migrations/down/0002_add_b.sql": "DROP TABLE b;\n",
        },
      }),
      line("migrate up --json", {
        note: "mended",
        files: { "migrations/0002_add_b.sql": "CREATE TABLE b (x);\n" },
      }),
      line("migrate status --json"),
      step("migrate down"),
      step("migrate down --yes"),
      line("migrate up --local --remote"),
      line("migrate up", {
        note: "an applied migration is changed",
        files: { "migrations/0001_a.sql": "CREATE TABLE a (y);\n" },
      }),
      line("migrate status"),
      step("migrate reset --yes", {
        note: "restored; its down file is missing",
        files: {
          "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
          "migrations/down/0001_a.sql": null,
        },
      }),
      step("migrate reset --yes", {
        note: "and is there again",
        files: { "migrations/down/0001_a.sql": "DROP TABLE a;\n" },
      }),
      line("migrate up", {
        note: "a migration that nobody has written yet",
        files: { "migrations/0002_add_b.sql": "-- later\n" },
      }),
      line("migrate reset --local --force", { note: "the local database anew" }),
      line("migrate reset --remote --force"),
      line("migrate reset --remote --yes"),
      step("migrate status --remote"),
    ],
  },
  routes: {
    files: shop,
    steps: [
      step("routes"),
      line("routes --verbose"),
      line("routes --json"),
      line("routes --match /users/7"),
      line("routes --match /nothing/here"),
      step("routes", {
        note: "two names for one segment",
        files: { "app/users/[name]/page.tsx": "export default () => null;\n" },
      }),
    ],
  },
  typecheck: {
    files: {
      // The checker reads no more than it must.
      "deno.json": '{ "compilerOptions": { "lib": ["es2022"] } }\n',
      "app/a/route.ts": "export const GET = (): number => 1;\n",
    },
    steps: [
      step("typecheck"),
      step("typecheck --verbose --strict", {
        note: "a type does not fit",
        files: { "app/a/route.ts": 'export const GET = (): number => "one";\n' },
      }),
      line("typecheck --strict", {
        note: "deno.json is lax",
        files: { "deno.json": '{ "compilerOptions": { "strict": false } }\n' },
      }),
      line("typecheck", {
        note: "neither deno.json nor tsconfig.json",
        files: { "deno.json": null },
      }),
      line("typecheck", {
        note: "tsconfig.json, but no TypeScript",
        files: { "tsconfig.json": "{}" },
      }),
    ],
  },
  lint: {
    files: shop,
    steps: [
      step("lint"),
      step("lint", {
        note: "a mistyped export, and a variable that nothing reads",
        files: {
          "app/members/page.tsx":
            "export const lodaer = () => null;\nexport default function Members() {\n" +
            "  const unused = 1;\n  return <p>Members</p>;\n}\n",
        },
      }),
      line("lint --format json"),
      line("lint --format github"),
      line("lint --format junit"),
      line("lint --format sarif"),
      line("lint --format compact"),
      line("lint", {
        note: "ESLint is configured and not installed",
        files: { "eslint.config.js": "export default [];\n" },
      }),
    ],
  },
  test: {
    files: {
      "deno.json": "{}",
      "tests/good.test.js": 'Deno.test("good", () => {});\n',
      "tests/bad.test.js": 'Deno.test("bad", () => {\n  throw new Error("on purpose");\n});\n',
    },
    steps: [
      step("test tests/good.test.js"),
      step("test tests/bad.test.js --verbose"),
      step("test tests/missing.test.js"),
      line("test --ui"),
      line("test", {
        note: "vitest is configured and not installed",
        files: { "vitest.config.ts": "export default {};\n", "node_modules/vitest": null },
      }),
    ],
  },
  secret: {
    files: { ".gitignore": ".dev.vars\n" },
    steps: [
      step("secret"),
      step("secret"),
      line("secret --force"),
      line("secret --print"),
      line("secret 1ST"),
    ],
  },
  doctor: {
    files: {
      ...shop,
      ".gitignore": ".dev.vars\n",
      ".dev.vars.example": "AUTH_SECRET=\n",
      "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
    },
    steps: [
      step("doctor"),
      line("secret --quiet"),
      line("migrate up --quiet"),
      step("doctor --quiet"),
      line("doctor --json", {
        note: "wrangler.jsonc lacks nodejs_compat",
        files: { "wrangler.jsonc": '{ "name": "shop", "compatibility_date": "2026-07-30" }\n' },
      }),
      step("doctor", {
        note: "framework.config.ts, and esbuild is not installed",
        files: {
          "wrangler.jsonc": database,
          "framework.config.ts": "export default {};\n",
          "node_modules/esbuild": null,
        },
      }),
    ],
  },
  completions: {
    files: null,
    steps: [step("completions"), line("completions tcsh"), step("completions fish")],
  },
};
