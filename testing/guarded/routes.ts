import type { ManifestRoute } from "@framework/cli/runtime";
import { TestingError } from "../errors.ts";
import { isObject, type JsonSchema, sampleOf } from "./sample.ts";

/** A function of the application that requests reach: one method of a route, or the action of a page. */
export interface GuardedRoute {
  method: string;
  /** Pattern such as `/users/:id`, `/docs/:path*` or `/docs/:path*?`. */
  pattern: string;
  /** Further methods that reach the same function. */
  others: readonly string[];
  kind: "page" | "route";
  /** File for messages; undefined where nothing names one. */
  file?: string;
  /** Makes a valid input; undefined when nothing describes it. `isForm`: it is sent as a form. */
  describe?: { schema: unknown; isStandard: boolean; isForm?: boolean };
}

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const ACTION_METHODS = ["PUT", "PATCH", "DELETE"];
const BODY_METHODS = ["POST", "PUT", "PATCH"];

/** Returns true for a method whose input is the body of the request. */
export function hasBody(method: string): boolean {
  return BODY_METHODS.includes(method);
}

/** Lists what requests reach in an application by convention. */
export function routesOfApplication(routes: readonly ManifestRoute[]): GuardedRoute[] {
  return routes.flatMap(({ kind, pattern, file, module }) => {
    const own = { kind, pattern, file };
    const input = module["input"];
    // A page's schema is that of its action; that of a route counts for methods with a body.
    const schemaOf = (method: string) => {
      const schema = isStandard(input)
        ? (hasBody(method) ? input : undefined)
        : (input as Record<string, unknown> | undefined)?.[method];
      return schema === undefined ? {} : { describe: { schema, isStandard: true } };
    };
    if (kind === "page") {
      const page: GuardedRoute = { ...own, method: "GET", others: [] };
      if (module["action"] === undefined) return [page];
      return [page, { ...own, method: "POST", others: ACTION_METHODS, ...schemaOf("POST") }];
    }
    return METHODS.filter((method) =>
      module[method] !== undefined && (method !== "HEAD" || module["GET"] === undefined)
    ).map((method) => ({ ...own, method, others: [], ...schemaOf(method) }));
  });
}

function isStandard(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null &&
    "~standard" in value;
}

/**
 * Reads a list such as `["GET /notes", "DELETE /notes/:id"]`.
 *
 * @throws {TestingError} `OPTIONS` for an entry that is none.
 */
export function routesOfList(list: readonly string[]): GuardedRoute[] {
  return list.map((entry) => {
    const { method, pattern } = readEntry(entry);
    if (method !== undefined && !pattern.endsWith("/*")) {
      return { method, pattern, others: [], kind: "route" };
    }
    throw new TestingError(
      "OPTIONS",
      `routes has ${JSON.stringify(entry)}. Write a method and a path, such as "GET /notes/:id".`,
    );
  });
}

/** Reads the operations of an OpenAPI document. */
export function routesOfOpenApi(document: JsonSchema): GuardedRoute[] {
  const paths = isObject(document["paths"]) ? document["paths"] : {};
  const base = baseOf(document);
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): GuardedRoute[] => {
      const operation = isObject(item) ? item[method.toLowerCase()] : undefined;
      if (!isObject(operation)) return [];
      const input = inputOf(operation, isObject(item) ? item["parameters"] : undefined, document);
      return [{
        method,
        pattern: base + readPattern(path),
        others: [],
        kind: "route",
        ...(input === undefined ? {} : {
          describe: {
            schema: () => sampleOf(input.schema, { root: document }),
            isStandard: false,
            isForm: input.isForm,
          },
        }),
      }];
    })
  );
}

/** Path of the document's first server, to which its paths are relative. */
function baseOf({ servers }: JsonSchema): string {
  const [server] = Array.isArray(servers) ? servers : [];
  const url = isObject(server) ? server["url"] : undefined;
  if (typeof url !== "string" || url.includes("{")) return "";
  return URL.parse(url, "http://localhost")?.pathname.replace(/\/$/, "") ?? "";
}

/** Input of an operation. */
interface DescribedInput {
  schema: JsonSchema;
  isForm: boolean;
}

