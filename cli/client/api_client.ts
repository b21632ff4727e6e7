import type { LinkPath } from "../runtime/register.ts";
import type { DataResult } from "../runtime/results.ts";
import type { Schema } from "../runtime/schema.ts";

/** Methods of a client. */
export type ApiMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Modules of routes by their folders below `app/`, without the groups, such as
 * `"/api/issues/[id]": typeof issue`. A folder that the application does not have is a type error,
 * which lists those that it has.
 */
// deno-lint-ignore no-explicit-any -- modules have no common type.
export type ApiRoutes<R> = { [Path in keyof R]: Path extends LinkPath ? any : LinkPath };

/** Modules of another application's routes, whose folders are not known here. */
// deno-lint-ignore no-explicit-any -- as above.
export type RemoteApiRoutes<R> = { [Path in keyof R]: any };

/** Values of the dynamic segments of a path. */
export type ApiParams<Path> = Path extends `${infer Head}/${infer Tail}`
  ? ApiParams<Head> & ApiParams<Tail>
  : Path extends `[[...${infer Name}]]` ? { [Key in Name]?: readonly (string | number | bigint)[] }
  : Path extends `[...${infer Name}]` ? { [Key in Name]: readonly (string | number | bigint)[] }
  : Path extends `[${infer Name}]` ? { [Key in Name]: string | number | bigint }
  : unknown;

/**
 * Input that a method of a route accepts, by the schema of the method or the single one of the methods
 * with a body; undefined without a schema.
 */
export type ApiInput<Module, Method> = Module extends { input: infer S }
  // deno-lint-ignore no-explicit-any -- any schema.
  ? S extends Schema<any, any>
    ? Method extends "POST" | "PUT" | "PATCH" ? NonNullable<S["~standard"]["types"]>["input"]
    : undefined
    // deno-lint-ignore no-explicit-any -- any schema.
  : S extends { [Key in Method & string]: Schema<infer Input, any> } ? Input
  : undefined
  : undefined;

/** Type of a value after JSON: a `Date` is a string, functions are gone. */
export type Json<T> = unknown extends T ? T
  : T extends string | number | boolean | null | undefined ? T
  : T extends { toJSON(): infer J } ? Json<J>
  : T extends bigint | symbol | ((...args: never[]) => unknown) ? never
  // A mapped type with `as` would make an object of a list.
  : T extends readonly unknown[] ? { [Index in keyof T]: Json<T[Index]> }
  : T extends object ? {
      [Key in keyof T as T[Key] extends symbol | ((...args: never[]) => unknown) ? never : Key]:
        Json<T[Key]>;
    }
  : never;

/** Result of a method of a route, as JSON; `unknown` when it answers with a `Response` of its own. */
export type ApiResult<Module, Method> = Method extends keyof Module
  ? Module[Method] extends (...args: never[]) => infer R
    ? Exclude<Awaited<R>, Response> extends infer T ? [T] extends [never] ? unknown
      : Json<T extends DataResult<infer V> ? V : T>
    : never
  : never
  : never;

/** Options that every call accepts. */
export interface ApiCallOptions {
  /** Aborts the request. */
  signal?: AbortSignal;
  /** Further headers. */
  headers?: Record<string, string>;
}

/** Options of a call: the parameters of its path, and the input that the route accepts. */
export type ApiCall<Path, Module, Method> =
  & ApiCallOptions
  // deno-lint-ignore ban-types -- an object without required properties.
  & ({} extends ApiParams<Path> ? { params?: ApiParams<Path> } : { params: ApiParams<Path> })
  & (ApiInput<Module, Method> extends infer Input
    ? [Input] extends [undefined] ? { input?: undefined }
      // deno-lint-ignore ban-types -- as above.
    : {} extends Input ? { input?: ApiSent<Input, Method> }
    : { input: ApiSent<Input, Method> }
    : never);

/** Input as a call sends it: a form may be in the place of a body, for files. */
export type ApiSent<Input, Method> = Method extends "GET" | "DELETE" ? Input : Input | FormData;

/** Arguments of a call after its path: required where the route needs them. */
export type ApiArguments<Path, Module, Method> =
  // deno-lint-ignore ban-types -- as above.
  {} extends ApiCall<Path, Module, Method> ? [call?: ApiCall<Path, Module, Method>]
    : [call: ApiCall<Path, Module, Method>];

/** Paths of the routes that have a method. */
export type ApiPaths<R, Method> = {
  [Path in keyof R]: Method extends keyof R[Path] ? Path : never;
}[keyof R];

/** A client of routes, with a function for each method. */
export type ApiClient<R> = {
  readonly [Method in ApiMethod]: <Path extends ApiPaths<R, Method>>(
    path: Path,
    ...call: ApiArguments<Path, R[Path], Method>
  ) => Promise<ApiResult<R[Path], Method>>;
};

/** Options for {@linkcode createApiClient} of another application. */
export interface ApiClientOptions {
  /** Origin of the other application, such as `https://api.example.com`. */
  base: string;
  /** API key or other bearer token. Cookies are never sent to another application. */
  token: string | (() => string | Promise<string>);
}

