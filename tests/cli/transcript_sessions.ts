import type { Session, Step } from "./transcript.ts";

function step(line: string, rest: Omit<Step, "run"> = {}): Step {
  return { run: line.split(" "), ...rest };
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
      step("--version"),
      step("biuld"),
      step("--hlep"),
      step("help migrate"),
      step("migrate"),
      step("migrate latest"),
      step("dev --prot 3000"),
      step("dev --port many"),
      step("dev --port 70000"),
      step("build --minify=maybe"),
      step("build dist"),
      step("routes"),
      step("routes --json"),
      step("routes --cwd elsewhere"),
      step("routes --config framework.confg.ts"),
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
    ].map((command) => step(`${command} --help`)),
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
      step("routes", {
        note: "a port that is a string",
        files: { "framework.config.ts": 'export default { dev: { port: "3000" } };\n' },
      }),
      step("routes", {
        note: "a bracket is missing",
        files: { "framework.config.ts": "export default { dev: { port: 3000 };\n" },
      }),
      step("routes --json", {
        note: "it throws",
        files: { "framework.config.ts": 'throw new Error("no licence");\n' },
      }),
      step("build", {
        note: "wrangler.jsonc without a name",
        files: {
          "framework.config.ts": null,
          "wrangler.jsonc":
            '{\n  "compatibility_date": "2026-07-30",\n  "compatibility_flags": ["nodejs_compat"]\n}\n',
        },
      }),
      step("build", {
        note: "wrangler.jsonc without nodejs_compat",
        files: {
          "wrangler.jsonc": '{\n  "name": "shop",\n  "compatibility_date": "2026-07-30"\n}\n',
        },
      }),
      step("build", {
        note: "wrangler.jsonc is cut off",
        files: { "wrangler.jsonc": '{ "name":' },
      }),
      step("build", {
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
      step("init shop"),
      step("init other --name Shop!"),
      step("init inner --quiet"),
      { run: ["init", "a", "b"] },
    ],
  },
  dev: {
    files: shop,
    steps: [
      step("dev --port 0", { interruptAt: /ready at/ }),
      step("dev --port 0", {
        note: "app/page.tsx is broken",
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
      step("build --quiet"),
      step("build --no-sourcemap --no-minify --analyze"),
      step("build", { note: "app/page.tsx is broken", files: { "app/page.tsx": broken } }),
      step("build", {
        note: "app/page.tsx imports what is not there",
        files: { "app/page.tsx": 'import "./nothing.ts";\nexport default () => null;\n' },
      }),
      step("build", {
        note: "app/page.tsx has no page",
        files: { "app/page.tsx": "export const loader = () => null;\n" },
      }),
      step("build", {
        note: "a route and a page for the same address",
        files: { "app/page.tsx": null, "app/users/[id]/route.ts": "export const GET = () => 1;\n" },
      }),
      step("build", {
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
      step("deploy --dry-run --json"),
      step("deploy --dry-run --env staging"),
      step("deploy", { note: "app/page.tsx is broken", files: { "app/page.tsx": broken } }),
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
      step("generate pag about"),
      step("generate page"),
      step("generate page about"),
      step("generate page about"),
      step("generate page about --force --loader"),
      step("generate page posts/[id] --loader --no-test"),
      step("generate route /api/posts/:id"),
      step("generate layout about --json"),
      step("generate middleware admin --dry-run"),
      step("generate component UserCard"),
      step("generate component user"),
      step("generate migration add_posts"),
      step("generate page ../outside"),
      { run: ["generate", "page", "a;b"] },
      step("generate route about"),
      step("generate ci github"),
      step("generate ci jenkins"),
      step("generate auth"),
    ],
  },
  migrate: {
    files: {
      "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
      "migrations/down/0001_a.sql": "DROP TABLE a;\n",
    },
    steps: [
      step("migrate status"),
      step("migrate up --dry-run"),
      step("migrate up"),
      step("migrate up"),
      step("migrate create"),
      step("migrate create ../escape"),
      step("migrate create add_b"),
      step("migrate up --steps none"),
      step("migrate up", {
        note: "a second migration with a mistake in its second statement",
        files: {
          "migrations/0002_add_b.sql": "CREATE TABLE b (x);\nCRATE TABLE c (x);\n",
          "migrations/down/0002_add_b.sql": "DROP TABLE b;\n",
        },
      }),
      step("migrate up --json", {
        note: "mended",
        files: { "migrations/0002_add_b.sql": "CREATE TABLE b (x);\n" },
      }),
      step("migrate status --json"),
      step("migrate down"),
      step("migrate down --yes"),
      step("migrate up --local --remote"),
      step("migrate up", {
        note: "an applied migration is changed",
        files: { "migrations/0001_a.sql": "CREATE TABLE a (y);\n" },
      }),
      step("migrate status"),
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
      step("migrate reset --remote --yes"),
      step("migrate status --remote"),
    ],
  },
  routes: {
    files: shop,
    steps: [
      step("routes"),
      step("routes --verbose"),
      step("routes --json"),
      step("routes --match /users/7"),
      step("routes --match /nothing/here"),
      step("routes", {
        note: "two names for one segment",
        files: { "app/users/[name]/page.tsx": "export default () => null;\n" },
      }),
    ],
  },
  typecheck: {
    files: { "deno.json": "{}", "app/a/route.ts": "export const GET = (): number => 1;\n" },
    steps: [
      step("typecheck"),
      step("typecheck --verbose --strict", {
        note: "a type does not fit",
        files: { "app/a/route.ts": 'export const GET = (): number => "one";\n' },
      }),
      step("typecheck --strict", {
        note: "deno.json is lax",
        files: { "deno.json": '{ "compilerOptions": { "strict": false } }\n' },
      }),
      step("typecheck", {
        note: "neither deno.json nor tsconfig.json",
        files: { "deno.json": null },
      }),
      step("typecheck", {
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
      step("lint --format json"),
      step("lint --format github"),
      step("lint --format junit"),
      step("lint --format sarif"),
      step("lint --format compact"),
      step("lint", {
        note: "ESLint is configured and not installed",
        files: { "eslint.config.js": "export default [];\n" },
      }),
    ],
  },
  test: {
    files: {
      "deno.json": "{}",
      "tests/good.test.ts": 'Deno.test("good", () => {});\n',
      "tests/bad.test.ts": 'Deno.test("bad", () => {\n  throw new Error("on purpose");\n});\n',
    },
    steps: [
      step("test tests/good.test.ts"),
      step("test tests/bad.test.ts --verbose"),
      step("test tests/missing.test.ts"),
      step("test --ui"),
      step("test", {
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
      step("secret --force"),
      step("secret --print"),
      step("secret 1ST"),
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
      step("secret --quiet"),
      step("migrate up --quiet"),
      step("doctor --quiet"),
      step("doctor --json", {
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
    steps: [step("completions"), step("completions tcsh"), step("completions fish")],
  },
};
