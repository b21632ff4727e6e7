import { isSecretField } from "../runtime/secret_fields.ts";
import type { JsonObject, JsonValue } from "../tools/jsonc.ts";

/** Path of the components' schemas in a document. */
export const schemaBase = "#/components/schemas/";

/** Keywords of JSON Schema, draft 2020-12, by what they hold. All others stay out of a document. */
const keywords = {
  /** One schema. */
  schema: new Set([
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
  ]),
  list: new Set(["allOf", "anyOf", "oneOf", "prefixItems"]),
  /** Schemas by names that the application chooses. */
  map: new Set(["dependentSchemas", "patternProperties", "properties"]),
  value: new Set([
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
  ]),
  /** Values that a secret field could have. */
  secret: new Set(["const", "default", "enum", "examples", "pattern"]),
};

/** A schema for a document, and the definitions that it refers to, by the names of their components. */
export interface PublishedSchema {
  root: JsonObject;
  definitions: JsonObject;
}

/**
 * Prepares a schema for a document that anybody may read: its definitions become components, what is
 * no keyword of JSON Schema (a library's metadata, for example) is left out, and fields that are
 * secrets by their names have no values, such as a default.
 *
 * @param schema Schema of a library, draft 2020-12.
 * @param name Name of its component.
 */
export function publishSchema(schema: JsonObject, name: string): PublishedSchema {
  const { $defs, ...root } = schema;
  const definitions = isObject($defs) ? Object.entries($defs) : [];
  const keys = definitions.map(([key]) => key);
  /** Definitions that are the value of a secret field. */
  const secrets = new Set<string>();

  function published(value: JsonValue, isSecret: boolean): JsonValue {
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, each]): [string, JsonValue][] => {
        if (key === "$ref" && typeof each === "string") return [[key, renamed(each, isSecret)]];
        if (keywords.schema.has(key)) return [[key, published(each, isSecret)]];
        if (keywords.list.has(key) && Array.isArray(each)) {
          return [[key, each.map((one) => published(one, isSecret))]];
        }
        if (keywords.map.has(key) && isObject(each)) {
          const schemas = Object.entries(each).map(([field, one]): [string, JsonValue] => [
            field,
            published(one, isSecret || (key === "properties" && isSecretField(field))),
          ]);
          return [[key, Object.fromEntries(schemas)]];
        }
        const isKept = keywords.value.has(key) && !(isSecret && keywords.secret.has(key));
        return isKept || key.startsWith("x-") ? [[key, each]] : [];
      }),
    );
  }

  /** Returns the reference relative to the document. */
  function renamed(reference: string, isSecret: boolean): string {
    const path = reference.replace(/^#\/\$defs\//, "");
    if (path === reference) return reference.replace(/^#(?=\/|$)/, schemaBase + name);
    const [first = "", ...rest] = path.split("/");
    // Some libraries do not escape names.
    const key = keys.find((each) => each === path) ??
      keys.find((each) => each === unescaped(first));
    if (key === undefined) return reference;
    if (isSecret) secrets.add(key);
    return [schemaBase + componentOf(name, key), ...key === path ? [] : rest].join("/");
  }

  // A definition may turn out to be a secret's when another one is read.
  for (let before = -1; before < secrets.size;) {
    before = secrets.size;
    published(root, false);
    for (const [key, value] of definitions) published(value, secrets.has(key));
  }
  return {
    root: published(root, false) as JsonObject,
    definitions: Object.fromEntries(
      definitions.map(([key, value]) => [
        componentOf(name, key),
        published(value, secrets.has(key)),
      ]),
    ),
  };
}

/** Tells if a value is an object of JSON. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the name that a part of a JSON Pointer stands for (RFC 6901, sections 4 and 6). */
function unescaped(part: string): string {
  const pointer = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}

/** Returns a key of `components`, which has letters, digits, dots, dashes and underscores. */
function componentOf(name: string, key: string): string {
  return `${name}_${key.replace(/[^\w.-]/gu, (character) => `_${character.codePointAt(0)}_`)}`;
}
