import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasAuth } from "../app/entry.ts";
import { scanApp } from "../app/scan.ts";
import { writeTypes } from "../app/types.ts";
import { demandSoundAuth } from "../build/auth_check.ts";
import { startDriver } from "../build/driver.ts";
import { loadConfig, type ProjectConfig } from "../config/load.ts";
import { watchTypes } from "../dev/type_watch.ts";
import { describeUndeclared } from "../migrate/pending.ts";
import { demandApplication, readPlatform } from "../platform/wrangler_file.ts";
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
    demandApplication(config);
    for (const path of await writeTypes(config)) {
      ctx.output.detail(`Wrote ${displayPath(root, path)}`);
    }
    warnUnread(root, ctx);
    await warnUndeclared(config, ctx);
    const { env, signal, values } = ctx;
    await demandSoundProject(config, env);
    const watch = values["watch"] === true;
    // A name may be temporarily wrong: the checker continues with the existing types.
    const watcher = watch
      ? watchTypes(
        config,
        (error) => ctx.output.warn(error instanceof Error ? error.message : String(error)),
      )
      : undefined;
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

/** Warns when `tsconfig.json` leaves the generated types out: everything would then be accepted. */
function warnUnread(root: string, { output }: CommandContext): void {
  const file = join(root, "tsconfig.json");
  if (!existsSync(file) || !existsSync(join(root, ".framework", "types"))) return;
  if (/\.framework\/types|"extends"/.test(readFileSync(file, "utf8"))) return;
  output.warn(
    "tsconfig.json does not read the generated types: paths, data, tables and bindings are not " +
      'checked. Add "types": ["./.framework/types/index.d.ts"] to its compilerOptions.',
  );
}

/** Warns when no database has the tables of the migrations: every query would then be accepted. */
async function warnUndeclared(config: ProjectConfig, { output }: CommandContext): Promise<void> {
  if (!existsSync(config.platformFile)) return;
  const warning = await describeUndeclared(config, await readPlatform(config));
  if (warning !== null) output.warn(warning);
}

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
