import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { type Child, startChild } from "../support/child.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { findNodes, installNpm } from "../support/node.ts";
import { installWithNpm } from "../support/npm_project.ts";
import { type Container, followDockerfile } from "./container.ts";
import { codeBlocks, guidePart, readDocument } from "./markdown.ts";

/** Guides that lead from an empty folder to a result; what stands below the heading `Reference` of one is none. */
export const GUIDES: readonly string[] = [
  "docs/pages_and_data.md",
  "docs/forms.md",
  "docs/client_components.md",
  "docs/styling_and_assets.md",
  "docs/migrations_and_seeds.md",
  "docs/background_work.md",
  "docs/durable_objects.md",
  "docs/errors.md",
  "docs/languages.md",
  "docs/testing.md",
  "docs/deployment.md",
  "docs/node_and_deno.md",
  "docs/coming_from.md",
];

/** The shortest guide, which is followed each day; the matrix follows all. */
export const DAILY_GUIDE = "docs/languages.md";

/** Pages that hold parts of docs/coming_from.md against the same task in another framework. */
export const COMPARED: readonly string[] = [
  "docs/coming_from_nextjs.md",
  "docs/coming_from_sveltekit.md",
  "docs/coming_from_react_router.md",
  "docs/coming_from_honox.md",
];

/** What a reader of a guide does next. */
export type Step =
  | { kind: "file"; line: number; path: string; text: string }
  | { kind: "command"; line: number; text: string; output: string[] };

