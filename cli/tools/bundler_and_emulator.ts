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

/** Number of users of each project's esbuild. */
const holders = new WeakMap<Esbuild, number>();

/**
 * Loads the project's own esbuild. Its process ends with the last user, because ending it aborts
 * the builds of all users.
 */
export function holdEsbuild(root: string): HeldEsbuild {
  const esbuild = load<Esbuild>(root, "esbuild");
  holders.set(esbuild, (holders.get(esbuild) ?? 0) + 1);
  return {
    esbuild,
    async release() {
      const left = holders.get(esbuild)! - 1;
      holders.set(esbuild, left);
      if (left === 0) await esbuild.stop();
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
