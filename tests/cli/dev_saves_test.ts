/** `framework dev` follows every way in which editors and git save a file, on each engine that it promises. */
import assert from "node:assert/strict";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { permissions } from "../../scripts/compile_permissions.ts";
import { buildPackages } from "../../scripts/npm.ts";
import { run } from "../../scripts/run_command.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { startChild } from "../support/child.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodeOfLongTermSupport, findNodes, nodeIsAvailable } from "../support/node.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { until } from "./framework.ts";

// Each kind on each engine, and saves after the last, which the watcher must have survived; ten times by `--all`.
const SAVES = inMatrix ? 100 : 12;

function page(text: string): string {
  return `export default () => <p>${text}</p>;\n`;
}

/** Brings a text into a page, and says under which path of the application it is shown. */
type Save = (app: FixtureApp, text: string) => Promise<string>;

async function git(app: FixtureApp, ...args: string[]): Promise<void> {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  await run("git", [...who, ...args], { cwd: app.root });
}

/** Each is what some editor or command does. */
const saves: Record<string, Save> = {
  async "writes the file"(app, text) {
    await app.write("app/page.tsx", page(text));
    return "/";
  },
  async "renames a new file over it, as safe write does"(app, text) {
    await app.write("app/.page.tsx.tmp", page(text));
    await rename(join(app.root, "app/.page.tsx.tmp"), join(app.root, "app/page.tsx"));
    return "/";
  },
  async "moves it away and writes a new one, as vim's backup does"(app, text) {
    const file = join(app.root, "app/page.tsx");
    await rename(file, `${file}~`);
    await writeFile(file, page(text));
    await rm(`${file}~`);
    return "/";
  },
  async "sed -i"(app, text) {
    await run("sed", ["-i", `s|<p>.*</p>|<p>${text}</p>|`, "app/page.tsx"], { cwd: app.root });
    return "/";
  },
  async "git stash and git checkout"(app, text) {
    await app.write("app/page.tsx", page(text));
    await git(app, "commit", "--quiet", "--all", "--message", text);
    await app.write("app/page.tsx", page("to be stashed"));
    await shows(app, "/", "to be stashed");
    await git(app, "stash", "--quiet");
    await shows(app, "/", text);
    await git(app, "checkout", "--quiet", "HEAD~1", "--", "app/page.tsx");
    await git(app, "checkout", "--quiet", "HEAD", "--", "app/page.tsx");
    return "/";
  },
  async "makes a folder with a page in it"(app, text) {
    await rm(join(app.root, "app/made"), { recursive: true, force: true });
    await mkdir(join(app.root, "app/made/deep"), { recursive: true });
    await app.write("app/made/deep/page.tsx", page(text));
    return "/made/deep";
  },
  async "replaces a folder by another one"(app, text) {
    await app.write("next/deep/page.tsx", page(text));
    await mkdir(join(app.root, "app/made"), { recursive: true });
    await rename(join(app.root, "app/made"), join(app.root, "before"));
    await rename(join(app.root, "next"), join(app.root, "app/made"));
    await rm(join(app.root, "before"), { recursive: true });
    return "/made/deep";
  },
  async "writes a module outside of app, by renaming"(app, text) {
    await app.write("lib/.tmp", `export const text = ${JSON.stringify(text)};\n`);
    await rename(join(app.root, "lib/.tmp"), join(app.root, "lib/text.ts"));
    return "/lib";
  },
  async "mends a mistake that sed -i made"(app, text) {
    await run("sed", ["-i", "s|</p>|</q>|", "app/page.tsx"], { cwd: app.root });
    await shows(app, "/", "app/page.tsx:1");
    await run("sed", ["-i", "s|<p>.*</q>|<p>" + text + "</p>|", "app/page.tsx"], { cwd: app.root });
    return "/";
  },
  async "removes app and makes it again"(app, text) {
    await rename(join(app.root, "app"), join(app.root, "away"));
    await rename(join(app.root, "away"), join(app.root, "app"));
    await rm(join(app.root, "app/page.tsx"));
    await app.write("app/page.tsx", page(text));
    return "/";
  },
};

const origins = new WeakMap<FixtureApp, string>();

async function shows(app: FixtureApp, path: string, text: string): Promise<void> {
  const ask = async () => await (await fetch(new URL(path, origins.get(app)))).text();
  await until(ask, (body) => body.includes(text));
}

interface Engine {
  name: string;
  command(): Promise<string[]>;
}

async function onNode(find: () => Promise<string>): Promise<string[]> {
  await buildPackages({ gate: false });
  return [await find(), join(repositoryRoot, "npm", "cli", "main.js")];
}

const engines: Engine[] = [
  {
    name: "Deno",
    command: () =>
      Promise.resolve([
        Deno.execPath(),
        "run",
        ...permissions,
        join(repositoryRoot, "cli/main.ts"),
      ]),
  },
  { name: "Node 22", command: () => onNode(async () => (await findNodes()).supported) },
  // All Nodes watch by the same means, of which the oldest has the least.
  ...inMatrix
    ? [
      { name: "Node 24", command: () => onNode(findNodeOfLongTermSupport) },
      { name: "Node 26", command: () => onNode(async () => (await findNodes()).newest) },
    ]
    : [],
];

async function follows(engine: Engine): Promise<void> {
  await using app = await createFixtureApp({
    "app/page.tsx": page("first"),
    "app/lib/page.tsx": `import { text } from "../../lib/text.ts";
export default () => <p>{text}</p>;
`,
    "lib/text.ts": 'export const text = "first";\n',
    ".gitignore": "node_modules/\n.framework/\n.wrangler/\n",
  });
  await git(app, "init", "--quiet");
  await git(app, "add", "--all");
  await git(app, "commit", "--quiet", "--message", "first");
  const [program, ...args] = await engine.command();
  const child = startChild(program!, [...args, "dev", "--port", "0"], { cwd: app.root });
  try {
    const [, origin] = await child.waitFor(/fixture is ready at (http:\S+)/);
    origins.set(app, origin!);
    await shows(app, "/", "first");
    let followed = 0;
    const kinds = Object.entries(saves);
    while (followed < SAVES) {
      const [kind, save] = kinds[followed % kinds.length]!;
      const text = `save ${followed + 1}`;
      try {
        await shows(app, await save(app, text), text);
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        throw new Error(`After ${followed} saves, one was lost: ${kind}`, { cause });
      }
      followed++;
    }
    assert.equal(followed, SAVES);
  } finally {
    await child.stop();
  }
}

// Tracks: AB-01
Deno.test({
  name: `framework dev follows ${SAVES} of ${SAVES} saves of all kinds, on each engine`,
  // The engines run side by side, because most of the time is spent on waiting for what follows.
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await Promise.all(engines.map((engine) =>
      t.step({
        name: engine.name,
        ignore: engine.name !== "Deno" && !nodeIsAvailable,
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
        fn: () => follows(engine),
      })
    ));
  },
});