/** The path in the comment that is the first line of a whole file. */
const named = /^(?:\/\/|--|#|\/\*|<!--) ([\w./[\]()-]*\.\w[\w.]*)(?: \*\/| -->)?\n/;

/**
 * Steps of a guide, in order: a block that begins with a path is a file, a block of the shell is commands, and the block
 * of text behind it what the last of them prints, with `…` for anything. Code of another framework is no step.
 *
 * @param file Path of the document, below the repository.
 */
export async function readSteps(file: string): Promise<Step[]> {
  const steps: Step[] = [];
  const guide = guidePart(await readDocument(file));
  for (const { language, info, line, text } of codeBlocks(file, guide)) {
    const path = named.exec(text)?.[1];
    if (info.includes("theirs")) continue;
    if (language === "sh") {
      const commands = text.replaceAll("\\\n", " ").trim().split("\n");
      for (const command of commands) {
        steps.push({ kind: "command", line, text: command.trim(), output: [] });
      }
    } else if (language === "text") {
      const last = steps.at(-1);
      assert.ok(last?.kind === "command", `${file}:${line}: nothing prints this.`);
      last.output.push(...text.trimEnd().split("\n"));
    } else {
      assert.ok(path, `${file}:${line}: the block does not begin with the path of a file.`);
      steps.push({ kind: "file", line, path, text });
    }
  }
  return steps;
}

/** Commands that serve until they are interrupted. */
const serving = /^npm run dev$|\bframework dev\b|\bwrangler dev\b|\bserver\.js$/;

/** Commands of Docker, whose lines are followed without it. */
const docker = /^docker (build|run)\b/;

/**
 * Follows a guide in an empty folder, as somebody does who copies each block: with npm, the packed packages, and the
 * newest Node. Only the ports are others.
 *
 * @param file Path of the document, below the repository.
 * @throws {Error} with the place in the document and what was printed, at the first step that does not do what it says.
 */
export async function followGuide(file: string): Promise<void> {
  const build = await buildPackages({ gate: false });
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-guide-" }));
  const registry = await startRegistry(build);
  const env = await createEnvironment(folder, registry.url);
  const ports = new Map<string, number>();
  const withPorts = (text: string): string =>
    text.replace(/\blocalhost:(\d+)/g, (_all, port: string) => {
      if (!ports.has(port)) ports.set(port, freePort());
      return `localhost:${ports.get(port)}`;
    });
  let cwd = folder;
  let server: Child | undefined;
  let container: Container | undefined;
  try {
    for (const step of await readSteps(file)) {
      const at = `${file}:${step.line}`;
      if (step.kind === "file") {
        await Deno.mkdir(dirname(join(cwd, step.path)), { recursive: true });
        await Deno.writeTextFile(join(cwd, step.path), step.text);
        continue;
      }
      const changed = /^cd (\S+)$/.exec(step.text)?.[1];
      if (changed !== undefined) {
        cwd = join(cwd, changed);
        continue;
      }
      // What npm unpacks is a hundred megabytes; that it installs the packages, tests/packages shows every day.
      if (step.text === "npm install" && !inMatrix) {
        await layOut(cwd, build);
        continue;
      }
      if (docker.test(step.text)) {
        await server?.stop();
        server = undefined;
        if (step.text.startsWith("docker build")) {
          container = await followDockerfile(cwd, await Deno.makeTempDir({ dir: folder }), env);
          continue;
        }
        assert.ok(container, `${at}: nothing was built.`);
        server = await container.start(variablesOf(withPorts(step.text), ports));
        continue;
      }
      if (serving.test(step.text)) {
        await server?.stop();
        server = await startServer(withPorts(step.text), { cwd, env, ports });
        checkOutput(at, step, server.output(), ports);
        continue;
      }
      await runCommand(at, step, { command: withPorts(step.text), cwd, env, ports, server });
    }
  } finally {
    await server?.stop();
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Installs an application from what npm has unpacked before, with the programs of the packages. */
async function layOut(root: string, build: Build): Promise<void> {
  await installWithNpm(root, build);
  const modules = join(root, "node_modules");
  for (const { manifest: { name, bin } } of build.packages) {
    for (const [program, file] of Object.entries(bin ?? {})) {
      await Deno.chmod(join(modules, name, file), 0o755);
      await Deno.symlink(join("..", name, file), join(modules, ".bin", program));
    }
  }
}

type Environment = Record<string, string>;

/** Variables of `docker run`, with the port that stands for the one that it publishes. */
function variablesOf(command: string, ports: Map<string, number>): Environment {
  const published = /-p (\d+):\d+/.exec(command)![1]!;
  const port = ports.get(published) ?? freePort();
  ports.set(published, port);
  const given = [...command.matchAll(/-e (\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]);
  return { ...Object.fromEntries(given), PORT: String(port) };
}

async function createEnvironment(folder: string, registry: string): Promise<Environment> {
  const bin = join(folder, "bin");
  await Deno.mkdir(bin);
  const { newest } = await findNodes();
  const npm = join(await installNpm(), "bin");
  await Deno.symlink(newest, join(bin, "node"));
  for (const name of ["npm", "npx"]) {
    const script = `#!/bin/sh\nexec "${newest}" "${join(npm, `${name}-cli.js`)}" "$@"\n`;
    await Deno.writeTextFile(join(bin, name), script, { mode: 0o755 });
  }
  const settings = join(folder, "npmrc");
  const own = await Deno.readTextFile(join(Deno.env.get("HOME") ?? "", ".npmrc")).catch(() => "");
  await Deno.writeTextFile(settings, `${own}\n@framework:registry=${registry}\nyes=true\n`);
  return {
    PATH: `${bin}:${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
    npm_config_userconfig: settings,
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    WRANGLER_SEND_METRICS: "false",
    BROWSER: "none",
  };
}

async function startServer(
  command: string,
  { cwd, env, ports }: { cwd: string; env: Environment; ports: Map<string, number> },
): Promise<Child> {
  const isDev = !command.endsWith("server.js");
  const usual = isDev ? "8787" : "8080";
  const port = ports.get(usual) ?? freePort();
  ports.set(usual, port);
  const own = command === "npm run dev"
    ? `${command} -- --port ${port}`
    : `${command} --port ${port}`;
  const child = startChild("sh", ["-c", `exec ${isDev ? own : `env ${command}`}`], {
    cwd,
    env: { ...env, PORT: String(port) },
    group: true,
  });
  await child.waitFor(isDev ? new RegExp(`localhost:${port}`) : /listens on/, 60);
  return child;
}

interface Run {
  command: string;
  cwd: string;
  env: Environment;
  ports: Map<string, number>;
  server: Child | undefined;
}

async function runCommand(
  at: string,
  step: Step & { kind: "command" },
  { command, cwd, env, ports, server }: Run,
): Promise<void> {
  // A saved file is served a moment later.
  const patience = command.startsWith("curl ") ? Date.now() + 15_000 : 0;
  for (;;) {
    const child = startChild("sh", ["-c", command], { cwd, env });
    const code = await child.ended;
    try {
      // A command that fails shows so: its output says what the reader sees.
      if (step.output.length === 0 || !/✗|failed|error/i.test(step.output.join())) {
        assert.equal(code, 0, `${at}: ${step.text}\n${child.output()}\n${server?.output() ?? ""}`);
      }
      return checkOutput(at, step, child.output(), ports);
    } catch (error) {
      if (Date.now() > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function checkOutput(
  at: string,
  { text, output }: { text: string; output: string[] },
  printed: string,
  ports: Map<string, number>,
): void {
  let rest = stripVTControlCharacters(printed);
  for (const [usual, port] of ports) rest = rest.replaceAll(`:${port}`, `:${usual}`);
  const all = rest;
  for (const line of output) {
    const parts = line.trim().split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const found = new RegExp(parts.join("[^\\n]*?")).exec(rest);
    assert.ok(
      found,
      `${at}: ${text}\ndid not print, or not in this place:\n${line}\nIt printed:\n${all}`,
    );
    rest = rest.slice(found.index + found[0].length);
  }
}
