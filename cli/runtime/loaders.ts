import type { AppAssets } from "../client/assets.ts";
import type { OwnContext } from "./context.ts";
import { InvalidInputError } from "./invalid_input.ts";
import type { ManifestModule, ManifestRoute } from "./manifest.ts";
import { isUnsafe } from "./methods.ts";
import type { Security } from "./response_headers.ts";
import { DataResult } from "./results.ts";
import { type InputReader, type ReadInput, type Schema, schemaOf } from "./schema.ts";
import type { Params } from "./types.ts";

/** Parts of a request for a page or a route. */
export interface RouteArgs {
  request: Request;
  params: Params;
  context: OwnContext;
}

/** Arguments of loaders and actions. */
export interface PageArgs extends RouteArgs {
  /** Query of the URL; of a page with a schema for it, what the schema has made. */
  searchParams: unknown;
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
  /** The module's own view of the query, if it has one. */
  searchParams?: unknown;
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

/** Runs the loader of a page or layout, once for each request, with arguments of its own if given. */
export type Load = (module: ManifestModule, args?: PageArgs) => Promise<Loaded | Response>;

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
  return (module, own = args) => {
    let result = started.get(module.module);
    if (!result) {
      result = runLoader(module, own);
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
  { request, context }: RouteArgs,
  read: InputReader | undefined,
): Promise<ReadInput | null> {
  const schema = read && schemaOf(route, request.method);
  if (read === undefined || schema === undefined) return null;
  const input = await read(schema, request);
  context.input = input.value;
  return input;
}

/**
 * Returns the query as a page receives it, read by the schema that it exports as `search`.
 *
 * @param args Arguments of its loader.
 * @throws {InvalidInputError} 422 for a query that the schema refuses; the message names the mistakes.
 */
export async function takeSearch(
  { module }: ManifestModule,
  { request, searchParams }: PageArgs,
  read: InputReader | undefined,
): Promise<unknown> {
  const schema = module["search"];
  if (schema === undefined || read === undefined) return searchParams;
  const { value, error } = await read(schema as Schema, request);
  if (!(error instanceof InvalidInputError)) return value;
  const { fields, message } = error;
  const mistakes = Object.entries(fields).map(([name, texts]) => `${name}: ${texts.join(" ")}`);
  throw new InvalidInputError(
    fields,
    ["The query of this address is not valid.", ...mistakes.length === 0 ? [message] : mistakes]
      .join(" "),
  );
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
