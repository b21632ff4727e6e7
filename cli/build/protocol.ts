import type { AppAssets } from "../client/assets.ts";
import type { Explanation } from "../emulator/source_positions.ts";
import type { ServeResult } from "../emulator/runner.ts";
import type { ServeRequest } from "../platform/worker_request.ts";
import type { ModuleKind } from "../runtime/manifest.ts";
import type { Diagnostic } from "../terminal/diagnostic.ts";
import type { JsonValue } from "../tools/jsonc.ts";

/** Request to bundle an application. */
export interface BundleRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the worker's entry. */
  entry: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /** The application's files by absolute path, whose exports are wanted. */
  files: Record<string, ModuleKind>;
  /** Absolute paths of the files of durable objects. */
  objects: string[];
  /** Absolute path of the application's folder; its names, as in `app/page.tsx`, are relative to the one around it. */
  appDir: string;
  /** Names in the folder of static files, which stylesheets may refer to. */
  staticNames: string[];
  /** The files that run in the browser too. */
  clients: ClientEntry[];
  /** True for `framework dev`: browser files keep their address from build to build. */
  dev: boolean;
  /** Folder that worker.js is written to; null keeps it in the driver for `serve`. */
  outDir: string | null;
  minify: boolean;
  sourcemap: boolean;
}

/** A file that runs in the browser too. */
export interface ClientEntry {
  /** As in `app/_components/counter.tsx`. */
  file: string;
  /** Absolute path of the generated file that the browser's script is made of. */
  entry: string;
  /** Name of the script, without ending and fingerprint. */
  name: string;
}

/** A file that went into the worker. */
export interface BundledModule {
  /** Relative to the project. */
  path: string;
  /** Bytes that it takes in worker.js. */
  bytes: number;
  /** Paths of the files that it imports. */
  imports: string[];
}

/** Files for browsers. */
export interface BrowserFiles {
  /** Addresses by the file of the application as in `app/page.tsx`. */
  assets: AppAssets;
  /** Size of what each address holds, compressed by gzip. */
  gzipBytes: Record<string, number>;
}

/** Result of a bundle request. */
export type BundleResult = { ok: false; errors: Diagnostic[] } | {
  ok: true;
  warnings: Diagnostic[];
  /** Size of worker.js. */
  bytes: number;
  /** Size of worker.js compressed by gzip. */
  gzipBytes: number;
  /** Relative to the project: every file outside of node_modules that went into the worker. */
  inputs: string[];
  /** Names that each of the files exports; null where `export *` hides them. */
  exports: Record<string, string[] | null>;
  /** Every file that went into the worker; empty for a bundle that is kept in memory. */
  modules: BundledModule[];
  /** Files for browsers; empty for a bundle that is kept in memory. */
  browser: BrowserFiles;
};

/** The files of the authentication, and the environment that they are set up with. */
export interface AuthCheckRequest {
  /** Absolute path of the project. */
  root: string;
  /** Absolute path of the file with the compiler's options. */
  tsconfig: string;
  /**
   * The files: which part of the authentication each is, `providers/` before the id of a provider; its absolute path; and
   * its name as in `app/auth/config.ts`.
   */
  files: { part: string; file: string; name: string }[];
  /** Variables and secrets by name. */
  vars: Record<string, JsonValue>;
  /** Names of the bindings, each with the texts that it has. */
  bindings: [name: string, fields: Record<string, string>][];
  /** Name of the database's binding. */
  database: string;
  /** True when the worker has no other environment: a secret that is not in it is missing then. */
  complete: boolean;
}

/** An option that the authentication refuses, or an error that one of its files throws. */
export interface AuthFault {
  /** As in `app/auth/config.ts`; null where several could be meant. */
  file: string | null;
  message: string;
  /** True when another environment may remove the fault. */
  environment: boolean;
  /** Names that were read of the environment. */
  read: string[];
  /** Those of them that are not set. */
  unset: string[];
}

/** Result of a check of `app/auth`. */
export interface AuthCheckResult {
  fault: AuthFault | null;
  /** Relative to the project: the files outside of node_modules that it depends on. */
  inputs: string[];
  /** Reasons for which the files cannot be bundled. */
  errors: Diagnostic[];
}

/** The driver's methods. */
export interface DriverMethods {
  /** Bundles the worker. */
  bundle: { params: BundleRequest; result: BundleResult };
  /** Sets the authentication up without a request, to find what is wrong in its files. */
  checkAuth: { params: AuthCheckRequest; result: AuthCheckResult };
  /** Starts what `serve` will need, while the first worker is being bundled. Fails as little as `serve` will tell. */
  warm: { params: ServeRequest; result: null };
  /** Runs the worker that was bundled last, instead of the one that ran before. */
  serve: { params: ServeRequest; result: ServeResult };
  /** Says where an error of the worker that runs comes from. */
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

/** The text of whatever a method has thrown, with its stack if it has one. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}
