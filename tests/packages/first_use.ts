/**
 * The first steps of a user with the packed files, outside of the workspace, where one runtime is installed alone:
 * the five minutes of the READMEs, as they are written there.
 *
 * @module
 */

import assert from "node:assert/strict";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { exists, repositoryRoot } from "../../scripts/workspace.ts";
import { hiddenFields, signUp } from "../starter/mails.ts";
import { type Client, createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { inMatrix } from "../support/matrix.ts";
import { until } from "../support/until.ts";
import { changePage, readFiveMinutes, serving, type } from "./five_minutes.ts";
import { type LoneRuntime, succeed } from "./lone_runtime.ts";

export interface Machine {
  folder: string;
  build: Build;
  runtime: LoneRuntime;
}

/** Number of the starter's tests in `tests/app.test.ts`; another file and the generated page bring their own. */
export const STARTER_TESTS = 13;

const password = "a few words are easiest";

export async function onMachine(
  make: (folder: string, registry: string) => Promise<LoneRuntime>,
  work: (machine: Machine) => Promise<unknown>,
): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "framework-lone-" }));
  const build = await buildPackages({ gate: false });
  const registry = await startRegistry(build);
  try {
    await work({ folder, build, runtime: await make(folder, registry.url) });
  } finally {
    await registry.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Signs up and in at the application that `dev` serves, changes a page, and looks at a new one. */
export async function useStarter(
  { runtime }: Pick<Machine, "runtime">,
  app: string,
  { dev, generate }: { dev: string; generate: string },
): Promise<void> {
  const server = runtime.start(dev, app);
  await serving(server, async (origin) => {
    const visitor = createClient(origin);
    await signUp(visitor, { name: "Ada", email: "ada@example.com", password }, server.output);
    const dashboard = await visitor.fetch("/dashboard");
    assert.match(await dashboard.text(), /Ada/);
    await changePage(app, origin);
    await succeed(runtime, generate, app);
    assert.ok(await exists(join(app, "app", "notes", "page.tsx")));
    await until(
      async () => {
        const notes = await fetch(`${origin}/notes`);
        return /<h1/.test(await notes.text()) && notes.status === 200;
      },
      () => "The new page is not shown.",
    );
  });
}

/** Opens the link of the mail that the terminal shows last. */
async function openMailed(
  visitor: Client,
  origin: string,
  { path, output }: { path: string; output: () => string },
): Promise<string> {
  const links = new RegExp(`${origin}(${path}\\?\\S+)`, "g");
  const seen = () => [...output().matchAll(links)].at(-1)?.[1];
  await until(
    () => Promise.resolve(seen() !== undefined),
    () => `There is no mail with a link to ${path}:\n${output()}`,
  );
  const response = await visitor.fetch(seen()!);
  const page = await response.text();
  assert.equal(response.status, 200, page);
  return page;
}

/** Signs up, proves the address, signs in and out, sets a forgotten password and looks at the account. */
export async function walkAccounts(origin: string, output: () => string): Promise<Client> {
  const ada = createClient(origin);
  const email = "ada@example.com";
  async function to(place: string | RegExp, response: Response): Promise<void> {
    assert.equal(response.status, 303, `${await response.text()}\n${output()}`);
    const { pathname, search } = new URL(response.headers.get("location")!, origin);
    assert.match(pathname + search, new RegExp(place));
  }
  await to(/\/auth\/signin\?callbackUrl=%2Fdashboard$/, await ada.fetch("/dashboard"));
  assert.match(await (await ada.fetch("/auth/signin")).text(), /href="[^"]*\/auth\/signup"/);
  assert.match(await (await ada.fetch("/auth/signup")).text(), /type="password"/);
  await to("/auth/signup/sent$", await ada.post("/auth/signup", { name: "Ada", email, password }));
  await to("/auth/signin", await ada.fetch("/dashboard")); // a sign-up makes no user
  const confirm = await openMailed(ada, origin, { path: "/auth/signup/confirm", output });
  await to("/", await ada.post("/auth/signup/confirm", hiddenFields(confirm)));
  assert.equal(await (await ada.fetch("/dashboard")).text(), "Hello Ada");
  assert.match(await (await ada.fetch("/auth/account")).text(), /ada@example\.com/);
  const foreign = await ada.post("/auth/signout", {}, { origin: "https://evil.example" });
  assert.equal(foreign.status, 403, await foreign.text());
  await to("/", await ada.post("/auth/signout", {}));
  await to("/auth/signin", await ada.fetch("/dashboard"));
  const wrong = await ada.post("/auth/signin/passwords", { email, password: "wrong" });
  assert.equal(wrong.status, 401, await wrong.text());
  await to("/", await ada.post("/auth/signin/passwords", { email, password }));
  const other = createClient(origin);
  await to("/auth/forgot/sent$", await other.post("/auth/forgot", { email }));
  const reset = await openMailed(other, origin, { path: "/auth/reset", output });
  const chosen = "other words than before";
  await to("", await other.post("/auth/reset", { ...hiddenFields(reset), password: chosen }));
  await to("/auth/signin", await ada.fetch("/dashboard")); // a new password ends the sessions of before
  await to("/", await ada.post("/auth/signin/passwords", { email, password: chosen }));
  assert.equal(await (await ada.fetch("/dashboard")).text(), "Hello Ada");
  assert.doesNotMatch(output(), /client-address-unknown/);
  return ada;
}

/** Writes the application of the authentication's README, walks through it, and starts it anew; gives its folder. */
export async function useAuthAlone(
  { folder, runtime }: Pick<Machine, "folder" | "runtime">,
  tool: "npm" | "deno",
  start: string,
): Promise<string> {
  const { commands, files } = await readFiveMinutes("auth/README.md", tool);
  const place = join(folder, "auth");
  await Deno.mkdir(place);
  const app = await type(runtime, commands, place);
  for (const [name, text] of files) await Deno.writeTextFile(join(app, name), text);
  const text = files.get("app.ts")!;
  assert.ok(text.trim().split("\n").length <= 30, "the quick start has more than 30 lines");
  const line = `env PORT=${freePort()} ${start}`;
  let kept: Map<string, string>;
  const server = runtime.start(line, app);
  await serving(server, async (origin) => {
    kept = (await walkAccounts(origin, server.output)).cookies;
  });
  await serving(runtime.start(line, app), async (origin) => {
    const ada = createClient(origin);
    for (const [name, value] of kept) ada.cookies.set(name, value);
    assert.equal(await (await ada.fetch("/dashboard")).text(), "Hello Ada");
  });
  return app;
}

/**
 * Writes the worker of the authentication's README, serves it by wrangler, and walks through it.
 *
 * @param installed Folder of the application of the same README, which npm has installed.
 */
export async function useAuthOnWorker(
  { folder, runtime }: Machine,
  installed: string,
): Promise<void> {
  const { commands, files } = await readFiveMinutes(
    "auth/README.md",
    "npm",
    "The same on a worker",
  );
  const installs = ["npm install @framework/auth hono", "npm install --save-dev wrangler"];
  assert.deepEqual(commands.slice(0, 2), installs);
  const app = join(folder, "worker");
  await Deno.mkdir(app);
  await Deno.writeTextFile(join(app, "package.json"), '{ "private": true, "type": "module" }');
  for (const [name, text] of files) await Deno.writeTextFile(join(app, name), text);
  assert.ok(files.get("worker.ts")!.trim().split("\n").length <= 30);
  const dev = commands.pop()!;
  if (inMatrix) {
    await type(runtime, ["export npm_config_ignore_scripts=true", ...commands], app);
  } else {
    // npm has installed the same for the application, and the repository has wrangler, a hundred megabytes.
    await Deno.rename(join(installed, "node_modules"), join(app, "node_modules"));
    await linkWrangler(app);
    await type(runtime, commands.slice(2), app);
  }
  const server = runtime.start(`${dev} --port ${freePort()}`, app);
  await serving(server, async (origin) => {
    await walkAccounts(origin, server.output);
  });
}

async function linkWrangler(app: string): Promise<void> {
  const modules = join(app, "node_modules");
  await Deno.symlink(join(repositoryRoot, "node_modules", "wrangler"), join(modules, "wrangler"));
  await Deno.mkdir(join(modules, ".bin"), { recursive: true });
  await Deno.symlink("../wrangler/bin/wrangler.js", join(modules, ".bin", "wrangler"));
}

/** Types the hint of a command that lacks a package, and then the command again. */
export async function asHinted({ runtime }: Machine, line: string, app: string): Promise<void> {
  const refused = await runtime.shell(line, app);
  assert.equal(refused.code, 2, refused.stderr);
  const hint = /hint: Run `([^`]+)`/.exec(stripVTControlCharacters(refused.stderr))?.[1];
  assert.ok(hint !== undefined, refused.stderr);
  await succeed(runtime, hint, app);
}

/**
 * Every script that ends, with what the pipeline that is generated installs, of which they are the steps.
 *
 * @param options.elsewhere Scripts and commands that another test runs.
 */
export async function runEverything(
  machine: Machine,
  app: string,
  { script, framework, elsewhere = [] }: {
    script: string;
    framework: string;
    elsewhere?: readonly string[];
  },
): Promise<void> {
  const { runtime } = machine;
  // The other file of the starter's is run by tests/demo/, and what a page brings by tests/cli/generate_test.ts.
  const tests = inMatrix ? "" : " -- tests/app.test.ts";
  const { scripts } = JSON.parse(await Deno.readTextFile(join(app, "package.json")));
  assert.equal(scripts.deploy, "framework deploy");
  await succeed(runtime, `${framework} generate ci github`, app);
  const workflow = await Deno.readTextFile(join(app, ".github", "workflows", "ci.yml"));
  const steps = [...workflow.matchAll(/- run: (.*)/g)].map(([, step]) => step!);
  const [install, ...others] = steps;
  // npm takes away everything and unpacks it again, in the seconds that the whole rest takes; whether the lock file is right
  // it sees before.
  const isRepeated = install === "npm ci" && !inMatrix;
  await succeed(runtime, isRepeated ? `${install} --dry-run` : install!, app);
  const said: Record<string, string> = {};
  const left = ["dev", "lint", ...elsewhere];
  for (const name of Object.keys(scripts).filter((name) => !left.includes(name))) {
    // The README of the testing package has the short form. Without an account nothing is uploaded.
    const line = `${script} ${name}`.replace("npm run test", `npm test${tests}`)
      .replace("npm run deploy", "npm run deploy --")
      .replace(/ deploy.*/, "$& --dry-run");
    const { stdout, stderr } = await succeed(runtime, line, app);
    said[name] = stripVTControlCharacters(stdout + stderr);
  }
  if (said.test !== undefined) {
    assert.ok(Number(/Tests +(\d+) passed/.exec(said.test)?.[1]) >= STARTER_TESTS, said.test);
  }
  assert.ok(await exists(join(app, "dist", "worker.js")));
  if (said.deploy !== undefined) assert.match(said.deploy, /Nothing was deployed/);
  if (!elsewhere.includes("doctor")) {
    const { stdout } = await succeed(runtime, `${framework} doctor`, app);
    assert.match(stdout, /✓ linter +oxlint/);
  }
  // The quickest of the other steps is run as it stands there; each of the others is what a script runs.
  const commands = others.map((step) => step.split(" ").at(-1)!);
  assert.deepEqual(commands.toSorted(), ["build", "lint", "test", "typecheck"], workflow);
  for (const command of commands) assert.equal(scripts[command], `framework ${command}`);
  const launchers = new Set(others.map((step) => step.replace(/ \w+$/, "")));
  assert.equal(launchers.size, 1, workflow);
  const { stdout, stderr } = await succeed(runtime, `${[...launchers][0]} lint`, app);
  const lint = stripVTControlCharacters(stdout + stderr);
  assert.match(lint, /No problems \(conventions and oxlint\)/);
}

/** Has the application's tests shown in a page, with the package that the command asks for. */
export async function showTests(machine: Machine, app: string, framework: string): Promise<void> {
  const page = `${framework} test --ui`;
  await asHinted(machine, page, app);
  const served = machine.runtime.start(page, app);
  try {
    await served.waitFor(/__vitest__/, 300);
  } finally {
    await served.stop();
  }
}
