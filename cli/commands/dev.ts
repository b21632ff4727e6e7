import { createDevLoop, type Problem } from "../dev/dev_loop.ts";
import { createFrontServer } from "../dev/front_server.ts";
import { createHostCheck } from "../dev/host_check.ts";
import { listen } from "../dev/listen.ts";
import { createWatcher } from "../dev/watcher.ts";
import { startDriver } from "../driver/client.ts";
import { formatDiagnostic } from "../driver/frame.ts";
import { bindingNames, missingBindings, workerRequest } from "../driver/worker_request.ts";
import { loadConfig } from "../project/config.ts";
import { readPlatform } from "../project/platform.ts";
import { requirePackage } from "../project/tools.ts";
import { type Colors, createColors } from "../terminal/colors.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import type { Command, CommandContext } from "./command.ts";

/** `framework dev`. */
export const command: Command = {
  name: "dev",
  summary: "Serve the application and reload it when a file changes",
  options: {
    port: {
      type: "integer",
      short: "p",
      default: 8787,
      min: 0,
      max: 65_535,
      summary: "Port to listen on, 0 for a free one",
      placeholder: "port",
    },
    host: {
      type: "string",
      default: "localhost",
      summary: "Address to listen on",
      placeholder: "address",
    },
  },
  examples: ["framework dev", "framework dev --port 3000"],
  run: serve,
};

async function serve(ctx: CommandContext): Promise<number> {
  const { output, explicit, values, signal } = ctx;
  const started = performance.now();
  const config = await loadConfig(ctx.cwd, ctx.config);
  const project = { config, platform: await readPlatform(config) };
  for (const tool of ["esbuild", "miniflare"]) requirePackage(tool, config.root);
  const exact = explicit.has("port");
  const port = exact ? Number(values["port"]) : config.dev.port;
  const host = explicit.has("host") ? String(values["host"]) : config.dev.host;

  const isOwnHost = createHostCheck(host, config.dev.allowedHosts);
  // The port is taken first: a conflict shows at once, and a browser that is already open waits instead of failing.
  const front = await listen(() => createFrontServer({ isOwnHost, state: () => loop.state() }), {
    host,
    port,
    exact,
  });
  if (port !== 0 && front.port !== port) {
    output.warn(`Port ${port} is in use; serving on ${front.port} instead.`);
  }
  const driver = startDriver({
    root: config.root,
    env: ctx.env,
    log: (text) => output.info(text.trimEnd()),
  });
  const watcher = createWatcher({ onChange: (paths) => loop.change(paths) });
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${front.port}`;
  let isFirst = true;
  const loop = createDevLoop({
    driver,
    project,
    readProject: async () => {
      const config = await loadConfig(ctx.cwd, ctx.config);
      return { config, platform: await readPlatform(config) };
    },
    describe: (problem) => describe(problem, createColors(false)),
    events: {
      onWatch: (list) => watcher.update(list),
      onBroken: (problem) => {
        output.error(describe(problem, output.color));
        if (isFirst) output.info(`${url} shows this until the next good save.`);
      },
      onRunning: ({ changed, milliseconds, warnings }) => {
        for (const warning of warnings) output.warn(formatDiagnostic(warning, output.color));
        if (!isFirst) return output.info(`Reloaded ${shorten(changed)} (${milliseconds} ms)`);
        isFirst = false;
        const bindings = bindingNames(workerRequest(project, 0)).join(", ") || "none";
        const time = Math.round(performance.now() - started);
        output.success(
          `${project.platform.name} is ready at ${url} (bindings: ${bindings}; ${time} ms)`,
        );
      },
    },
  });
  const missing = missingBindings(project.platform);
  if (missing.length > 0) output.warn(`Not available in development: ${missing.join(", ")}.`);

  try {
    const reason = await Promise.race([
      driver.ended.then(() => "driver" as const),
      interrupted(signal),
    ]);
    if (reason === "interrupted") return ExitCode.interrupted;
    throw new CliError("The process that runs the worker has ended.", {
      hint: "Start `framework dev` again.",
    });
  } finally {
    watcher.close();
    loop.close();
    for (const server of front.servers) {
      server.close();
      server.closeAllConnections();
    }
    await driver.close();
  }
}

function describe(problem: Problem, color: Colors): string {
  if ("diagnostics" in problem) {
    return problem.diagnostics.map((each) => formatDiagnostic(each, color)).join("\n\n");
  }
  return problem.hint === undefined ? problem.message : `${problem.message}\n${problem.hint}`;
}

function shorten(changed: string[]): string {
  const [first = "", ...others] = changed;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function interrupted(signal: AbortSignal): Promise<"interrupted"> {
  if (signal.aborted) return Promise.resolve("interrupted");
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
  });
}
