import type { DescribedFile } from "../build/protocol.ts";
import { hasBodyInput } from "../runtime/schema.ts";
import { routeMethods } from "../runtime/manifest.ts";
import type { Segment } from "../runtime/pattern.ts";
import type { JsonObject } from "../tools/jsonc.ts";
import { isObject, publishSchema, schemaBase } from "./openapi_schema.ts";

/** A page or route, with what its file exports. */
export interface OpenApiRoute {
  kind: "page" | "route";
  segments: readonly Segment[];
  /** File name, such as `app/api/route.ts`. */
  file: string;
  described: DescribedFile;
}

/** An OpenAPI document, and what it does not describe. */
export interface OpenApiDocument {
  document: JsonObject;
  /** Operations without a description of their input, each with the reason. */
  undescribed: { operation: string; file: string; reason: string }[];
}

/**
 * Creates the OpenAPI 3.1 document of an application: all methods of its routes, and the forms of pages
 * that have an action. An operation whose input is not known is listed with the reason, under
 * `x-undescribed`.
 *
 * @param routes Pages and routes, in match order.
 * @param info Name and version of the application.
 */
export function createOpenApi(
  routes: readonly OpenApiRoute[],
  info: { title: string; version: string },
): OpenApiDocument {
  const schemas: JsonObject = { Error: errorSchema(), InvalidInput: invalidInputSchema() };
  const paths: Record<string, JsonObject> = {};
  const undescribed: OpenApiDocument["undescribed"] = [];
  for (const route of routes) {
    const { kind, segments, file, described } = route;
    for (const method of methodsOf(route)) {
      const found = schemaFor(kind, method, described);
      const name = componentName(method, segments, schemas);
      const input = found.schema === null ? null : describeInput(method, found.schema, name);
      const reason = found.problem ?? input?.problem ?? null;
      for (const { path, parameters } of pathsOf(segments)) {
        const methods = paths[path] ??= {};
        // Of two routes with this path, the first one answers.
        if (methods[method.toLowerCase()] !== undefined) continue;
        const detail = found.detail ? ` ${found.detail}` : "";
        const operation = `${method} ${path}`;
        if (reason !== null) undescribed.push({ operation, file, reason: reason + detail });
        methods[method.toLowerCase()] = {
          parameters: [...parameters, ...input?.parameters ?? []],
          ...(input?.body ? { requestBody: input.body } : {}),
          responses: responses(kind, input !== null),
          ...(reason === null ? {} : { "x-undescribed": reason }),
        };
      }
      Object.assign(schemas, input?.schemas);
    }
  }
  const document: JsonObject = {
    openapi: "3.1.1",
    info,
    paths,
    components: { schemas },
  };
  return { document, undescribed };
}

/** Methods that an operation describes: HEAD and OPTIONS follow from the others. */
function methodsOf({ kind, described: { exports, problem } }: OpenApiRoute): string[] {
  // Of a file that cannot be loaded nothing is known; it is listed all the same.
  if (problem !== null) return [kind === "page" ? "POST" : "GET"];
  if (kind === "page") return exports.includes("action") ? ["POST"] : [];
  return routeMethods.filter((method) =>
    exports.includes(method) && method !== "HEAD" && method !== "OPTIONS"
  );
}

/** Schema of an operation; or why there is none, with what only the developer should read. */
interface FoundSchema {
  schema: JsonObject | null;
  problem: string | null;
  /** Message of an error: it may hold names, addresses and values of this machine. */
  detail?: string;
}

function schemaFor(
  kind: OpenApiRoute["kind"],
  method: string,
  { input, problem }: DescribedFile,
): FoundSchema {
  const missing = (problem: string, detail = ""): FoundSchema => ({
    schema: null,
    problem,
    detail,
  });
  if (problem !== null) return missing("The file cannot be loaded.", problem);
  if (input === null) return missing("The file exports no input.");
  const own = input[method] ??
    (kind === "page" || hasBodyInput(method) ? input["*"] : undefined);
  if (own === undefined) return missing(`The file exports no input for ${method}.`);
  return own.problem === null ? own : missing("The schema cannot be described.", own.problem);
}

