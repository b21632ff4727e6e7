import type { AppAssets } from "../client/assets.ts";
import type { Explanation } from "../emulator/source_positions.ts";
import type { PrerenderRequest, PrerenderResult } from "../emulator/prerender.ts";
import type { ServeResult } from "../emulator/runner.ts";
import type { ServerTarget } from "../platform/server_settings.ts";
import type { ServeRequest } from "../platform/worker_request.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import type { Diagnostic } from "../terminal/diagnostics.ts";
import type { BundledPackages } from "./notices.ts";
import type { JsonObject, JsonValue } from "../tools/jsonc.ts";

/** Request to bundle an application. */
export interface BundleRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the worker's entry. */
  entry: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /** Files of the application, by absolute path, whose exports are needed. */
  files: Record<string, ModuleKind>;
  /** Absolute paths of the files of durable objects. */
  objects: string[];
  /**
   * Absolute path of the application folder; names such as `app/page.tsx` are relative to its
   * parent.
   */
  appDir: string;
  /** Names in the folder of static files, which stylesheets may reference. */
  staticNames: string[];
  /** Files that also run in the browser. */
  clients: ClientEntry[];
  /** True when the application has files in `app/auth`. */
  hasAuth: boolean;
  /** True for `framework dev`: browser files keep their addresses between builds. */
  dev: boolean;
  /** Folder that worker.js is written to; null keeps it in the driver for `serve`. */
  outDir: string | null;
  minify: boolean;
  sourcemap: boolean;
  /** Builds for a server instead of Workers. Default: Workers. */
  server?: { target: ServerTarget; entry: string } | undefined;
}

/** A file that also runs in the browser. */
export interface ClientEntry {
  /** File name, such as `app/_components/counter.tsx`. */
  file: string;
  /** Absolute path of the generated entry of the browser's script. */
  entry: string;
  /** Name of the script, without extension and fingerprint. */
  name: string;
}

/** A file that is part of the worker. */
export interface BundledModule {
  /** Relative to the project. */
  path: string;
  /** Size in worker.js, in bytes. */
  bytes: number;
  /** Paths of the files that it imports. */
  imports: string[];
}

/** Files for browsers. */
export interface BrowserFiles {
  /** Addresses by the application's file, such as `app/page.tsx`. */
  assets: AppAssets;
  /** Size of each address's content, compressed with gzip. */
  gzipBytes: Record<string, number>;
}

/** Parts that an open page can take over without a reload. */
export interface HotFiles {
  /** Files that only client components import, relative to the project. */
  clientOnly: string[];
  /** Identifier of the content of each client file's script, by address. */
  versions: Record<string, string>;
}

/** Result of a bundle request. */
export type BundleResult = { ok: false; errors: Diagnostic[] } | {
  ok: true;
  warnings: Diagnostic[];
  /** Size of worker.js. */
  bytes: number;
  /** Size of worker.js compressed with gzip. */
  gzipBytes: number;
  /** Files outside of node_modules that are part of the worker, relative to the project. */
  inputs: string[];
  /** Names that each of the files exports; null where `export *` hides them. */
  exports: Record<string, string[] | null>;
  /** Packages whose code is in the build. */
  packages: BundledPackages;
  /** All files of the worker; empty for a bundle that is kept in memory. */
  modules: BundledModule[];
  /** Files for browsers; empty for a bundle that is kept in memory. */
  browser: BrowserFiles;
  /** Only of a bundle that is kept in memory. */
  hot: HotFiles;
  /** File for which each save bundles everything, and its reason; null when a save costs what the edited file does. */
  whole: string | null;
};

/** The authentication files, and the environment to set them up with. */
export interface AuthCheckRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /**
   * The files: the part of the authentication that each is (`providers/` and the id for a
   * provider), its absolute path, and its name, such as `app/auth/config.ts`.
   */
  files: { part: string; file: string; name: string }[];
  /** Variables and secrets by name. */
  vars: Record<string, JsonValue>;
  /** Names of the bindings, each with its texts. */
  bindings: [name: string, fields: Record<string, string>][];
  /** Name of the database's binding. */
  database: string;
  /** True when the worker has no other environment, so that a secret which is not in it is missing. */
  complete: boolean;
  /** True for a build that goes to production: what a provider has for development alone is no way then. */
  production: boolean;
  /** The document to make of its endpoints; null for none. */
  describe: { title: string; version: string; administration: boolean } | null;
}

/** An option that the authentication refuses, or an error that one of its files throws. */
export interface AuthFault {
  /** File such as `app/auth/config.ts`; null when several are possible. */
  file: string | null;
  message: string;
  /** Code of the error; null without one. */
  code: string | null;
  /** True when another environment may remove the fault. */
  environment: boolean;
  /** Names of environment variables that were read. */
  read: string[];
  /** Those of them that are not set. */
  unset: string[];
}

/** Result of a check of `app/auth`. */
export interface AuthCheckResult {
  fault: AuthFault | null;
  /** The document that was asked for; null without one, and with a fault. */
  document: JsonObject | null;
  /** Files outside of node_modules that the result depends on, relative to the project. */
  inputs: string[];
  /** Errors that prevent bundling the files. */
  errors: Diagnostic[];
}

/** Pages and routes whose schemas are to be described. */
export interface SchemaRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /** Absolute paths of the files. */
  files: string[];
  /** True when the package that describes schemas of valibot is installed. */
  hasValibot: boolean;
}

/** A schema as JSON Schema, draft 2020-12; or the reason why there is none. */
export type DescribedSchema = { schema: JsonObject; problem: null } | {
  schema: null;
  problem: string;
};

/** Exports of a page or route, as the file itself has them. */
export interface DescribedFile {
  /** Names of the exports. */
  exports: string[];
  /** Schema of `input`, under `*`; or its schemas by method. Null without `input`. */
  input: Record<string, DescribedSchema> | null;
  /** Reason why the file cannot be loaded; null when it can. */
  problem: string | null;
}

/** Result of a description: the files in the order of the request. */
export interface SchemaResult {
  files: DescribedFile[];
  /** Errors that prevent bundling the files. */
  errors: Diagnostic[];
}

/** The driver's methods. */
export interface DriverMethods {
  /** Bundles the worker. */
  bundle: { params: BundleRequest; result: BundleResult };
  /** Sets up the authentication without a request, to find mistakes in its files. */
  checkAuth: { params: AuthCheckRequest; result: AuthCheckResult };
  /** Loads pages and routes without a request, and describes the schemas of their input. */
  describeInput: { params: SchemaRequest; result: SchemaResult };
  /**
   * Starts what `serve` needs while the first worker is being bundled. Errors are reported by
   * `serve`.
   */
  warm: { params: ServeRequest; result: null };
  /** Runs the last bundled worker in place of the previous one. */
  serve: { params: ServeRequest; result: ServeResult };
  /**
   * Waits until a worker that has died answers again, after ending one that runs and hangs; false when the next
   * `serve` starts another.
   */
  recover: { params: { hangs: boolean }; result: boolean };
  /** Renders the static pages of an application. */
  prerender: { params: PrerenderRequest; result: PrerenderResult };
  /** Locates the source of an error of the running worker. */
  explain: { params: { text: string }; result: Explanation };
}

/** One line to the driver. */
export interface DriverRequest {
  id: number;
  method: keyof DriverMethods;
  params: unknown;
}

/** One line from the driver. */
export type DriverReply = { id: number; result: unknown } | { id: number; error: string };

/** Describes a thrown value, with its stack if it has one. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
