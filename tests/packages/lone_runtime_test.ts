// What users do first, with the packed files, outside of the workspace, where one runtime is installed
// alone: the five minutes of the READMEs, as they are written there.
import assert from "node:assert/strict";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Build, buildPackages } from "../../scripts/npm.ts";
import { startRegistry } from "../../scripts/registry.ts";
import { exists } from "../../scripts/workspace.ts";
import { createClient } from "../support/client.ts";
import { freePort } from "../support/free_port.ts";
import { nodeIsAvailable } from "../support/node.ts";
import { until } from "../support/until.ts";
import { changePage, readFiveMinutes, serving, type } from "./five_minutes.ts";
import { type LoneRuntime, onlyDeno, onlyNode, succeed } from "./lone_runtime.ts";

interface Machine {
  folder: string;
  build: Build;
  runtime: LoneRuntime;
}

/** Number of the starter's tests; the generated page brings its own. */
const STARTER_TESTS = 14;

const password = "a few words are easiest";

async function onMachine(
  make: (folder: string, registry: string) => Promise<LoneRuntime>,
  work: (machine: Machine) => Promise<void>,
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
async function useStarter(
  { runtime }: Machine,
  app: string,
  { dev, generate }: { dev: string; generate: string },
): Promise<void> {
  await serving(runtime.start(dev, app), async (origin) => {
    const visitor = createClient(origin);
    const fields = { name: "Ada", email: "ada@example.com", password };
    const signedUp = await visitor.post("/signup", fields);
    assert.equal(signedUp.status, 303, await signedUp.text());
    // The answer to a sign-up is the same for everybody, so nobody is signed in by it.
    const { email } = fields;
    const signedIn = await visitor.post("/auth/signin/credentials", { email, password });
    assert.equal(signedIn.status, 303, await signedIn.text());
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

/** Writes the application of the authentication's README, and signs up, in and out. */
async function useAuthAlone(
  { folder, runtime }: Machine,
  tool: "npm" | "deno",
  start: string,
): Promise<void> {
  const { commands, files } = await readFiveMinutes("auth/README.md", tool);
  const place = join(folder, "auth");
  await Deno.mkdir(place);
  const app = await type(runtime, commands, place);
  for (const [name, text] of files) await Deno.writeTextFile(join(app, name), text);
  assert.ok(files.has("app.ts"));
  const port = `PORT=${freePort()}`;
  let kept: Map<string, string>;
  await serving(runtime.start(`env ${port} ${start}`, app), async (origin) => {
    const ada = createClient(origin);
    const refused = await ada.fetch("/account");
    assert.equal(refused.status, 303, await refused.text());
    assert.match(refused.headers.get("location")!, /\/auth\/signin\?callbackUrl=%2Faccount$/);
    const page = await ada.fetch("/auth/signin");
    assert.match(await page.text(), /type="password"/);
    const signedUp = await ada.post("/signup", { email: "Ada@example.com", password });
    assert.equal(signedUp.status, 303, await signedUp.text());
    assert.equal((await (await ada.fetch("/account")).json()).email, "Ada@example.com");
    const twice = await ada.post("/signup", { email: "ada@example.com", password });
    assert.equal(twice.status, 409, await twice.text());
    const foreign = await ada.post("/signup", { email: "eve@example.com", password }, {
      origin: "https://evil.example",
    });
    assert.equal(foreign.status, 403, await foreign.text());
    const signedOut = await ada.post("/auth/signout", {});
    assert.equal(signedOut.status, 303, await signedOut.text());
    const wrong = await ada.post("/auth/signin/credentials", {
      email: "ada@example.com",
      password: "?",
    });
    assert.equal(wrong.status, 401, await wrong.text());
    const right = await ada.post("/auth/signin/credentials", {
      email: "ada@example.com",
      password,
    });
    assert.equal(right.status, 303, await right.text());
    kept = ada.cookies;
  });
  await serving(runtime.start(`env ${port} ${start}`, app), async (origin) => {
    const ada = createClient(origin);
    for (const [name, value] of kept) ada.cookies.set(name, value);
    assert.equal((await (await ada.fetch("/account")).json()).email, "Ada@example.com");
  });
}

/** Types the hint of a command that lacks a package, and then the command again. */
async function asHinted({ runtime }: Machine, line: string, app: string): Promise<void> {
  const refused = await runtime.shell(line, app);
  assert.equal(refused.code, 2, refused.stderr);
  const hint = /hint: Run `([^`]+)`/.exec(stripVTControlCharacters(refused.stderr))?.[1];
  assert.ok(hint !== undefined, refused.stderr);
  await succeed(runtime, hint, app);
}

/** Every script that ends, and every step of the pipeline that is generated. */
async function runEverything(
  machine: Machine,
  app: string,
  { script, framework }: { script: string; framework: string },
): Promise<void> {
  const { runtime } = machine;
  const { scripts } = JSON.parse(await Deno.readTextFile(join(app, "package.json")));
  assert.equal(scripts.deploy, "framework deploy");
  const said: Record<string, string> = {};
  for (const name of Object.keys(scripts).filter((name) => name !== "dev")) {
    // The README of the testing package has the short form. Without an account nothing is uploaded.
    const line = `${script} ${name}`.replace("npm run test", "npm test")
      .replace("npm run deploy", "npm run deploy --")
      .replace(/ deploy.*/, "$& --dry-run");
    const { stdout, stderr } = await succeed(runtime, line, app);
    said[name] = stripVTControlCharacters(stdout + stderr);
  }
  assert.ok(Number(/Tests +(\d+) passed/.exec(said.test!)?.[1]) >= STARTER_TESTS, said.test);
  assert.match(said.lint!, /No problems \(conventions and oxlint\)/);
  assert.ok(await exists(join(app, "dist", "worker.js")));
  assert.match(said.deploy!, /Nothing was deployed/);
  const doctor = await succeed(runtime, `${framework} doctor`, app);
  assert.match(doctor.stdout, /✓ linter +oxlint/);
  await succeed(runtime, `${framework} generate ci github`, app);
  const workflow = await Deno.readTextFile(join(app, ".github", "workflows", "ci.yml"));
  const steps = [...workflow.matchAll(/- run: (.*)/g)].map(([, step]) => step!);
  assert.equal(steps.length, 5, workflow);
  for (const step of steps) await succeed(runtime, step, app);
  const page = `${framework} test --ui`;
  await asHinted(machine, page, app);
  const served = runtime.start(page, app);
  try {
    await served.waitFor(/__vitest__/, 300);
  } finally {
    await served.stop();
  }
}

/** Has the application's tests run by the command, which says how much of its own files they reach. */
async function measureCoverage(machine: Machine, app: string, framework: string): Promise<void> {
  const line = `${framework} test --coverage`;
  await asHinted(machine, line, app);
  const finished = await succeed(machine.runtime, line, app);
  const stdout = stripVTControlCharacters(finished.stdout);
  assert.match(stdout, /Tests +[1-9]\d* passed/);
  // Name, statements, branches, functions, lines.
  const covered = (file: string) => Number(new RegExp(`${file} +\\| +([\\d.]+)`).exec(stdout)?.[1]);
  for (const file of ["page.tsx", "route.ts", "middleware.ts"]) {
    assert.ok(covered(file.replace(".", "\\.")) > 0, `${file} is not covered:\n${stdout}`);
  }
  assert.doesNotMatch(stdout, /node_modules|worker\.js/);
}

// Tracks: R161, AB-02, SP-W5. No install script runs, and none is needed.
Deno.test({
  name: "with Node alone, npm installs the packed files, and an application is made, migrated, " +
    `served, changed, tested, checked and built, as the README says${
      nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
    }`,
  ignore: !nodeIsAvailable,
  fn: () =>
    onMachine(onlyNode, async (machine) => {
      const { build, folder, runtime } = machine;
      const files = build.packages.map(({ tarball }) => `"${tarball}"`).join(" ");
      const tool = join(folder, "tool");
      await Deno.mkdir(tool);
      await succeed(runtime, "npm init --yes", tool);
      await succeed(runtime, `npm install --ignore-scripts ${files}`, tool);
      await succeed(runtime, "npx --no-install framework --version", tool);

      const { commands } = await readFiveMinutes("cli/README.md", "npm");
      assert.deepEqual(await readFiveMinutes("README.md", "npm"), { commands, files: new Map() });
      const { commands: toTest } = await readFiveMinutes("testing/README.md", "npm");
      assert.deepEqual(toTest, [...commands.slice(0, 3), "npm test"]);
      const dev = commands.pop()!;
      assert.equal(dev, "npm run dev");
      const app = await type(
        runtime,
        ["export npm_config_ignore_scripts=true", ...commands],
        folder,
      );
      const generate = "npx framework generate page notes --loader";
      await useStarter(machine, app, { dev, generate });
      const framework = "npx --no-install framework";
      await runEverything(machine, app, { script: "npm run", framework });
      await measureCoverage(machine, app, framework);
    }),
});

Deno.test("with Deno alone, an application is made, migrated, served, changed, tested, checked and built, as the README says", () =>
  onMachine(onlyDeno, async (machine) => {
    const { folder, runtime } = machine;
    const tool = join(folder, "tool");
    await Deno.mkdir(tool);
    await succeed(runtime, "deno add --quiet npm:@framework/cli", tool);
    await succeed(runtime, "deno run -A npm:@framework/cli --version", tool);

    const { commands } = await readFiveMinutes("cli/README.md", "deno");
    assert.deepEqual(await readFiveMinutes("README.md", "deno"), { commands, files: new Map() });
    const { commands: toTest } = await readFiveMinutes("testing/README.md", "deno");
    assert.deepEqual(toTest, [...commands.slice(0, 3), "deno test -A"]);
    const dev = commands.pop()!;
    assert.equal(dev, "deno task dev");
    const app = await type(runtime, commands, folder);
    const generate = "deno run -A npm:@framework/cli generate page notes --loader";
    await useStarter(machine, app, { dev, generate });
    const { stdout } = await succeed(runtime, "deno test -A", app);
    assert.ok(Number(/ok \| (\d+) passed .*0 failed/.exec(stdout)?.[1]) >= STARTER_TESTS, stdout);
    const framework = "deno run -A npm:@framework/cli";
    await runEverything(machine, app, { script: "deno task", framework });
  }));

Deno.test({
  name: `with Node alone, the application of the authentication's README signs up, in and out${
    nodeIsAvailable ? "" : " [unavoidable: the registry has no Node for this machine]"
  }`,
  ignore: !nodeIsAvailable,
  fn: () => onMachine(onlyNode, (machine) => useAuthAlone(machine, "npm", "node app.ts")),
});

Deno.test("with Deno alone, the application of the authentication's README signs up, in and out", () =>
  onMachine(onlyDeno, (machine) => useAuthAlone(machine, "deno", "deno run -A app.ts")));
