import type { AppAssets } from "../client/assets.ts";
import type { OwnContext } from "./context.ts";
import type { InputReader, ReadInput } from "./schema.ts";
import type { ManifestModule, ManifestRoute } from "./manifest.ts";
import { isUnsafe } from "./methods.ts";
import type { Security } from "./response_headers.ts";
import { DataResult } from "./results.ts";
import { schemaOf } from "./schema.ts";
import type { Params } from "./types.ts";

/** Arguments of loaders and actions. */
export interface PageArgs {
  request: Request;
  params: Params;
  context: OwnContext;
}

/** Result of a loader or action, with the status and headers that it set. */
export interface Loaded {
  data: unknown;
  status: number;
  headers: Headers | null;
}

/** A module with the result of its loader and, in one object, those of the layouts around it. */
export interface LoadedModule extends ManifestModule {
  loaded: Loaded;
  layoutData: Record<string, unknown>;
}

/**
 * Adds to each module the data of the modules before it, which are the layouts around it.
 *
 * @param modules Layouts, outermost first, and possibly the page.
 * @param loaded Their results, in the same order.
 */
export function withLayoutData(
  modules: readonly ManifestModule[],
  loaded: readonly Loaded[],
): LoadedModule[] {
  let layoutData = {};
  return modules.map((module, index) => {
    const own = { ...module, loaded: loaded[index]!, layoutData };
    const { data } = own.loaded;
    if (typeof data === "object" && !Array.isArray(data)) layoutData = { ...layoutData, ...data };
    return own;
  });
}

/** Runs the loader of a page or layout, once for each request. */
export type Load = (module: ManifestModule) => Promise<Loaded | Response>;

/** A request for a page, with the loaders that run for it. */
export interface PageRequest {
  args: PageArgs;
  load: Load;
  security: Security;
  late: LateErrors;
  settings: {
    /** Addresses of built scripts and stylesheets. */
    readonly assets: AppAssets;
    readonly input?: InputReader | undefined;
  };
}

/** Handling of errors after the response's status has been sent. */
export interface LateErrors {
  /** Logs the error. */
  report(error: unknown): void;
  /** Logs the error and returns the markup that replaces the failed part. */
  render(error: unknown): Promise<string>;
}

/**
 * Creates the {@linkcode Load} of one request, so that an error page inside a layout does not run
 * its loader again.
 */
export function createLoad(args: PageArgs): Load {
  const started = new Map<unknown, Promise<Loaded | Response>>();
  return (module) => {
    let result = started.get(module.module);
    if (!result) {
      result = runLoader(module, args);
      started.set(module.module, result);
    }
    return result;
  };
}

async function runLoader({ module }: ManifestModule, args: PageArgs): Promise<Loaded | Response> {
  if (!module["loader"]) return unwrap(undefined);
  const result = await (module["loader"] as (args: PageArgs) => unknown)(args);
  return result instanceof Response ? result : unwrap(result);
}

/** Unwraps a result of `data()`. */
export function unwrap(result: unknown): Loaded {
  if (!(result instanceof DataResult)) return { data: result, status: 200, headers: null };
  return { data: result.value, status: result.status, headers: result.headers };
}

/** Reads the input of a request and puts it in the context; null when there is no schema for it. */
export async function takeInput(
  route: Pick<ManifestRoute, "module"> & { kind: string },
  { request, context }: PageArgs,
  read: InputReader | undefined,
): Promise<ReadInput | null> {
  const schema = read && schemaOf(route, request.method);
  if (read === undefined || schema === undefined) return null;
  const input = await read(schema, request);
  context.input = input.value;
  return input;
}

/**
 * Returns the arguments of loaders after an action, whose request is a GET: its body has been read,
 * and the headers that describe it are removed.
 */
export function loaderArgs(args: PageArgs): PageArgs {
  const { request } = args;
  if (!isUnsafe(request.method)) return args;
  const headers = new Headers(request.headers);
  for (const name of ["content-type", "content-length", "transfer-encoding"]) headers.delete(name);
  return { ...args, request: new Request(request.url, { headers, signal: request.signal }) };
}
