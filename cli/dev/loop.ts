import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { type AppScan, scanApp } from "../app/scan.ts";
import { examineAuth } from "../build/auth_check.ts";
import { findWrongExports, prepareBundle } from "../build/bundle_request.ts";
import type { DriverClient } from "../build/driver.ts";
import type { BundleRequest, HotFiles } from "../build/protocol.ts";
import { hasClientDirective } from "../client/assets.ts";
import type { ProjectConfig } from "../config/load.ts";
import { type Explanation, foldFrames } from "../emulator/source_positions.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import { assetsDirectory, workerRequest } from "../platform/worker_request.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import { CliError } from "../terminal/exit.ts";
import { describeRefusedWrite } from "../terminal/refused_write.ts";
import { contains } from "../tools/paths.ts";
import type { AppState } from "./server.ts";
import { findNestedDocuments } from "./nested_documents.ts";
import { createProxy } from "./proxy.ts";
import type { WatchList } from "./watcher.ts";

/** Time without file events before a build starts, in milliseconds: one save causes several events. */
const rest = 30;

/** The project as last read. */
export interface Project {
  config: ProjectConfig;
  platform: Platform;
}

/** Events of the development loop. */
export interface DevEvents {
  onRunning(details: {
    changed: string[];
    milliseconds: number;
    warnings: Diagnostic[];
    /** Addresses of the scripts with a new content, where nothing else has changed but stylesheets; otherwise null. */
    scripts: string[] | null;
    /** True when workerd was started again, which had messages of queues in its memory, if there were any. */
    losesMessages: boolean;
    /** File for which each save bundles everything, and its reason; null when a save costs what the edited file does. */
    whole: string | null;
  }): void;
  onBroken(problem: Problem): void;
  /** Called with the files that the next build depends on. */
  onWatch(list: WatchList): void;
  /**
   * Called for a cookie that the browser drops, because it is Secure and was sent over http from a
   * network address.
   */
  onDroppedCookie(details: { name: string; host: string }): void;
  /** Called with what to say of a worker that answers nothing, which is started again. */
  onHang(message: string): void;
}

/** Reason why the application does not run. */
export type Problem = { diagnostics: Diagnostic[] } | {
  message: string;
  hint?: string | undefined;
};

/** Options for {@linkcode createDevLoop}. */
export interface DevLoopOptions {
  driver: DriverClient;
  project: Project;
  /** True when browsers reach the server by https. */
  secure: boolean;
  /** Reads configuration and platform file again. */
  readProject(): Promise<Project>;
  /** Formats a problem as plain text. */
  describe(problem: Problem): string;
  events: DevEvents;
}

/** Keeps the worker up to date with the files. */
export interface DevLoop {
  /** State of the application, once it is up to date and no worker that has died is being started again. */
  state(): Promise<AppState>;
  /**
   * Reports changed files. One build runs at a time; changes during a build start another one, and
   * the first result is dropped.
   */
  change(paths: Set<string>): void;
  /** Builds and restarts the worker without a file change. */
  restart(): void;
  /** Resolves once a worker that has died answers again, or another is being started. */
  recover(): Promise<void>;
  /** Ends connections to the worker. */
  close(): void;
}

