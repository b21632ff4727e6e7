import { join } from "node:path";
import type { ProjectConfig } from "../config/load.ts";
import { CliError } from "../terminal/exit.ts";
import { packageManager } from "../tools/packages.ts";
import type { PlannedFile } from "./plan.ts";

/** The commands of one run, and the runtime that they need. */
interface Pipeline {
  runtime: "node" | "deno";
  steps: string[];
}

/** Services for which a CI file can be generated. */
const services: Record<string, { path: string[]; text(pipeline: Pipeline): string }> = {
  github: { path: [".github", "workflows", "ci.yml"], text: githubWorkflow },
  gitlab: { path: [".gitlab-ci.yml"], text: gitlabPipeline },
};

/**
 * Plans a service's CI file, which checks the application at every push with the project's package
 * manager.
 *
 * @param name `github` or `gitlab`.
 * @throws {CliError} Exit code 1 for another service.
 */
export function planCi(name: string, { root }: ProjectConfig): PlannedFile[] {
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (service === undefined) {
    throw new CliError(`A CI file for ${JSON.stringify(name)} is not supported.`, {
      hint: `Use one of: ${Object.keys(services).join(", ")}.`,
    });
  }
  return [{
    path: join(root, ...service.path),
    text: service.text(pipelineOf(root)),
    within: root,
  }];
}

function pipelineOf(root: string): Pipeline {
  const manager = packageManager(root);
  const isDeno = manager.name === "deno";
  const run = isDeno ? "deno run -A npm:@framework/cli" : "npx framework";
  const steps = ["typecheck", "lint", "test", "build"].map((command) => `${run} ${command}`);
  return { runtime: isDeno ? "deno" : "node", steps: [installStep(manager), ...steps] };
}

/**
 * Returns the install step for the package manager of the lock file. Without a lock file, versions
 * could not be installed exactly.
 */
function installStep({ name, install, locked }: ReturnType<typeof packageManager>): string {
  switch (name) {
    case "npm":
      return locked ? "npm ci" : install;
    case "deno":
      return locked ? "deno install --frozen" : install;
    default:
      return `npx -y ${install} --frozen-lockfile`;
  }
}

function githubWorkflow({ runtime, steps }: Pipeline): string {
  const setup = runtime === "node"
    ? ["actions/setup-node@v5", "node-version: 22"]
    : ["denoland/setup-deno@v2", "deno-version: v2.x"];
  return `name: CI
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: ${setup[0]}
        with:
          ${setup[1]}
${steps.map((step) => `      - run: ${step}\n`).join("")}`;
}

function gitlabPipeline({ runtime, steps }: Pipeline): string {
  return `check:
  image: ${runtime === "node" ? "node:22" : "denoland/deno:2.9.6"}
  script:
${steps.map((step) => `    - ${step}\n`).join("")}`;
}