/** Description of an operation's input. */
interface DescribedInput {
  parameters: JsonObject[];
  body: JsonObject | null;
  /** Schemas for `components`. */
  schemas: JsonObject;
  problem: string | null;
}

function describeInput(method: string, schema: JsonObject, name: string): DescribedInput {
  const { root, definitions } = publishSchema(schema, name);
  const reference = `${schemaBase}${name}`;
  if (hasBodyInput(method)) {
    const content = { schema: { $ref: reference } };
    const types = [
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
    ];
    const body = {
      required: true,
      content: Object.fromEntries(types.map((type) => [type, content])),
    };
    return { parameters: [], body, schemas: { [name]: root, ...definitions }, problem: null };
  }
  const { properties, required = [] } = root;
  if (!isObject(properties)) {
    const problem = "The query is described by a schema that is not one object.";
    return { parameters: [], body: null, schemas: {}, problem };
  }
  const parameters = Object.entries(properties).map(([key, value]) => ({
    // A list of one value is a list by its brackets.
    name: isObject(value) && value["type"] === "array" ? `${key}[]` : key,
    in: "query",
    required: Array.isArray(required) && required.includes(key),
    schema: value!,
  }));
  // A schema that contains itself.
  const isNamed = new RegExp(`"${reference}["/]`).test(JSON.stringify([parameters, definitions]));
  const schemas = { ...(isNamed ? { [name]: root } : {}), ...definitions };
  return { parameters, body: null, schemas, problem: null };
}

/** Returns an unused name for an operation's schema, such as `PostApiIssues`. */
function componentName(method: string, segments: readonly Segment[], taken: JsonObject): string {
  const words = segments.flatMap((segment) =>
    (segment.kind === "static" ? segment.value : segment.name).split(/[^a-z0-9]+/i)
  );
  const name = [method.toLowerCase(), ...words].filter((word) => word !== "")
    .map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
  let unused = name;
  for (let count = 2; Object.hasOwn(taken, unused); count++) unused = `${name}${count}`;
  return unused;
}

/** Returns the path templates of a route: two when its last segments are optional. */
function pathsOf(
  segments: readonly Segment[],
): { path: string; parameters: JsonObject[] }[] {
  const last = segments.at(-1);
  const all = last?.kind === "optional" ? [segments.slice(0, -1), segments] : [segments];
  return all.map((parts) => ({
    path: "/" +
      parts.map((part) => part.kind === "static" ? encodeURI(part.value) : `{${part.name}}`).join(
        "/",
      ),
    parameters: parts.flatMap((part) =>
      part.kind === "static" ? [] : [{
        name: part.name,
        in: "path",
        required: true,
        schema: { type: "string" },
        ...(part.kind === "param"
          ? {}
          : { description: "One or more segments of the path, separated by slashes." }),
      }]
    ),
  }));
}

function responses(kind: OpenApiRoute["kind"], hasInput: boolean): JsonObject {
  const refer = (name: string, description: string) => ({
    description,
    content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  return {
    ...(kind === "page"
      ? { "2XX": { description: "The page." }, "3XX": { description: "A redirect." } }
      : { "2XX": { description: "The result of the route." } }),
    ...(hasInput ? { "422": refer("InvalidInput", "The input is not valid.") } : {}),
    default: refer("Error", "An error."),
  };
}

function errorSchema(): JsonObject {
  return {
    type: "object",
    properties: {
      code: { type: "string" },
      message: { type: "string" },
      requestId: { type: "string" },
    },
    required: ["code", "message"],
  };
}

function invalidInputSchema(): JsonObject {
  return {
    type: "object",
    properties: {
      code: { const: "INVALID_INPUT" },
      message: { type: "string" },
      fields: {
        type: "object",
        additionalProperties: { type: "array", items: { type: "string" } },
      },
    },
    required: ["code", "message", "fields"],
  };
}
