import { scanApp } from "../app/scan.ts";
import { hasAuth } from "../app/entry.ts";
import { examineAuth } from "../build/auth_check.ts";
import { startDriver } from "../build/driver.ts";
import { loadConfig } from "../config/load.ts";
import { readPlatform } from "../platform/wrangler_file.ts";
import type { Command } from "../terminal/command.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { createColors } from "../terminal/output.ts";
import { requirePackage } from "../tools/packages.ts";
import { displayPath } from "../tools/paths.ts";

/** `framework openapi`. */
export const command: Command = {
  name: "openapi",
  summary: "Describe the endpoints of accounts and sign-in for clients in other languages",
  options: {
    administration: {
      type: "boolean",
      summary: "The endpoints for administrators, which the other document leaves out",
    },
  },
  examples: [
    "framework openapi > auth.openapi.json",
    "framework openapi --administration > administration.openapi.json",
  ],
  async run({ cwd, config: options, env, output, values }) {
    const config = await loadConfig(cwd, options);
    const { root } = config;
    requirePackage("esbuild", root);
    const scan = await scanApp(config.appDir);
    if (!hasAuth(scan.auth)) {
      throw new CliError(
        `The application has no accounts: there is no ${displayPath(root, config.appDir)}/auth.`,
        {
          exitCode: ExitCode.config,
          hint:
            "Run `framework generate auth`. For the application's own routes, run `framework routes --openapi`.",
        },
      );
    }
    const platform = await readPlatform(config);
    const { readInfo } = await import("../build/openapi.ts");
    const describe = {
      ...await readInfo(root),
      administration: values["administration"] === true,
    };
    const driver = startDriver({ root, env, log: (text) => output.detail(text.trimEnd()) });
    try {
      const { error, errors, document } = await examineAuth(
        { config, platform, scan, driver },
        { dev: false, describe },
      );
      if (errors.length > 0) {
        const text = errors.map((each) => formatDiagnostic(each, createColors(false))).join("\n\n");
        throw new CliError(`app/auth cannot be loaded.\n${text}`, { exitCode: ExitCode.build });
      }
      if (error !== null) throw error;
      if (document === null) {
        throw new CliError("app/auth cannot be set up with the environment that is known here.", {
          exitCode: ExitCode.config,
          hint: "Set the variables that it reads in .dev.vars.",
        });
      }
      output.data(JSON.stringify(document, null, 2));
      return ExitCode.ok;
    } finally {
      await driver.close();
    }
  },
};