/**
 * Error response of a route: `{ code, message, fields? }`.
 *
 * @example
 * ```ts
 * import { ApiError } from "@framework/cli/api";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * const body = { code: "INVALID_INPUT", message: "…", fields: { title: ["Too short."] } };
 * const error = new ApiError(422, body);
 * equal(error.status, 422);
 * deepEqual(error.fields, { title: ["Too short."] });
 * ```
 */
export class ApiError extends Error {
  /** Status of the response. */
  readonly status: number;
  /** Stable name of the error, such as `INVALID_INPUT`; empty when the response had none. */
  readonly code: string;
  /** Messages by the name of the field, for `INVALID_INPUT`. */
  readonly fields: Readonly<Record<string, string[]>>;

  /**
   * Creates the error for a response.
   *
   * @param status Status of the response.
   * @param body Body of the response.
   */
  constructor(status: number, body: unknown) {
    const { code = "", message, fields = {} } = Object(body);
    super(message ?? `The server answered with status ${status}.`);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Options of a call, without their types. */
interface Call extends ApiCallOptions {
  params?: Record<string, unknown>;
  input?: unknown;
}

/**
 * Creates a client of the application's own routes, typed by `import type` of their files alone:
 * nothing of them is part of the script. Calls send the user's cookies.
 *
 * @example
 * ```ts
 * import { createApiClient } from "@framework/cli/api";
 * import { data } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 * import { z } from "zod";
 *
 * // import type * as issues from "../api/issues/route.ts";
 * const issues = {
 *   input: z.object({ title: z.string() }),
 *   POST: () => data({ id: 7, at: new Date() }, { status: 201 }),
 * };
 *
 * const api = createApiClient<{ "/api/issues": typeof issues }>();
 *
 * async function create(title: string): Promise<string> {
 *   const { id, at } = await api.POST("/api/issues", { input: { title } });
 *   return `${id.toFixed()} ${at.slice(0, 10)}`; // a Date is a string in JSON
 * }
 * equal(create.length, 1);
 * ```
 */
export function createApiClient<R extends ApiRoutes<R>>(): ApiClient<R>;
/**
 * Creates a client of another application's routes. Calls send the token and no cookies, and the
 * folders are not compared with those of this application.
 *
 * @param options Origin of the other application, and the token for it.
 * @throws {TypeError} For a `base` without a token.
 * @example
 * ```ts
 * import { createApiClient } from "@framework/cli/api";
 * import { throws } from "node:assert/strict";
 *
 * const me = { GET: () => ({ name: "Ada" }) };
 * const base = "https://b.example";
 * const api = createApiClient<{ "/api/me": typeof me }>({ base, token: () => "key" });
 * const showName = async () => (await api.GET("/api/me")).name;
 * throws(() => createApiClient({ base, token: "" }), TypeError);
 * ```
 */
export function createApiClient<R extends RemoteApiRoutes<R>>(
  options: ApiClientOptions,
): ApiClient<R>;
export function createApiClient<R>(
  { base, token }: Partial<ApiClientOptions> = {},
): ApiClient<R> {
  if (base !== undefined && !token) {
    throw new TypeError("A client of another application needs a token: { base, token }.");
  }

  async function send(method: string, path: string, call: Call = {}): Promise<unknown> {
    const { params = {}, input, signal, headers } = call;
    const isQuery = method === "GET" || method === "DELETE";
    const isForm = input instanceof FormData;
    const query = isQuery && input !== undefined ? `?${toQuery(input as object)}` : "";
    const response = await fetch((base ?? "") + fill(path, params) + query, {
      method,
      // Never "include": the rule against cross-site requests stands on it.
      credentials: base === undefined ? "same-origin" : "omit",
      headers: {
        accept: "application/json",
        ...(isQuery || isForm || input === undefined ? {} : { "content-type": "application/json" }),
        ...(token &&
          { authorization: `Bearer ${typeof token === "string" ? token : await token()}` }),
        ...headers,
      },
      ...(isQuery || input === undefined ? {} : { body: isForm ? input : JSON.stringify(input) }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const body = isJson && text !== "" ? JSON.parse(text) : text || undefined;
    if (!response.ok) throw new ApiError(response.status, isJson ? body : undefined);
    return body;
  }

  const methods: ApiMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  return Object.fromEntries(
    methods.map((method) => [method, (path: string, call?: Call) => send(method, path, call)]),
  ) as unknown as ApiClient<R>;
}

/** Fills the dynamic segments of a path; every value is one segment. */
function fill(path: string, params: Record<string, unknown>): string {
  return path.replace(/\/\[+(\.{3})?([^\]]+)\]+/g, (_, rest, name: string) => {
    const values = rest ? params[name] as unknown[] | undefined ?? [] : [params[name]];
    return values.map((value) => {
      const text = `${value ?? ""}`;
      // Browsers resolve dots, encoded or not: the request would go to another route.
      if (/^\.{0,2}$/.test(text)) throw new TypeError(`"${text}" is no value for [${name}].`);
      return `/${encodeURIComponent(text)}`;
    }).join("");
  });
}

/** Returns a query; a list has brackets, so that one of a single value remains a list. */
function toQuery(input: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(input).flatMap(([name, value]) =>
      value === undefined || value === null
        ? []
        : Array.isArray(value)
        ? value.map((each) => [`${name}[]`, `${each}`])
        : [[name, `${value}`]]
    ),
  );
}
