import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeTypes } from "../app/types.ts";
import { generatedDir } from "../build/bundle_request.ts";
import type { DriverClient } from "../build/driver.ts";
import { type Explanation, foldFrames } from "../emulator/source_positions.ts";
import { describeUndeclared, readPending } from "../migrate/pending.ts";
import { cronsOf } from "../platform/server_settings.ts";
import {
  assetsDirectory,
  bindingNames,
  missingBindings,
  workerRequest,
} from "../platform/worker_request.ts";
import type { CommandContext } from "../terminal/command.ts";
import { formatDiagnostic } from "../terminal/diagnostics.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { type Colors, createColors } from "../terminal/output.ts";
import { pointToCode } from "../tools/error_codes.ts";
import { keepCertificate, settingsFolder } from "./certificate.ts";
import { createBrowserErrors, type ErrorText } from "./browser_errors.ts";
import { createDevLoop, type DevLoop, type Problem, type Project } from "./loop.ts";
import { createFrontServer } from "./server.ts";
import { createHostCheck, isEveryAddress, networkAddresses } from "./host_check.ts";
import { listenToKeys, openBrowser } from "./keys.ts";
import { listen } from "./port.ts";
import { createLiveReload } from "./live_reload.ts";
import { watchTypes } from "./type_watch.ts";
import { createWatcher } from "./watcher.ts";

/** Options for {@linkcode serve}, besides the command line. */
export interface ServeOptions {
  driver: DriverClient;
  project: Project;
  /** Reads configuration and platform file again. */
  readProject(): Promise<Project>;
  /** Start of the command, as of `performance.now()`. */
  started: number;
}

/**
 * Serves the application until the user ends it.
 *
 * @param ctx The command line.
 * @returns The exit code.
 * @throws {CliError} When the port is taken, or when the driver ends.
 */
