import { existsSync } from "node:fs";
import { basename } from "node:path";
import { hasAuth } from "../app/entry.ts";
import { scanApp } from "../app/scan.ts";
import { writeTypes } from "../app/types.ts";
import { demandSoundAuth } from "../build/auth_check.ts";
import { startDriver } from "../build/driver.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { createWatcher, type Watcher } from "../dev/watcher.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { runTypecheck } from "../tools/checkers.ts";
import { findPackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { toolExitCode } from "../tools/run.ts";

/** `framework typecheck`. */
export const command: Command = {
  name: "typecheck",
  summary: "Check the application's types",
  options: {
    watch: { type: "boolean", summary: "Check again when a file changes" },
    strict: { type: "boolean", summary: "Check strictly, regardless of tsconfig.json" },
  },
  verbose: "the files that are written",
  examples: ["framework typecheck", "framework typecheck --watch"],
  async run(ctx) {
    const config = await loadConfig(ctx.cwd, ctx.config);
    const { root } = config;
    for (const path of await writeTypes(config)) {
      ctx.output.detail(`Wrote ${displayPath(root, path)}`);
    }
    const { env, signal, values } = ctx;
    await demandSoundProject(config, env);
    const watch = values["watch"] === true;
    const watcher = watch ? keepTypes(config, ctx) : undefined;
    try {
      const result = await runTypecheck({ root, env, signal, stdio: "inherit" }, {
        watch,
        strict: values["strict"] === true,
      });
      if (result.code === 0 && !watch) ctx.output.success("No type errors");
      return toolExitCode(ctx, "The type checker", result.code);
    } finally {
      watcher?.close();
    }
  },
};

/** Reports mistakes in `app/auth` that types cannot express, if the tools for it are installed. */
async function demandSoundProject(
  config: ProjectConfig,
  env: Record<string, string | undefined>,
): Promise<void> {
  const { root, appDir, platformFile } = config;
  if (!existsSync(appDir) || !existsSync(platformFile)) return;
  const scan = await scanApp(appDir);
  if (!hasAuth(scan.auth) || findPackage("esbuild", root) === undefined) return;
  const driver = startDriver({ root, env, log: () => {} });
  try {
    await demandSoundAuth({ config, platform: await readPlatform(config), scan, driver });
  } finally {
    await driver.close();
  }
}

/** Rewrites the generated types when durable objects or queues are added, removed or renamed. */
function keepTypes(config: ProjectConfig, { output }: CommandContext): Watcher {
  const watcher = createWatcher({
    onChange: () => {
      // A name may be temporarily wrong: the checker continues with the existing types.
      writeTypes(config).catch((error: unknown) =>
        output.warn(error instanceof Error ? error.message : String(error))
      );
    },
  });
  watcher.update({
    folders: [config.appDir],
    root: config.root,
    names: [
      basename(config.platformFile),
      basename(config.appDir),
      ".dev.vars",
      ".dev.vars.example",
    ],
  });
  return watcher;
}
