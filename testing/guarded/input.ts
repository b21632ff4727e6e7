import nodeModule from "node:module";
import { join } from "node:path";
import { importModule } from "../context/module.ts";
import { type GuardedRoute, hasBody } from "./routes.ts";
import { isObject, type JsonSchema, sampleOf } from "./sample.ts";

/** Input of a request. */
export interface Input {
  /** Query with its question mark; empty for none. */
  query: string;
  body?: string | URLSearchParams | FormData | Blob;
  /** Content type that the body itself does not bring. */
  type?: string;
}

/** Standard Schema, and the extension by which some libraries describe their schemas. */
interface StandardSchema {
  "~standard": {
    vendor: string;
    validate(value: unknown): unknown;
    jsonSchema?: { input?(options: object): JsonSchema };
  };
}

/**
 * Makes the input of a route's requests.
 *
 * @param given Input that the test gives; undefined for none.
 * @param root Folder of the project.
 * @throws {Error} When the route's schema describes no value that can be made.
 */
export async function makeInput(
  route: GuardedRoute,
  given: unknown,
  root: string,
): Promise<Input> {
  if (given !== undefined) return encode(route, given, route.kind === "page");
  if (route.describe === undefined) {
    // An action reads a form, also one without fields.
    return encode(route, route.kind === "page" ? {} : undefined, true);
  }
  const { schema, isStandard, isForm = false } = route.describe;
  const value = isStandard
    ? await sampleOfStandard(schema as StandardSchema, root)
    : (schema as () => unknown)();
  return encode(route, value, isForm);
}

function encode({ method }: GuardedRoute, value: unknown, isForm: boolean): Input {
  if (typeof value === "string" || value instanceof Blob || value instanceof FormData) {
    return { query: "", body: value };
  }
  if (value === undefined) return { query: "" };
  if (!hasBody(method)) {
    const query = new URLSearchParams(value instanceof URLSearchParams ? value : fieldsOf(value));
    return { query: query.size === 0 ? "" : `?${query}` };
  }
  if (value instanceof URLSearchParams) return { query: "", body: value };
  if (isForm) return { query: "", body: new URLSearchParams(fieldsOf(value)) };
  return { query: "", body: JSON.stringify(value), type: "application/json" };
}

/** Names and values of a form; a list has its name several times, with brackets. */
function fieldsOf(value: unknown): [string, string][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]): [string, string][] =>
    Array.isArray(one)
      ? one.map((item) => [`${name}[]`, String(item)])
      : [[name, isObject(one) ? JSON.stringify(one) : String(one)]]
  );
}

async function sampleOfStandard(schema: StandardSchema, root: string): Promise<unknown> {
  const described = await describe(schema, root);
  let issues: readonly { message: string; path?: readonly unknown[] }[] = [];
  for (const isFull of [false, true]) {
    const value = sampleOf(described, { isFull });
    const result = await schema["~standard"].validate(value) as { issues?: typeof issues };
    if (result.issues === undefined) return value;
    issues = result.issues;
  }
  const reasons = issues.map(({ message, path }) =>
    [path?.map((part) => isObject(part) ? part["key"] : part).join("."), message].filter(Boolean)
      .join(": ")
  );
  throw new Error(`its schema refuses what its description allows (${reasons.join("; ")})`);
}

/** Describes a schema by JSON Schema, as `framework routes --openapi` does. */
async function describe(schema: StandardSchema, root: string): Promise<JsonSchema> {
  const { jsonSchema, vendor } = schema["~standard"];
  const target = "draft-2020-12";
  if (typeof jsonSchema?.input === "function") {
    return jsonSchema.input({ target, libraryOptions: { unrepresentable: "any" } });
  }
  if (vendor !== "valibot") throw new Error(`this version of ${vendor} describes no schemas`);
  const { toJsonSchema } = await importConverter(root);
  return toJsonSchema(schema, { target, typeMode: "input", errorMode: "ignore" });
}

async function importConverter(
  root: string,
): Promise<{ toJsonSchema(schema: unknown, options: object): JsonSchema }> {
  const name = "@valibot/to-json-schema";
  let file: string;
  try {
    file = nodeModule.createRequire(join(root, "package.json")).resolve(name);
  } catch {
    throw new Error(`${name}, which describes schemas of valibot, is not installed`);
  }
  const module = await importModule(file);
  return (module["toJsonSchema"] === undefined ? module["default"] : module) as never;
}