export async function serve(ctx: CommandContext, options: ServeOptions): Promise<number> {
  const { output, explicit, values } = ctx;
  const { driver, project, started } = options;
  const { config } = project;
  let { platform } = project;
  const typesWritten = writeTypes(config).catch(leaveToLoop);
  const exact = explicit.has("port");
  const port = exact ? Number(values["port"]) : config.dev.port;
  const host = explicit.has("host") ? String(values["host"]) : config.dev.host;
  const secure = values["https"] === true;
  const certificate = secure
    ? await keepCertificate(host, { folder: settingsFolder(ctx.env), now: Date.now() })
    : undefined;

  const isOwnHost = createHostCheck(host, config.dev.allowedHosts);
  const live = createLiveReload();
  const state: DevLoop["state"] = () => loop.state();
  // The port is taken first: a conflict shows at once, and a browser that is already open waits instead of failing.
  const explain = async (stack: string): Promise<ErrorText> => {
    const explained = describeExplained(await driver.call("explain", { text: stack }));
    const notes = [
      isMissingSchema(stack) ? await describePending(project) : undefined,
      pointToCode(stack, config.root),
    ];
    const head = notes.filter((note) => note !== undefined).map((note) => `${note}\n\n`).join("");
    return { text: head + explained.text, all: head + explained.all };
  };
  const assets = join(generatedDir(config.root), "assets");
  const takeError = createBrowserErrors({
    root: config.root,
    assets,
    describe: describeExplained,
    report: ({ text }, page) =>
      output.error(`${page} failed in the browser. ${output.verbose ? text : foldFrames(text)}`),
  });
  const front = await listen(
    () =>
      createFrontServer({
        isOwnHost,
        state,
        recover: () => loop.recover(),
        live,
        assets,
        publicDir: assetsDirectory(config, project.platform),
        explain,
        takeError,
        schedules: () => cronsOf(platform),
        certificate,
      }),
    { host, port, exact },
  );
  if (port !== 0 && front.port !== port) {
    output.warn(`Port ${port} is in use; serving on ${front.port} instead.`);
  }
  if (certificate?.isNew) {
    output.info(`Created a certificate. To avoid the browser's warning, trust ${certificate.file}`);
  }
  const watcher = createWatcher({ onChange: (paths) => loop.change(paths) });
  const migrations = followMigrations(() => describePending({ config, platform }), output.warn);
  const types = watchTypes(config, leaveToLoop, migrations.change);
  const scheme = secure ? "https" : "http";
  const urlOf = (name: string): string =>
    `${scheme}://${name.includes(":") ? `[${name}]` : name}:${front.port}`;
  const url = urlOf(isEveryAddress(host) ? "localhost" : host);
  const open = (): void => void openBrowser(url, ctx.env).then(warnUnopened);
  const dropping = new Set<string>();
  let isFirst = true;
  let wasBroken = false;
  let saidWhole: string | null = null;
  const loop = createDevLoop({
    driver,
    project,
    secure,
    readProject: async () => {
      const next = await options.readProject();
      types.update(next.config);
      platform = next.platform;
      await writeTypes(next.config).catch(leaveToLoop);
      return next;
    },
    describe: (problem) => describe(problem, createColors(false)),
    events: {
      onWatch: (list) => watcher.update(list),
      onDroppedCookie: ({ name, host: reached }) => {
        if (dropping.has(reached)) return;
        dropping.add(reached);
        output.warn(
          `Browsers at ${
            urlOf(reached)
          } drop the cookie ${name}: it is Secure, and this is plain http. ` +
            `Sign-in works there with \`framework dev --host ${host} --https\`.`,
        );
      },
      onHang: (message) => output.error(message),
      onBroken: (problem) => {
        output.error(describe(problem, output.color));
        if (isFirst) output.info(`${url} shows this error until the next successful build.`);
        wasBroken = true;
        live.publish("reload");
      },
      onRunning: ({ changed, milliseconds, warnings, scripts, losesMessages, whole }) => {
        for (const warning of warnings) output.warn(formatDiagnostic(warning, output.color));
        if (whole !== null && whole !== saidWhole) {
          output.warn(
            `Each save bundles the whole application, which takes longer, because of ${whole}.`,
          );
        }
        saidWhole = whole;
        const isPart = !wasBroken && scripts !== null && changed.length > 0;
        live.publish(isPart ? { scripts, styles: changed.some(isStyle) } : "reload");
        wasBroken = false;
        if (!isFirst) {
          const loss = losesMessages ? `. ${lostMessages}` : "";
          return output.info(`${describeChange(changed)} (${milliseconds} ms)${loss}`);
        }
        isFirst = false;
        // Printed even with --quiet, because the port may have been chosen automatically.
        if (output.quiet) return output.data(url);
        const bindings = bindingNames(workerRequest(project, 0)).join(", ") || "none";
        const time = Math.round(performance.now() - started);
        output.success(
          `${project.platform.name} is ready at ${url} (bindings: ${bindings}; ${time} ms)`,
        );
        if (isEveryAddress(host)) {
          output.info(`  on the network: ${networkAddresses().map(urlOf).join(", ") || "nowhere"}`);
          if (!secure && existsSync(join(config.appDir, "auth"))) {
            output.info(
              "  sign-in there requires --https: cookies are Secure except on localhost",
            );
          }
        }
        void migrations.report();
        if (ctx.keyboard !== undefined) output.info(keyHelp);
      },
    },
  });
  const missing = missingBindings(project.platform);
  if (missing.length > 0) output.warn(`Not available in development: ${missing.join(", ")}.`);
  if (values["open"] === true) open();

  function warnUnopened(reason: string | undefined): void {
    if (reason !== undefined) output.warn(`The browser could not be opened (${reason}): ${url}`);
  }

  const end = interruption(ctx, { open, restart: () => loop.restart() });
  try {
    const code = await Promise.race([driver.ended, end.code]);
    if (code !== undefined) return code;
    throw new CliError("The process that runs the worker has ended.", {
      hint: "Start `framework dev` again.",
    });
  } finally {
    end.release();
    watcher.close();
    types.close();
    loop.close();
    live.close();
    for (const server of front.servers) {
      server.close();
      server.closeAllConnections();
    }
    await typesWritten;
  }
}