function inputOf(
  operation: JsonSchema,
  shared: unknown,
  document: JsonSchema,
): DescribedInput | undefined {
  const refer = (value: unknown): JsonSchema => {
    if (!isObject(value)) return {};
    if (typeof value["$ref"] !== "string") return value;
    const found = value["$ref"].replace(/^#\//, "").split("/")
      .reduce<unknown>((at, part) => isObject(at) ? at[part] : undefined, document);
    return isObject(found) ? found : {};
  };
  const { content } = refer(operation["requestBody"]);
  if (isObject(content)) {
    const type = Object.keys(content).find((name) => /json/.test(name)) ?? Object.keys(content)[0];
    const media = type === undefined ? undefined : content[type];
    if (!isObject(media)) return undefined;
    const schema = "example" in media ? { const: media["example"] } : refer(media)["schema"];
    if (!isObject(schema)) return undefined;
    return { schema, isForm: /^(?:application\/x-www-form|multipart\/form)/.test(type!) };
  }
  const query = [shared, operation["parameters"]].flatMap((list) => Array.isArray(list) ? list : [])
    .map(refer).filter((parameter) =>
      parameter["in"] === "query" && parameter["required"] === true
    );
  if (query.length === 0) return undefined;
  const schema = {
    type: "object",
    required: query.map(({ name }) => name),
    properties: Object.fromEntries(query.map(({ name, schema, example }) => [
      String(name),
      example === undefined ? schema : { const: example },
    ])),
  };
  return { schema, isForm: false };
}

/** Dynamic part of a pattern. */
export interface Param {
  name: string;
  /** The pattern up to it. */
  upTo: string;
}

/** Lists the dynamic parts of a pattern. */
export function paramsOf(pattern: string): Param[] {
  const parts = pattern.split("/");
  return parts.flatMap((part, index) =>
    part.startsWith(":") ? [{ name: nameOf(part), upTo: parts.slice(0, index + 1).join("/") }] : []
  );
}

function nameOf(part: string): string {
  return part.replace(/^:|\*\??$/g, "");
}

/**
 * Fills in the dynamic parts of a pattern.
 *
 * @param valueOf Value of a part, by its name and the pattern up to it.
 * @returns The path; the name of the part that has no value otherwise.
 */
export function fillPattern(
  pattern: string,
  valueOf: (name: string, upTo: string) => string | undefined,
): { path: string } | { missing: string } {
  const parts = pattern.split("/");
  const filled: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (!part.startsWith(":")) {
      filled.push(part);
      continue;
    }
    const value = valueOf(nameOf(part), parts.slice(0, index + 1).join("/"));
    if (value === undefined && part.endsWith("?")) continue;
    if (value === undefined) return { missing: nameOf(part) };
    filled.push(
      part.includes("*")
        ? value.split("/").map(encodeURIComponent).join("/")
        : encodeURIComponent(value),
    );
  }
  return { path: filled.join("/") || "/" };
}

/** Reads `"POST /notes/[id]"`, where the method may be missing. */
export function readEntry(entry: string): { method: string | undefined; pattern: string } {
  const [, method, path = ""] = /^(?:([A-Z]+) +)?(.*)$/s.exec(entry.trim()) ?? [];
  return { method, pattern: readPattern(path) };
}

/** Reads the parameters of folders (`[id]`) and of OpenAPI (`{id}`) as those of patterns (`:id`). */
function readPattern(path: string): string {
  return path.replace(/\[\[\.\.\.([^\]]+)\]\]/g, ":$1*?").replace(/\[\.\.\.([^\]]+)\]/g, ":$1*")
    .replace(/\[([^\]]+)\]|\{([^}]+)\}/g, (_, folder, template) => `:${folder ?? template}`);
}

/** Routes by which a test says something of them: `"/about"`, `"POST /contact"`, `"/blog/*"`. */
export interface RouteMatcher {
  has(route: GuardedRoute): boolean;
}

/**
 * Reads the routes that an option names.
 *
 * @throws {TestingError} `UNKNOWN_ROUTE` for an entry that names none.
 */
export function matchRoutes(
  option: string,
  entries: readonly string[],
  routes: readonly GuardedRoute[],
): RouteMatcher {
  const read = entries.map((entry) => ({ entry, ...readEntry(entry) }));
  const fits = ({ method, pattern }: typeof read[number], route: GuardedRoute) =>
    (method === undefined || method === route.method || route.others.includes(method)) &&
    (pattern.endsWith("/*")
      ? route.pattern.startsWith(pattern.slice(0, -1)) || route.pattern === pattern.slice(0, -2)
      : pattern === route.pattern);
  for (const one of read) {
    if (routes.some((route) => fits(one, route))) continue;
    throw new TestingError(
      "UNKNOWN_ROUTE",
      `${option} names ${
        JSON.stringify(one.entry)
      }, which is no route of the application. Its routes: ` +
        `${routes.map(labelOf).join(", ")}.`,
    );
  }
  return { has: (route) => read.some((one) => fits(one, route)) };
}

/** Returns the name of a route in messages. */
export function labelOf({ method, pattern }: GuardedRoute): string {
  return `${method} ${pattern}`;
}