/** Starts the loop with a first build. */
export function createDevLoop(options: DevLoopOptions): DevLoop {
  const { driver, events } = options;
  let project = options.project;
  let inputs: readonly string[] = [];
  let authInputs: readonly string[] = [];
  let isAuthSound = false;
  /** Result of the last scan; undefined when the next build must scan. */
  let prepared: { scan: AppScan; request: BundleRequest } | undefined;
  let assetsRevision = 0;
  let hot: HotFiles = { clientOnly: [], versions: {} };
  /** Fingerprints of the scripts that open pages have, and the files of the application. */
  let open: { versions: HotFiles["versions"]; scan: string } = { versions: {}, scan: "" };
  let pending = new Set<string>();
  let state: AppState | undefined;
  let proxied: AppState & { kind: "running" } | undefined;
  let target: string | undefined;
  let losesMessages = false;
  let whole: string | null = null;
  let settled = Promise.withResolvers<AppState>();
  let busy = false;
  let lastChange = 0;
  let closed = false;
  let recovering: Promise<void> | undefined;

  async function build(changed: Set<string>): Promise<Diagnostic[] | Problem | null> {
    if ([...changed].some((path) => isProjectFile(path, project))) {
      prepared = undefined;
      project = await options.readProject();
    }
    const { config, platform } = project;
    const publicDir = assetsDirectory(config, platform);
    if ([...changed].some((path) => contains(publicDir, path))) assetsRevision++;
    // The previous build's files too, because they may change while this one runs.
    events.onWatch(watchList(project, inputs));
    if (![...changed].every(keepsScan)) prepared = undefined;
    if (prepared === undefined) {
      const scan = await scanApp(config.appDir);
      const request = await prepareBundle(project, scan, {
        dev: true,
        outDir: null,
        minify: false,
        sourcemap: true,
      });
      prepared = { scan, request };
    }
    const { scan, request } = prepared;
    const bundled = await driver.call("bundle", request);
    await restOfFiles();
    if (!bundled.ok) return { diagnostics: bundled.errors };
    inputs = bundled.inputs;
    hot = bundled.hot;
    whole = bundled.whole;
    events.onWatch(watchList(project, inputs));
    const missing = findWrongExports(scan, bundled.exports);
    if (missing.length > 0) return { message: missing.join("\n") };
    if (pending.size > 0) return null;
    const settings = workerRequest(project, assetsRevision);
    const [started, examined] = await Promise.allSettled([
      driver.call("serve", settings),
      examine(scan, changed),
    ]);
    if (started.status === "rejected") throw started.reason;
    const served = started.value;
    if (!served.ok) return startProblem(served);
    losesMessages ||= served.restarted && Object.keys(settings.queueConsumers).length > 0;
    if (served.control !== target) {
      proxied?.proxy.close();
      proxied = {
        kind: "running",
        proxy: createProxy(served, {
          secure: options.secure,
          onDroppedCookie: events.onDroppedCookie,
          onHang({ message }) {
            events.onHang(message);
            void recover({ hangs: true });
          },
        }),
      };
      target = served.control;
    }
    if (examined.status === "rejected") throw examined.reason;
    const fault = examined.value;
    if (fault !== null) return { message: fault.message, hint: fault.hint };
    return [...bundled.warnings, ...findNestedDocuments(config.root, scan)];
  }

  /** Returns the scripts that pages load again after a change of client components; null after others. */
  function newScripts(changed: string[]): string[] | null {
    const before = open;
    const { clientOnly, versions } = hot;
    open = { versions, scan: JSON.stringify(prepared!.scan) };
    const isOfBrowser = (name: string): boolean => clientOnly.includes(name.split(sep).join("/"));
    const isSmall = open.scan === before.scan &&
      changed.every((name) => isOfBrowser(name) || name.endsWith(".css"));
    if (!isSmall) return null;
    return Object.keys(versions).filter((each) => versions[each] !== before.versions[each]);
  }

  /** Examines the authentication, unless only other files changed. */
  async function examine(scan: AppScan, changed: Set<string>): Promise<CliError | null> {
    const { config } = project;
    const authDir = join(config.appDir, "auth");
    const known = authInputs.map((input) => join(config.root, input));
    const concerns = (path: string): boolean =>
      contains(authDir, path) || contains(path, authDir) || isProjectFile(path, project) ||
      basename(path) === ".dev.vars" || known.includes(path);
    if (isAuthSound && ![...changed].some(concerns)) return null;
    const { error, inputs } = await examineAuth({ ...project, scan, driver }, { dev: true });
    authInputs = inputs;
    isAuthSound = error === null;
    return error;
  }

  /** Returns true when a change does not affect the scan: most edits change only a file's content. */
  function keepsScan(path: string): boolean {
    if (prepared === undefined || !isFile(path)) return false;
    const { scan, request } = prepared;
    const kind = request.files[path];
    if (kind !== undefined) return kind !== "cron";
    if (scan.objects.includes(path)) return false;
    if (!inputs.includes(relative(project.config.root, path).split(sep).join("/"))) return false;
    return hasClientDirective(readFileSync(path, "utf8")) === scan.clients.includes(path);
  }

  /**
   * Waits for the files to settle. The bundle is made meanwhile and dropped if the save was not
   * complete.
   */
  async function restOfFiles(): Promise<void> {
    const open = lastChange + rest - performance.now();
    if (open > 0) await new Promise((resolve) => setTimeout(resolve, open));
  }

  async function run(): Promise<void> {
    busy = true;
    do {
      const changed = pending;
      pending = new Set();
      const started = performance.now();
      const outcome = await build(changed).catch(toProblem);
      if (outcome && !Array.isArray(outcome)) await restOfFiles();
      if (closed) return;
      if (pending.size > 0 || outcome === null) continue;
      if (Array.isArray(outcome)) {
        state = proxied!;
        const milliseconds = Math.round(performance.now() - started);
        // The root itself stands for a restart and is not a file name.
        const names = lasting([...changed])
          .map((path) => relative(project.config.root, path))
          .filter((name) => name !== "");
        const scripts = newScripts(names);
        events.onRunning({
          changed: names,
          milliseconds,
          warnings: outcome,
          scripts,
          losesMessages,
          whole,
        });
        losesMessages = false;
      } else {
        state = { kind: "broken", text: options.describe(outcome) };
        events.onBroken(outcome);
      }
    } while (pending.size > 0);
    busy = false;
    settled.resolve(state!);
  }

  function change(paths: Iterable<string>): void {
    for (const path of paths) pending.add(path);
    lastChange = performance.now();
    if (busy) return;
    settled = Promise.withResolvers();
    void run();
  }

  function recover(asked: { hangs: boolean }): Promise<void> {
    // Without the driver the command ends.
    return recovering ??= driver.call("recover", asked).catch(() => true).then((recovered) => {
      recovering = undefined;
      if (!recovered) change([project.config.root]);
    });
  }

  void run();
  return {
    async state() {
      await recovering;
      return await settled.promise;
    },
    change,
    restart() {
      // The emulator ignores a start with the same settings, so this one differs.
      assetsRevision++;
      change([project.config.root]);
    },
    recover: () => recover({ hangs: false }),
    close() {
      closed = true;
      proxied?.proxy.close();
    },
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function startProblem({ text, place }: Explanation): Problem {
  if (place === null) return { message: `The worker did not start.\n${text}` };
  const [, ...stack] = foldFrames(text).slice(place.message.length).split("\n");
  const notes = stack.length > 1 ? stack.map((line) => line.trim()) : [];
  return {
    diagnostics: [{ ...place, message: `The worker did not start: ${place.message}`, notes }],
  };
}

/** Returns the files to report, without an editor's temporary files. */
function lasting(changed: string[]): string[] {
  const present = changed.filter((path) => existsSync(path));
  return present.length > 0 ? present : changed;
}

function toProblem(thrown: unknown): Problem {
  const error = describeRefusedWrite(thrown) ?? thrown;
  if (error instanceof CliError) return { message: error.message, hint: error.hint };
  return { message: error instanceof Error ? error.stack ?? error.message : String(error) };
}

function isProjectFile(path: string, { config, platform }: Project): boolean {
  return path === config.file || path === platform.file ||
    (dirname(path) === config.root && basename(path).startsWith("framework.config."));
}

/**
 * Returns the files to watch besides the application folders: all other project files that are part
 * of the worker.
 */
function watchList({ config, platform }: Project, inputs: readonly string[]): WatchList {
  const folders = new Set([config.appDir, assetsDirectory(config, platform)]);
  const names = new Set([basename(platform.file), ".dev.vars", "framework.config.ts"]);
  if (config.file !== undefined) names.add(basename(config.file));
  for (const input of inputs) {
    const [first = "", ...rest] = input.split("/");
    if (first === ".framework") continue;
    if (rest.length === 0) names.add(first);
    else if (!contains(config.appDir, join(config.root, input))) {
      folders.add(join(config.root, first));
    }
  }
  for (const folder of [config.appDir, assetsDirectory(config, platform)]) {
    if (dirname(folder) === config.root) names.add(basename(folder));
  }
  return { folders: [...folders], root: config.root, names: [...names] };
}
