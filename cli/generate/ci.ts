import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProjectConfig } from "../project/config.ts";
import { CliError } from "../terminal/exit.ts";
import type { PlannedFile } from "./plan.ts";

/** The services for which a file is written. */
const services: Record<string, { path: string[]; text(steps: readonly string[]): string }> = {
  github: { path: [".github", "workflows", "ci.yml"], text: githubWorkflow },
  gitlab: { path: [".gitlab-ci.yml"], text: gitlabPipeline },
};

/**
 * Says which file has a service check the application at every push.
 *
 * @param name `github` or `gitlab`.
 * @throws {CliError} Exit code 1 for another service.
 */
export function planCi(name: string, { root }: ProjectConfig): PlannedFile[] {
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (service === undefined) {
    throw new CliError(`There is no CI file for ${JSON.stringify(name)}.`, {
      hint: `Write one of: ${Object.keys(services).join(", ")}.`,
    });
  }
  const steps = [installStep(root), ...["typecheck", "lint", "test", "build"].map(runStep)];
  return [{ path: join(root, ...service.path), text: service.text(steps), within: root }];
}

/** A lock file says by which tool the packages came. Without one nothing could be installed exactly. */
function installStep(root: string): string {
  if (existsSync(join(root, "pnpm-lock.yaml"))) return "npx -y pnpm install --frozen-lockfile";
  if (existsSync(join(root, "yarn.lock"))) return "npx -y yarn install --frozen-lockfile";
  return existsSync(join(root, "package-lock.json")) ? "npm ci" : "npm install";
}

function runStep(command: string): string {
  return `npx framework ${command}`;
}

function githubWorkflow(steps: readonly string[]): string {
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
      - uses: actions/setup-node@v5
        with:
          node-version: 22
${steps.map((step) => `      - run: ${step}\n`).join("")}`;
}

function gitlabPipeline(steps: readonly string[]): string {
  return `check:
  image: node:22
  script:
${steps.map((step) => `    - ${step}\n`).join("")}`;
}
