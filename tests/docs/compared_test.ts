import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { capture, run } from "../../scripts/run_command.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes } from "../support/node.ts";
import { linkNpmPackages } from "../support/npm_packages.ts";
import { COMPARED } from "./guide.ts";
import { codeBlocks, readDocument } from "./markdown.ts";

/** What the code of another framework needs around it, to be checked by that framework's own tools. */
interface Surroundings {
  packages: Record<string, string>;
  /** Files beside those of the page: what it says is the reader's own, and settings. */
  files: Record<string, string>;
  /** Programs below `node_modules`, with their arguments, one after the other. */
  checks: string[][];
}

const zod = { zod: "4.6.7" };
const react = {
  "@types/node": "24.13.6",
  "@types/react": "19.3.0",
  react: "19.3.1",
  "react-dom": "19.3.1",
  typescript: "6.0.3",
};

const NOTES = `export interface Note { id: string; title: string }
export declare function listNotes(): Promise<Note[]>;
export declare function findNote(id: string): Promise<Note | undefined>;
export declare function addNote(title: string, author: string): Promise<void>;
export declare function savePicture(id: string, picture: File): Promise<void>;
export declare function countWords(text: string): Promise<number>;
`;

const USER = "export interface User { id: string; name: string }\n";

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2024", "dom", "dom.iterable"],
  target: "es2024",
};

const surroundings: Record<string, Surroundings> = {
  "docs/coming_from_nextjs.md": {
    packages: { ...react, ...zod, next: "16.4.6" },
    files: {
      "lib/notes.ts": NOTES,
      "lib/session.ts": `${USER}export declare function requireUser(): Promise<User>;\n`,
      "app/layout.tsx":
        "export default function Layout({ children }: { children: React.ReactNode }) {\n" +
        '  return <html lang="en"><body>{children}</body></html>;\n}\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...STRICT, jsx: "preserve", paths: { "@/*": ["./*"] } },
        include: ["**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
      }),
    },
    checks: [["next/dist/bin/next", "typegen"], ["typescript/bin/tsc"]],
  },
  "docs/coming_from_react_router.md": {
    packages: {
      ...react,
      ...zod,
      "@react-router/dev": "8.4.0",
      "@react-router/node": "8.4.0",
      isbot: "5.2.3",
      "react-router": "8.4.0",
      vite: "8.3.8",
    },
    files: {
      "app/lib/notes.ts": NOTES,
      "app/lib/session.ts":
        `${USER}export declare function findUser(request: Request): Promise<User | null>;\n`,
      "vite.config.ts": 'import { reactRouter } from "@react-router/dev/vite";\n' +
        'import { defineConfig } from "vite";\n' +
        "export default defineConfig({ plugins: [reactRouter()] });\n",
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          ...STRICT,
          jsx: "react-jsx",
          rootDirs: [".", "./.react-router/types"],
          types: ["vite/client"],
        },
        include: ["app", ".react-router/types/**/*"],
      }),
    },
    checks: [["@react-router/dev/bin.cjs", "typegen"], ["typescript/bin/tsc"]],
  },
  "docs/coming_from_sveltekit.md": {
    packages: {
      ...zod,
      "@sveltejs/kit": "3.2.0",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      "@types/node": "24.13.6",
      svelte: "5.57.3",
      "svelte-check": "4.7.8",
      typescript: "6.0.3",
      vite: "8.3.8",
    },
    files: {
      "src/lib/notes.ts": NOTES,
      "src/lib/session.ts": USER +
        "export declare function findUser(session: string | undefined): Promise<User | null>;\n" +
        "export declare function requireUser(locals: App.Locals): User;\n",
      "src/app.d.ts": "declare global {\n  namespace App {\n    interface Locals {\n" +
        '      user: import("#lib/session.ts").User | null;\n    }\n  }\n}\nexport {};\n',
      "src/app.html": "<body>%sveltekit.head%%sveltekit.body%</body>",
      "vite.config.js": 'import { sveltekit } from "@sveltejs/kit/vite";\n' +
        'import { defineConfig } from "vite";\n' +
        "export default defineConfig({ plugins: [sveltekit()] });\n",
      "tsconfig.json": JSON.stringify({
        extends: "$app/tsconfig",
        compilerOptions: { strict: true, skipLibCheck: true },
        include: ["src"],
      }),
    },
    checks: [
      ["@sveltejs/kit/svelte-kit.js", "sync"],
      ["svelte-check/bin/svelte-check", "--tsconfig", "./tsconfig.json"],
    ],
  },
  "docs/coming_from_honox.md": {
    packages: { ...zod, hono: "4.13.19", honox: "0.1.61", typescript: "6.0.3", vite: "8.3.8" },
    files: {
      "app/lib/notes.ts": NOTES,
      "app/lib/session.ts":
        `${USER}export declare function findUser(request: Request): Promise<User | null>;\n`,
      "app/global.d.ts": 'import type { User } from "./lib/session";\n' +
        'declare module "hono" {\n  interface ContextVariableMap { user: User }\n}\n',
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...STRICT, jsx: "react-jsx", jsxImportSource: "hono/jsx" },
        include: ["app"],
      }),
    },
    checks: [["typescript/bin/tsc"]],
  },
};

/** Files of the other framework that a page shows. */
async function theirFiles(file: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { info, line, text } of codeBlocks(file, await readDocument(file))) {
    if (!info.includes("theirs")) continue;
    const path = /^(?:\/\/|<!--) ([\w./[\]+-]+\.\w+)(?: -->)?\n/.exec(text)?.[1];
    assert.ok(path, `${file}:${line}: the block does not begin with the path of a file.`);
    files[path] = text;
  }
  return files;
}

Deno.test("the pages for those who come from elsewhere show whole files of the other framework, each once", async () => {
  for (const file of COMPARED) {
    const files = await theirFiles(file);
    assert.ok(Object.keys(files).length >= 4, file);
    const own = surroundings[file]!.files;
    assert.deepEqual(Object.keys(files).filter((path) => path in own), [], file);
  }
});

for (const file of inMatrix ? COMPARED : []) {
  Deno.test(`${file}: the other framework's own tools find nothing wrong with its code`, async () => {
    const { packages, files, checks } = surroundings[file]!;
    const modules = await linkNpmPackages(packages);
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-compared-" }));
    try {
      // A copy, because tools write among the packages and find the project from there.
      await run("cp", ["-R", modules, join(folder, "node_modules")]);
      const manifest = {
        type: "module",
        imports: { "#lib/*": "./src/lib/*" },
        dependencies: packages,
      };
      const written = {
        "package.json": JSON.stringify(manifest),
        ...files,
        ...await theirFiles(file),
      };
      for (const [path, text] of Object.entries(written)) {
        await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
        await Deno.writeTextFile(join(folder, path), text);
      }
      const { newest } = await findNodes();
      for (const [program = "", ...args] of checks) {
        const { code, stdout, stderr } = await capture(newest, [
          join(folder, "node_modules", program),
          ...args,
        ], { cwd: folder, env: { NO_COLOR: "1", NEXT_TELEMETRY_DISABLED: "1" } });
        assert.equal(code, 0, stripVTControlCharacters(`${program}\n${stdout}\n${stderr}`));
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
