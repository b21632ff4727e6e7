import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type AppScan, scanApp } from "../app/scan.ts";
import { generatedDir } from "../build/bundle_request.ts";
import { buildProject, type BuildSummary } from "../build/production.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { formatPlan, planDeployment } from "../deploy/plan.ts";
import { listSecrets, upload, type UploadSubject } from "../deploy/upload.ts";
import { type DeployEnvironment, findEnvironment } from "../platform/environments.ts";
import { type Platform, readPlatform } from "../platform/wrangler_file.ts";
import { planSecrets, putCommand, refuseMissingSecrets } from "../platform/secrets.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { formatBytes } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";

/** `framework deploy`. */
export const command: Command = {
  name: "deploy",
  summary: "Build the worker and deploy it with wrangler",
  options: {
    env: {
      type: "string",
      short: "e",
      default: "production",
      placeholder: "name",
      summary:
        "Environment in wrangler.jsonc; production is the top level unless env.production exists",
    },
    "dry-run": {
      type: "boolean",
      summary: "Show what would be deployed, without sending anything",
    },
    json: { type: "boolean", summary: "Write the plan, or what was deployed, as JSON" },
  },
  verbose: "wrangler's output",
  examples: ["framework deploy", "framework deploy --env staging", "framework deploy --dry-run"],
  async run(ctx) {
    const { output, values } = ctx;
    const config = await loadConfig(ctx.cwd, ctx.config);
    const platform = await readPlatform(config);
    const environment = findEnvironment(platform, String(values["env"]));
    const secrets = planSecrets(config.root, environment);
    for (const name of secrets.inPlainText) {
      output.warn(
        `${name} is stored as plain text in ${basename(platform.file)}. Set it with \`${
          putCommand(name, environment.name)
        }\` instead.`,
      );
    }
    if (environment.notInherited.length > 0) {
      output.warn(
        `The environment ${environment.name} does not inherit ${
          environment.notInherited.join(", ")
        } from the top level.`,
      );
    }
    const scan = await scanApp(config.appDir);
    const subject: Subject = { config, platform, scan, environment, secrets: secrets.needed };
    return await (values["dry-run"] === true ? preview(ctx, subject) : deploy(ctx, subject));
  },
};

interface Subject {
  config: ProjectConfig;
  platform: Platform;
  scan: AppScan;
  environment: DeployEnvironment;
  secrets: string[];
}

function build(ctx: CommandContext, subject: Subject): Promise<BuildSummary> {
  const { config, platform, scan, environment } = subject;
  const { minify, sourcemap } = config.build;
  const { env, signal, output } = ctx;
  // The platform file was read with the same rule: an object.
  const vars = (environment.section["vars"] ?? {}) as Platform["vars"];
  return buildProject({ config, platform, scan, vars, minify, sourcemap, env, signal, output });
}

/** Builds into a temporary folder, so that a preview leaves nothing behind. */
async function preview(ctx: CommandContext, subject: Subject): Promise<number> {
  const { output } = ctx;
  const outDir = join(generatedDir(subject.config.root), "preview");
  try {
    const built = await build(ctx, { ...subject, config: { ...subject.config, outDir } });
    const plan = await planDeployment({ ...subject, built });
    output.data(
      ctx.values["json"] === true ? JSON.stringify({ dryRun: true, ...plan }) : formatPlan(plan),
    );
    if (plan.size.gzipBytes > plan.size.freeLimit) {
      output.warn("The worker is larger than the platform's free plan allows.");
    }
    output.info("Nothing was deployed, and the platform was not contacted.");
    return ExitCode.ok;
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

async function deploy(ctx: CommandContext, subject: Subject): Promise<number> {
  const { output, signal } = ctx;
  const { config, environment, secrets } = subject;
  requirePackage("wrangler", config.root);
  const built = await build(ctx, subject);
  output.info(`Built the worker: ${formatBytes(built.gzipBytes)} compressed`);
  const target: UploadSubject = {
    root: config.root,
    env: ctx.env,
    signal,
    onOutput: (text) => output.detail(text.trimEnd()),
    configFile: join(config.outDir, "wrangler.json"),
    environment: environment.args,
  };
  if (secrets.length > 0) {
    refuseMissingSecrets(secrets, await listSecrets(target), environment.name);
  }
  if (signal.aborted) throw interrupted();
  const deployment = await upload(target);
  const { workerName: worker } = environment;
  if (ctx.values["json"] === true) {
    output.data(
      JSON.stringify({ dryRun: false, worker, environment: environment.name, ...deployment }),
    );
  }
  output.success(`Deployed ${worker}`);
  for (const address of deployment.targets) output.info(`  ${address}`);
  return ExitCode.ok;
}

function interrupted(): CliError {
  return new CliError("The deployment was interrupted.", { exitCode: ExitCode.interrupted });
}
