/** A JSON Schema, as far as it is read here (draft 2020-12). */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Levels of a value: a schema that contains itself without an end has none. */
const DEEPEST = 20;
/** Levels down to which optional properties are made. */
const FULLEST = 4;

/** Texts by `format`. */
const FORMATS: Record<string, string> = {
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  time: "00:00:00Z",
  duration: "P1D",
  email: "someone@example.com",
  "idn-email": "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  url: "https://example.com/",
  "uri-reference": "/",
  uuid: "018e6b5e-0000-7000-8000-000000000001",
};

/** Texts of which one satisfies most patterns. */
const TEXTS = [
  "text",
  "1",
  "a1",
  "A1",
  "ABC",
  "#000000",
  "en-US",
  "+15550100",
  "12:00",
  ...Object.values(FORMATS),
  "018e6b5e-0000-4000-8000-000000000001",
];

/**
 * Makes a value that a JSON Schema accepts.
 *
 * @param schema The schema.
 * @param options `root`: the document that its references are relative to, by default the schema;
 * `isFull`: true for a value with optional properties too, by default only required ones.
 * @throws {Error} When there is none, or it takes more than the keywords that are known here, such
 * as a text for an unusual pattern.
 */
export function sampleOf(
  schema: JsonSchema,
  { root = schema, isFull = false }: { root?: JsonSchema; isFull?: boolean } = {},
): unknown {
  function sample(given: unknown, depth: number): unknown {
    if (depth > DEEPEST) throw new Error("the schema contains itself without an end");
    if (given === true || given === undefined) return "text";
    if (!isObject(given)) throw new Error("the schema accepts no value");
    if (typeof given["$ref"] === "string") return sample(resolve(given["$ref"], root), depth + 1);
    if ("const" in given) return given["const"];
    if ("default" in given) return given["default"];
    for (const name of ["enum", "examples"]) {
      const values = given[name];
      if (Array.isArray(values) && values.length > 0) return values[0];
    }
    if ("example" in given) return given["example"];
    const { allOf, anyOf, oneOf, ...own } = given;
    if (Array.isArray(allOf)) {
      return sample(allOf.reduce((all, part) => merge(all, part, root), own), depth + 1);
    }
    const choices = anyOf ?? oneOf;
    if (Array.isArray(choices)) {
      return first(
        choices.filter((choice) => choice !== false).map((choice) => merge(own, choice, root)),
        depth,
      );
    }
    return byType(own, depth);
  }

  function first(choices: unknown[], depth: number): unknown {
    let failure: unknown = new Error("the schema has no choice");
    for (const choice of choices) {
      try {
        return sample(choice, depth + 1);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  function byType(own: JsonSchema, depth: number): unknown {
    const types = [own["type"]].flat();
    const type = types.find((one) => one !== "null") ?? types[0] ?? impliedType(own);
    switch (type) {
      case "object":
        return objectOf(own, depth);
      case "array":
        return arrayOf(own, depth);
      case "integer":
      case "number":
        return numberOf(own, String(type));
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return textOf(own);
    }
  }

  function objectOf(own: JsonSchema, depth: number): Record<string, unknown> {
    const properties = isObject(own["properties"]) ? own["properties"] : {};
    const required = Array.isArray(own["required"]) ? own["required"] as string[] : [];
    const names = isFull && depth < FULLEST
      ? new Set([...required, ...Object.keys(properties)])
      : required;
    return Object.fromEntries(
      [...names].map((name) => [name, sample(properties[name], depth + 1)]),
    );
  }

  function arrayOf(own: JsonSchema, depth: number): unknown[] {
    const first = Array.isArray(own["prefixItems"]) ? own["prefixItems"] : [];
    const length = Math.max(
      Number(own["minItems"] ?? 0),
      first.length,
      isFull && depth < FULLEST ? 1 : 0,
    );
    const items = Array.from(
      { length },
      (_, index) => sample(first[index] ?? own["items"], depth + 1),
    );
    if (own["uniqueItems"] !== true) return items;
    return items.map((item, index) =>
      index === 0
        ? item
        : typeof item === "number"
        ? item + index
        : typeof item === "string"
        ? `${item}${index}`
        : item
    );
  }

  return sample(schema, 0);
}

function impliedType(own: JsonSchema): string {
  if ("properties" in own || "required" in own) return "object";
  if ("items" in own || "prefixItems" in own) return "array";
  return "minimum" in own || "maximum" in own ? "number" : "string";
}

function numberOf(own: JsonSchema, type: string): number {
  const read = (name: string, otherwise: number) => {
    const value = own[name];
    return typeof value === "number" ? value : otherwise;
  };
  const step = read("multipleOf", type === "integer" ? 1 : 0);
  const gap = step || Number.EPSILON;
  const least = Math.max(read("minimum", -Infinity), read("exclusiveMinimum", -Infinity) + gap);
  const most = Math.min(read("maximum", Infinity), read("exclusiveMaximum", Infinity) - gap);
  const wanted = Math.min(Math.max(1, least), most);
  if (step === 0) return wanted;
  const value = Math.ceil(wanted / step) * step;
  return value > most ? Math.floor(most / step) * step : value;
}

function textOf(own: JsonSchema): string {
  const least = Number(own["minLength"] ?? 0);
  const most = Number(own["maxLength"] ?? Infinity);
  const format = FORMATS[String(own["format"])];
  const patterns = typeof own["pattern"] === "string" ? [new RegExp(own["pattern"], "u")] : [];
  const candidates = (format === undefined ? TEXTS : [format, ...TEXTS])
    .map((text) => format === text ? text : text.padEnd(least, "a").slice(0, most));
  const found = candidates.find((text) => patterns.every((pattern) => pattern.test(text)));
  if (found !== undefined) return found;
  throw new Error(`no text is known for the pattern ${String(own["pattern"])}`);
}

function merge(own: JsonSchema, part: unknown, root: JsonSchema): JsonSchema {
  if (!isObject(part)) return own;
  const other = typeof part["$ref"] === "string" ? resolve(part["$ref"], root) : part;
  const both = (name: string, of: JsonSchema) => isObject(of[name]) ? of[name] : {};
  const list = (of: JsonSchema) => Array.isArray(of["required"]) ? of["required"] : [];
  const properties = { ...both("properties", own), ...both("properties", other) };
  const required = [...list(own), ...list(other)];
  return {
    ...own,
    ...other,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Returns what a reference within the document names (RFC 6901). */
function resolve(reference: string, root: JsonSchema): JsonSchema {
  const found = reference.replace(/^#\/?/, "").split("/").filter((part) => part !== "")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((value, part) => isObject(value) ? value[part] : undefined, root);
  if (reference.startsWith("#") && isObject(found)) return found;
  throw new Error(`the reference ${reference} leads nowhere`);
}

/** Returns true for an object that is no list. */
export function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
