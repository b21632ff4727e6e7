import { existsSync } from "node:fs";
import { basename } from "node:path";
import { hasAuth } from "../app/entry.ts";
import { scanApp } from "../app/scan.ts";
import { writeTypes } from "../app/write_types.ts";
import { demandSoundAuth } from "../build/auth_check.ts";
import { startDriver } from "../build/driver.ts";
import { loadConfig, type ProjectConfig } from "../config/config.ts";
import { createWatcher, type Watcher } from "../dev/watcher.ts";
import { readPlatform } from "../platform/platform_file.ts";
import type { Command, CommandContext } from "../terminal/command.ts";
import { runTypecheck } from "../tools/checkers.ts";
import { findPackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";
import { toolExitCode } from "../tools/run_tool.ts";

/** `framework typecheck`. */
export const command: Command = {
  name: "typecheck",
  summary: "Check the application's types",
  options: {
    watch: { type: "boolean", summary: "Check again whenever a file changes" },
    strict: { type: "boolean", summary: "Check strictly, whatever tsconfig.json says" },
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

/**
 * Reports faults of `app/auth` that types cannot show, as far as the tools for it are installed.
 */
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

/** A durable object or a queue that comes, goes or is renamed changes types that no file of the application holds. */
function keepTypes(config: ProjectConfig, { output }: CommandContext): Watcher {
  const watcher = createWatcher({
    onChange: () => {
      // A name that is wrong for the moment: the checker goes on with the types that it has.
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
