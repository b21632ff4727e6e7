import { actionMethods } from "./methods.ts";

/**
 * Schema of any library that implements Standard Schema, version 1 (standardschema.dev), such as
 * zod, valibot and arktype.
 */
export interface Schema<Input = unknown, Output = Input> {
  /** Properties of the standard. */
  readonly "~standard": {
    /** Version of the standard. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Checks a value and converts it. */
    readonly validate: (
      value: unknown,
    ) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** Types of what is sent and of what the handler receives; not present at run time. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Result of a schema: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** A mistake in a value. */
export interface SchemaIssue {
  /** Sentence for the user. */
  readonly message: string;
  /** Position of the mistake; missing for the value as a whole. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Schemas by the method that they apply to: the export `input` of a route with several. */
export type MethodSchemas = { readonly [method: string]: Schema };

/** Input that a handler receives for a schema: `InputOf<typeof input>`; `unknown` without one. */
// deno-lint-ignore no-explicit-any -- any schema, whatever it takes.
export type InputOf<S> = S extends Schema<any, any> ? NonNullable<S["~standard"]["types"]>["output"]
  : unknown;

/** Methods whose input is the body; that of the others is the query. */
const BODY_METHODS = ["POST", "PUT", "PATCH"];

/** Returns true for a method whose input is the request's body. */
export function hasBodyInput(method: string): boolean {
  return BODY_METHODS.includes(method);
}

/** Returns true for a Standard Schema; some libraries make functions. */
export function isSchema(value: unknown): value is Schema {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const standard = (value as Partial<Schema>)["~standard"];
  return standard?.version === 1 && typeof standard.validate === "function";
}

/**
 * Returns the schema of a method. A single schema is that of a page's action, or of the methods of a
 * route that have a body.
 */
export function schemaOf(
  { kind, module }: { kind: string; module: Record<string, unknown> },
  method: string,
): Schema | undefined {
  const declared = module["input"];
  if (declared === undefined) return undefined;
  if (isSchema(declared)) {
    const methods = kind === "page" ? actionMethods : BODY_METHODS;
    return methods.includes(method) ? declared : undefined;
  }
  const schemas = declared as MethodSchemas;
  const name = method === "HEAD" && module["HEAD"] === undefined ? "GET" : method;
  return Object.hasOwn(schemas, name) ? schemas[name] : undefined;
}

type Described = { kind: string; module: Record<string, unknown> };

const A_SCHEMA = "a Standard Schema, as zod, valibot and arktype make them";

/**
 * Describes what is wrong with the export `search` of a page, as a sentence without the file's name;
 * null when it is valid.
 */
export function wrongSearch({ kind, module: { search } }: Described): string | null {
  return kind !== "page" || search === undefined || isSchema(search)
    ? null
    : `exports search, which is not ${A_SCHEMA}`;
}

/**
 * Describes what is wrong with the export `input` of a file, as a sentence without the file's name;
 * null when it is valid.
 */
export function wrongInput({ kind, module }: Described): string | null {
  const declared = module["input"];
  if (declared === undefined) return null;
  if (kind === "page" && module["action"] === undefined) return "exports input, but no action";
  if (isSchema(declared)) return null;
  if (kind === "page" || typeof declared !== "object" || declared === null) {
    return `exports input, which is not ${A_SCHEMA}`;
  }
  for (const [method, schema] of Object.entries(declared)) {
    if (!isSchema(schema)) return `exports input, whose ${method} is not ${A_SCHEMA}`;
    if (typeof module[method] !== "function") {
      return `exports input for ${method}, but no function of that name`;
    }
  }
  return null;
}

/** Input that was read: a value, or what is wrong with it. */
export interface ReadInput {
  /** Value that the schema made; undefined when it refused the input. */
  value?: unknown;
  /** Reasons why the schema refused the input. */
  error?: Error;
  /** Values with which a form is shown again. */
  values: Record<string, string | string[]>;
}

/** Reads the input of a request by a schema. */
export type InputReader = (schema: Schema, request: Request) => Promise<ReadInput>;
