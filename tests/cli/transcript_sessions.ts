import { inMatrix } from "../support/matrix.ts";
import type { Session, Step } from "./transcript.ts";

function step(line: string, rest: Omit<Step, "run"> = {}): Step {
  return { run: line.split(" "), ...rest };
}

/** A line that says what it says whatever process it runs in: one process runs all of these. */
function line(words: string, rest: Omit<Step, "run"> = {}): Step {
  return step(words, { ...rest, shared: true });
}

/**
 * A line of which the matrix sees a process of its own. How a process ends is the same code of all commands: a push sees
 * one end with each exit code, the matrix with each command, well and badly.
 */
function alone(words: string, rest: Omit<Step, "run"> = {}): Step {
  return inMatrix ? step(words, rest) : line(words, rest);
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
      step("biuld", { exit: 1, says: 'Unknown command "biuld". Did you mean "build"?' }),
      line("--hlep", { exit: 1, says: 'Unknown option "--hlep". Did you mean "--help"?' }),
      line("help migrate"),
      line("migrate", { exit: 1, says: "The command `framework migrate` needs a subcommand." }),
      line("migrate latest", { exit: 1, says: 'Unknown command "migrate latest".' }),
      line("dev --prot 3000", { exit: 1, says: 'Unknown option "--prot". Did you mean "--port"?' }),
      line("dev --port many", {
        exit: 1,
        says: 'The option --port needs a whole number from 0 to 65535, found "many".',
      }),
      line("dev --port 70000", {
        exit: 1,
        says: 'The option --port needs a whole number from 0 to 65535, found "70000".',
      }),
      line("build --minify=maybe", { exit: 1, says: "The option --minify takes no value." }),
      line("build dist", { exit: 1, says: 'Unexpected argument "dist".' }),
      line("routes", { exit: 2, says: "The application folder" }),
      line("routes --json", { exit: 2, says: "The application folder" }),
      line("routes --cwd elsewhere", { exit: 2, says: "The folder" }),
      line("routes --config framework.confg.ts", {
        exit: 2,
        says: "The configuration file framework.confg.ts does not exist.",
      }),
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
      "types",
      "typecheck",
      "lint",
      "test",
      "migrate",
      "migrate create",
      "migrate up",
      "migrate down",
      "migrate status",
      "migrate reset",
      "seed",
      "secret",
      "doctor",
      "completions",
    ].map((command) => line(`${command} --help`)),
  },
  configuration: {
    files: {
      ...shop,
      "framework.config.ts":
        'import { defineConfig } from "@framework/cli";\nexport default defineConfig({ dev: { port: 3000 } });\n',
    },
    steps: [
      line("routes --match /"),
      step("routes", {
        exit: 2,
        says: 'framework.config.ts: dev.prot: unknown key. Did you mean "port"?',
        note: "dev.prot instead of dev.port",
        files: { "framework.config.ts": "export default { dev: { prot: 3000 } };\n" },
      }),
      line("routes", {
        exit: 2,
        says:
          "framework.config.ts: dev.port: expected a whole number from 0 to 65535, found a string.",
        note: "a port that is a string",
        files: { "framework.config.ts": 'export default { dev: { port: "3000" } };\n' },
      }),
      line("routes", {
        exit: 2,
        says: "framework.config.ts could not be read.",
        note: "a bracket is missing",
        files: { "framework.config.ts": "export default { dev: { port: 3000 };\n" },
      }),
      line("routes --json", {
        exit: 2,
        says: "framework.config.ts threw an error: no licence",
        note: "it throws",
        files: { "framework.config.ts": 'throw new Error("no licence");\n' },
      }),
      line("build", {
        exit: 2,
        says: "wrangler.jsonc:1: name is missing.",
        note: "wrangler.jsonc without a name",
        files: {
          "framework.config.ts": null,
          "wrangler.jsonc":
            '{\n  "compatibility_date": "2026-07-30",\n  "compatibility_flags": ["nodejs_compat"]\n}\n',
        },
      }),
      line("build", {
        exit: 2,
        says: 'wrangler.jsonc:1: compatibility_flags: "nodejs_compat" is missing.',
        note: "wrangler.jsonc without nodejs_compat",
        files: {
          "wrangler.jsonc": '{\n  "name": "shop",\n  "compatibility_date": "2026-07-30"\n}\n',
        },
      }),
      line("build", {
        exit: 2,
        says: "wrangler.jsonc:1:10: Expected a value, found the end of the file.",
        note: "wrangler.jsonc is cut off",
        files: { "wrangler.jsonc": '{ "name":' },
      }),
      line("build", {
        exit: 2,
        says: "wrangler.toml is not supported.",
        note: "wrangler.toml instead of wrangler.jsonc",
        files: { "wrangler.jsonc": null, "wrangler.toml": 'name = "shop"\n' },
      }),
    ],
  },
  init: {
    files: null,
    steps: [
      alone("init", { exit: 1, says: "is missing." }),
      alone("init shop"),
      line("init shop", { exit: 1, says: "/shop is not empty" }),
      line("init other --name Shop!", {
        exit: 1,
        says: '"Shop!" cannot be used as the name of an application.',
      }),
      line("init inner --quiet"),
      { exit: 1, says: 'Unexpected argument "b".', run: ["init", "a", "b"], shared: true },
    ],
  },
  dev: {
    files: shop,
    steps: [
      step("dev --port 0 --https --host 0.0.0.0", {
        exit: 130,
        // On Node dev_saves_test.ts has it serve.
        once: !inMatrix,
        env: { XDG_CONFIG_HOME: "settings" },
        interruptAt: /ready at/,
      }),
      alone("dev", {
        exit: 2,
        says: "The package miniflare is not installed in this project.",
        note: "miniflare is not installed",
        files: { "node_modules/miniflare": null },
      }),
    ],
  },
  build: {
    files: shop,
    steps: [
      alone("build"),
      ...inMatrix ? [line("build --no-sourcemap --no-minify --analyze")] : [],
      step("build", {
        exit: 3,
        says: "The build failed.",
        once: !inMatrix,
        note: "app/page.tsx is broken",
        files: { "app/page.tsx": broken },
      }),
      ...inMatrix
        ? [
          line("build", {
            exit: 3,
            says: "The build failed.",
            note: "app/page.tsx imports what is not there",
            once: true,
            files: { "app/page.tsx": 'import "./nothing.ts";\nexport default () => null;\n' },
          }),
        ]
        : [],
      line("build", {
        exit: 2,
        says: "app/users/[id]/page.tsx and app/users/[id]/route.ts both answer /users/:id.",
        note: "a route and a page for the same address",
        files: { "app/page.tsx": null, "app/users/[id]/route.ts": "export const GET = () => 1;\n" },
      }),
      line("build", {
        exit: 2,
        says: "The package esbuild is not installed in this project.",
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
      // It is a build, which runs on each, and a look at what it wrote.
      alone("deploy --dry-run", { once: !inMatrix }),
      line("deploy --dry-run --env staging", {
        exit: 2,
        says: 'wrangler.jsonc has no environment "staging".',
      }),
      alone("deploy --json", {
        exit: 2,
        says: "The package wrangler is not installed in this project.",
        note: "wrangler is not installed",
        files: { "node_modules/wrangler": null },
      }),
    ],
  },
  generate: {
    files: shop,
    steps: [
      alone("generate", { exit: 1, says: "is missing." }),
      line("generate pag about", { exit: 1, says: "The argument" }),
      line("generate page", { exit: 1, says: "is missing." }),
      alone("generate page about"),
      line("generate page about", { exit: 1, says: "app/about/page.tsx already exists." }),
      line("generate page about --force --loader"),
      line("generate page posts/[id] --loader --no-test"),
      line("generate route /api/posts/:id"),
      line("generate layout about --json"),
      line("generate middleware admin --dry-run"),
      line("generate component UserCard"),
      line("generate component user"),
      line("generate migration add_posts"),
      line("generate page ../outside", {
        exit: 1,
        says: '".." cannot be used as a name: use letters, digits, dashes, underscores and dots.',
      }),
      {
        exit: 1,
        says: '"a;b" cannot be used as a name: use letters, digits, dashes, underscores and dots.',
        run: ["generate", "page", "a;b"],
        shared: true,
      },
      line("generate route about", {
        exit: 1,
        says: "app/about/page.tsx answers the same paths as app/about/route.ts would.",
      }),
      line("generate ci github"),
      line("generate ci jenkins", { exit: 1, says: 'A CI file for "jenkins" is not supported.' }),
      line("generate auth"),
    ],
  },
  migrate: {
    files: {
      "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
      "migrations/down/0001_a.sql": "DROP TABLE a;\n",
    },
    steps: [
      alone("migrate status"),
      line("migrate up --dry-run"),
      alone("migrate up"),
      line("migrate up"),
      alone("migrate create", { exit: 1, says: "is missing." }),
      line("migrate create ../escape", {
        exit: 1,
        says: 'A migration\'s name cannot contain ".".',
      }),
      alone("migrate create add_b"),
      alone("migrate up --steps none", {
        exit: 1,
        says: 'The option --steps needs a whole number from 1 to 100000, found "none".',
      }),
      line("migrate up", {
        exit: 1,
        says: '0002_add_b.sql:2: near "CRATE": syntax error (statement 2 of 2)',
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
      alone("migrate down", {
        exit: 1,
        says: "This deletes data, and there is no terminal to ask for confirmation.",
      }),
      alone("migrate down --yes"),
      line("migrate up --local --remote", {
        exit: 1,
        says: "Options --local and --remote exclude each other.",
      }),
      line("migrate up", {
        exit: 1,
        says: "0001_a.sql was changed after it was applied.",
        note: "an applied migration is changed",
        files: { "migrations/0001_a.sql": "CREATE TABLE a (y);\n" },
      }),
      line("migrate status"),
      line("migrate reset --yes", {
        exit: 1,
        says: "down/0001_a.sql is missing, so nothing was reverted.",
        note: "restored; its down file is missing",
        files: {
          "migrations/0001_a.sql": "CREATE TABLE a (x);\n",
          "migrations/down/0001_a.sql": null,
        },
      }),
      alone("migrate reset --yes", {
        note: "and is there again",
        files: { "migrations/down/0001_a.sql": "DROP TABLE a;\n" },
      }),
      line("migrate up", {
        exit: 1,
        says: "0002_add_b.sql contains no statement, so nothing was applied.",
        note: "a migration that nobody has written yet",
        files: { "migrations/0002_add_b.sql": "-- later\n" },
      }),
      line("migrate reset --local --force", { note: "the local database anew" }),
      line("migrate reset --remote --force", {
        exit: 1,
        says: "--force empties the local database only.",
      }),
      alone("migrate reset --remote --yes", {
        exit: 1,
        says: "This reverts every migration of the platform's database and deletes all its data.",
      }),
      alone("migrate status --steps 1", { exit: 1, says: "--steps" }),
      line("migrate status --remote", {
        exit: 1,
        says: "CLOUDFLARE_API_TOKEN",
        once: true,
        // What wrangler itself says without a token is read in deploy_test.ts.
        files: inMatrix ? {} : {
          "node_modules/wrangler": null,
          "node_modules/wrangler/package.json": '{ "bin": { "wrangler": "./wrangler.mjs" } }\n',
          "node_modules/wrangler/wrangler.mjs":
            'console.error("✘ [ERROR] Set a CLOUDFLARE_API_TOKEN.");\nprocess.exitCode = 1;\n',
        },
      }),
    ],
  },
  routes: {
    files: shop,
    steps: [
      alone("routes"),
      line("routes --verbose"),
      line("routes --json"),
      line("routes --match /users/7"),
      line("routes --match /nothing/here", { exit: 1, says: "No route answers /nothing/here." }),
      alone("routes", {
        exit: 2,
        says: "app/users/[id]/page.tsx and app/users/[name]/page.tsx both answer /users/:name.",
        note: "two names for one segment",
        files: { "app/users/[name]/page.tsx": "export default () => null;\n" },
      }),
    ],
  },
  openapi: {
    files: {
      ...shop,
      "app/auth/providers/credentials.ts":
        'import { credentials } from "@framework/auth";\nexport default credentials({\n' +
        '  credentials: { pin: { label: "PIN", type: "password" } },\n' +
        "  authorize: () => Promise.resolve(null),\n});\n",
    },
    steps: [
      // It loads app/auth in a thread, as a build does: auth_faults_test.ts has that on Node.
      alone("openapi", { once: !inMatrix }),
      ...inMatrix ? [line("openapi --administration", { once: true })] : [],
      alone("openapi --admin", { exit: 1, says: "--admin" }),
    ],
  },
  types: {
    files: { "app/a/route.ts": "export const GET = (): number => 1;\n" },
    steps: [
      alone("types"),
      alone("types --strict", { exit: 1, says: "--strict" }),
    ],
  },
  typecheck: {
    files: {
      "app/a/route.ts": "export const GET = (): number => 1;\n",
      "tsconfig.json": '{ "compilerOptions": { "types": ["./.framework/types/index.d.ts"] } }\n',
      // In the place of TypeScript, which takes long.
      "node_modules/typescript/package.json": '{ "bin": { "tsc": "./bin/tsc" } }\n',
      "node_modules/typescript/bin/tsc": 'console.log("checked");\n',
    },
    steps: [
      step("typecheck"),
      // How Deno checks is asked by checkers_test.ts.
      ...inMatrix
        ? [
          step("typecheck", {
            note: "deno.json instead of tsconfig.json",
            files: {
              "tsconfig.json": null,
              // The checker reads no more than it must.
              "deno.json": '{ "compilerOptions": { "lib": ["es2022"] } }\n',
            },
          }),
          step("typecheck --verbose --strict", {
            exit: 1,
            says: "Type checking failed.",
            note: "a type does not fit",
            once: true,
            files: { "app/a/route.ts": 'export const GET = (): number => "one";\n' },
          }),
        ]
        : [],
      alone("typecheck --strict", {
        exit: 2,
        says: "deno.json turns off strict, which --strict asks for.",
        note: "deno.json is lax",
        files: {
          "tsconfig.json": null,
          "deno.json": '{ "compilerOptions": { "strict": false } }\n',
        },
      }),
      line("typecheck", {
        exit: 2,
        says:
          "This project has neither a tsconfig.json nor a deno.json, with which Deno could check it.",
        note: "neither deno.json nor tsconfig.json",
        files: { "deno.json": null },
      }),
      line("typecheck", {
        exit: 2,
        says: "The package typescript is not installed in this project.",
        note: "tsconfig.json, but no TypeScript",
        files: { "tsconfig.json": "{}", "node_modules/typescript": null },
      }),
    ],
  },
  lint: {
    files: shop,
    steps: [
      alone("lint"),
      alone("lint", {
        exit: 1,
        says: "2 problems (2 errors)",
        note: "a mistyped export, and a variable that nothing reads",
        files: {
          "app/members/page.tsx":
            "export const lodaer = () => null;\nexport default function Members() {\n" +
            "  const unused = 1;\n  return <p>Members</p>;\n}\n",
        },
      }),
      line("lint --format json", { exit: 1, says: "unknown-export" }),
      line("lint --format github", { exit: 1, says: "unknown-export" }),
      line("lint --format junit", { exit: 1, says: "unknown-export" }),
      line("lint --format sarif", { exit: 1, says: "unknown-export" }),
      line("lint --format compact", {
        exit: 1,
        says: 'The option --format must be stylish, json, github, junit or sarif, found "compact".',
      }),
      line("lint", {
        exit: 2,
        says: "The package eslint is not installed in this project.",
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
      step("test tests/bad.test.js --verbose", { exit: 1, says: "Test failed" }),
      ...inMatrix
        ? [
          step("test tests/missing.test.js", {
            exit: 1,
            says: "missing.test.js' failed, not found.",
          }),
        ]
        : [],
      line("test --ui", {
        exit: 2,
        says: "The package of the --ui page, @vitest/ui, is not installed in this project.",
      }),
      line("test", {
        exit: 2,
        says: "vitest is not installed in this project.",
        note: "vitest is configured and not installed",
        files: { "vitest.config.ts": "export default {};\n", "node_modules/vitest": null },
      }),
    ],
  },
  seed: {
    files: {
      ...shop,
      "migrations/0001_notes.sql": "CREATE TABLE notes (id INTEGER PRIMARY KEY);\n",
      "seeds/development.sql": "INSERT INTO notes VALUES (1) ON CONFLICT DO NOTHING;\n",
    },
    steps: [
      line("seed", { exit: 1, says: "lacks 0001_notes.sql" }),
      line("migrate up --quiet"),
      alone("seed"),
      alone("seed production", { exit: 1, says: "belongs to the platform's database" }),
    ],
  },
  secret: {
    files: { ".gitignore": ".dev.vars\n" },
    steps: [
      alone("secret"),
      alone("secret", { exit: 1, says: "AUTH_SECRET is already set in .dev.vars." }),
      line("secret --force"),
      line("secret --print"),
      line("secret 1ST", { exit: 1, says: '"1ST" cannot be used as the name of a variable.' }),
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
      alone("doctor", { exit: 1, says: "AUTH_SECRET" }),
      line("secret --quiet"),
      line("migrate up --quiet"),
      alone("doctor --quiet"),
      line("doctor --json", {
        exit: 1,
        says: "nodejs_compat",
        note: "wrangler.jsonc lacks nodejs_compat",
        files: { "wrangler.jsonc": '{ "name": "shop", "compatibility_date": "2026-07-30" }\n' },
      }),
      alone("doctor", {
        exit: 1,
        says: "not installed (for framework dev and build)",
        note: "framework.config.ts, and esbuild is not installed",
        files: {
          "wrangler.jsonc": database,
          "framework.config.ts": 'import "left-pad";\nexport default {};\n',
          "node_modules/esbuild": null,
        },
      }),
    ],
  },
  completions: {
    files: null,
    steps: [
      alone("completions", { exit: 1, says: "is missing." }),
      line("completions tcsh", { exit: 1, says: "The argument" }),
      alone("completions fish"),
    ],
  },
};
