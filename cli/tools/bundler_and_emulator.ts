import childProcess, { type ChildProcess } from "node:child_process";
import module, { createRequire } from "node:module";
import { join } from "node:path";

/** A message of esbuild. */
export interface EsbuildMessage {
  text: string;
  location: { file: string; line: number; column: number; length: number; lineText: string } | null;
  notes: { text: string; location: EsbuildMessage["location"] }[];
}

/** A file that esbuild built and did not write. */
export interface OutputFile {
  path: string;
  contents: Uint8Array;
  text: string;
  /** Fingerprint of the content. */
  hash?: string;
}

/** Part of esbuild's result that the driver reads. */
export interface EsbuildResult {
  warnings: EsbuildMessage[];
  outputFiles?: OutputFile[];
  metafile: {
    inputs: Record<string, {
      imports: { path: string; original?: string }[];
      format?: "esm" | "cjs";
    }>;
    outputs: Record<string, {
      entryPoint?: string;
      exports: string[];
      imports: { path: string; kind: string }[];
      inputs: Record<string, { bytesInOutput: number }>;
    }>;
  };
}

/** Repeatable build of esbuild. */
export interface EsbuildContext {
  rebuild(): Promise<EsbuildResult>;
  dispose(): Promise<void>;
}

/** Arguments of a plugin's resolve callback. */
export interface ResolveQuestion {
  path: string;
  kind: string;
  resolveDir: string;
  importer: string;
  pluginData?: unknown;
}

/** Part of an esbuild plugin that the driver uses. */
export interface EsbuildPlugin {
  name: string;
  setup(build: {
    onResolve(
      options: { filter: RegExp },
      answer: (asked: ResolveQuestion) => Promise<object | undefined> | object | undefined,
    ): void;
    onLoad(
      options: { filter: RegExp; namespace?: string },
      answer: (asked: { path: string }) => Promise<object | undefined> | object | undefined,
    ): void;
    resolve(
      path: string,
      question: Omit<ResolveQuestion, "path" | "importer"> & { importer?: string },
    ): Promise<{
      path: string;
      external: boolean;
      namespace: string;
      errors: unknown[];
    }>;
  }): void;
}

/** Part of esbuild that the driver uses. */
export interface Esbuild {
  version: string;
  context(options: object): Promise<EsbuildContext>;
  build(options: object): Promise<EsbuildResult>;
  transform(code: string): Promise<unknown>;
  stop(): Promise<void>;
}

/** A running emulator. */
export interface Emulator {
  ready: Promise<URL>;
  setOptions(options: object): Promise<void>;
  /** Sends a request to the first worker, under any URL. */
  dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>;
  /** Returns the URL of one entrypoint of a worker, without the static files in front of it. */
  unsafeGetDirectURL(worker: string, entrypoint: string): Promise<URL>;
  dispose(): Promise<void>;
}

/** Part of miniflare that the driver uses. */
export interface MiniflareModule {
  Miniflare: new (options: object) => Emulator;
  /** Response class of miniflare's services. */
  Response: typeof Response;
  /** Translates options of miniflare 4, which is missing there: miniflare 5 takes options of another form. */
  convertV4MiniflareOptions?(options: object): object;
}

/** esbuild, shared by several users. */
export interface HeldEsbuild {
  esbuild: Esbuild;
  /** Releases it; esbuild's process ends with its last user. */
  release(): Promise<void>;
}

/** Users of each project's esbuild, and what waits for the end of its process. */
const holders = new WeakMap<Esbuild, { users: number; ended: () => Promise<void> }>();

/**
 * Starts esbuild's process, and returns what waits for its end: `stop()` does not, and `deno test` would find that a test
 * has left a process behind. The first call starts it before it returns, and names it to nobody.
 */
function startProcess(esbuild: Esbuild): () => Promise<void> {
  const { spawn } = childProcess;
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> | undefined;
  const kept = (...args: Parameters<typeof spawn>): ChildProcess => {
    child = spawn(...args);
    ended = new Promise((resolve) => child!.once("exit", resolve).once("error", resolve));
    return child;
  };
  Object.assign(childProcess, { spawn: kept });
  try {
    // Whoever builds is told what is wrong with it.
    void esbuild.transform("").catch(() => {});
  } finally {
    Object.assign(childProcess, { spawn });
  }
  return async () => {
    child?.ref();
    await ended;
  };
}

/**
 * Loads the project's own esbuild. Its process ends with the last user, because ending it aborts
 * the builds of all users.
 */
export function holdEsbuild(root: string): HeldEsbuild {
  const esbuild = load<Esbuild>(root, "esbuild");
  const holder = holders.get(esbuild) ?? { users: 0, ended: startProcess(esbuild) };
  holders.set(esbuild, holder);
  holder.users++;
  return {
    esbuild,
    async release() {
      if (--holder.users !== 0) return;
      holders.delete(esbuild);
      await esbuild.stop();
      await holder.ended();
    },
  };
}

/** Loads the project's own miniflare: megabytes of code, whose compiled form is cached. */
export function loadMiniflare(root: string): MiniflareModule {
  // Deno has no such function; it caches compiled code by itself.
  module.enableCompileCache?.(join(root, ".framework", "cache", "compiled"));
  return load<MiniflareModule>(root, "miniflare");
}

/**
 * Returns options in the form of the installed miniflare.
 *
 * @param miniflare The module.
 * @param options In the form of miniflare 4.
 */
export function emulatorOptions(
  { convertV4MiniflareOptions: convert }: Pick<MiniflareModule, "convertV4MiniflareOptions">,
  options: { defaultPersistRoot?: unknown; [option: string]: unknown },
): object {
  if (convert === undefined) return options;
  const { defaultPersistRoot: resourcePersistencePath, ...others } = options;
  return convert({
    ...others,
    ...resourcePersistencePath !== undefined && { resourcePersistencePath },
  });
}

// Types are not imported: the packages belong to the project, and this package does not depend on
// them.
function load<T>(root: string, name: string): T {
  return createRequire(join(root, "package.json"))(name) as T;
}