/** Addition to the line of a reload by another workerd: messages of queues were in the memory of the one before. */
const lostMessages =
  "workerd was started again: messages that waited in queues, or were being handled, are gone.";

const keyHelp = "Keys: o opens the browser, r restarts the worker, q quits, h shows this line.";

/** Time without changes of migrations before they are compared with the database, in milliseconds. */
const pause = 200;

/**
 * Says what the migrations and the local database lack of each other, once for each difference: after a change of
 * branch, too.
 *
 * @param describe Describes the difference; undefined for none.
 */
function followMigrations(
  describe: () => Promise<string | undefined>,
  warn: (note: string) => void,
): { report(): Promise<void>; change(): void } {
  let said: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  async function report(): Promise<void> {
    const note = await describe();
    if (note !== undefined && note !== said) warn(note);
    said = note;
  }
  return {
    report,
    change() {
      clearTimeout(timer);
      timer = setTimeout(report, pause);
    },
  };
}

/** Returns true for an error of the database that a pending migration may be the reason of. */
function isMissingSchema(stack: string): boolean {
  return /\bno such (?:table|column)\b|\bhas no column named\b/.test(stack);
}

/**
 * Describes the pending migrations and those whose file is gone, or that they have no database: a query of a missing
 * table is a 500 that names neither the file nor the command.
 *
 * @returns undefined when files and database agree.
 */
async function describePending({ config, platform }: Project): Promise<string | undefined> {
  try {
    const undeclared = await describeUndeclared(config, platform);
    if (undeclared !== null) return undeclared;
    const { pending, missing } = await readPending(config, platform);
    if (missing.length > 0) {
      return `The local database has ${
        listOf(missing)
      }, which no file describes any more. Restore it, for example ` +
        "from version control, or begin anew: `framework migrate reset --local --force`, then `framework migrate up`.";
    }
    if (pending.length === 0) return undefined;
    return `The local database lacks ${listOf(pending)}. Run \`framework migrate up\`.`;
  } catch {
    // `framework migrate` reports mistakes in the files or the database.
    return undefined;
  }
}

function listOf([first, ...others]: string[]): string {
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more`;
}

/**
 * Resolves with the exit code when the user wants to end: by a signal, or by a key when there is a
 * keyboard.
 */
function interruption(
  { keyboard, signal, output }: CommandContext,
  actions: { open(): void; restart(): void },
): { code: Promise<number>; release(): void } {
  const { promise: code, resolve } = Promise.withResolvers<number>();
  const interrupt = (): void => resolve(ExitCode.interrupted);
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  const releaseKeys = keyboard && listenToKeys(keyboard, {
    ...actions,
    help: () => output.info(keyHelp),
    quit: (interrupted) => resolve(interrupted ? ExitCode.interrupted : ExitCode.ok),
  });
  return {
    code,
    release() {
      signal.removeEventListener("abort", interrupt);
      releaseKeys?.();
    },
  };
}

/** Ignores an error of the routes or migrations: the build or `migrate up` reports it. */
function leaveToLoop(): void {}

function describeExplained({ text, place }: Explanation): ErrorText {
  const frame = place === null ? "" : `${formatDiagnostic(place, createColors(false))}\n\n`;
  return { text: frame + foldFrames(text), all: frame + text };
}

function describe(problem: Problem, color: Colors): string {
  if ("diagnostics" in problem) {
    return problem.diagnostics.map((each) => formatDiagnostic(each, color)).join("\n\n");
  }
  return problem.hint === undefined ? problem.message : `${problem.message}\n${problem.hint}`;
}

/** Their addresses stay the same in development, so that a change of one changes nothing else. */
function isStyle(path: string): boolean {
  return path.endsWith(".css");
}

function describeChange(changed: string[]): string {
  const [first, ...others] = changed;
  if (first === undefined) return "Restarted";
  return `Reloaded ${first}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
