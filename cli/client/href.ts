import { readFolder, type Segment } from "../runtime/pattern.ts";
import type { LinkPath, Links } from "../runtime/register.ts";
import type { Schema } from "../runtime/schema.ts";

/** Value of a segment, or of a parameter of the query. */
export type LinkValue = string | number | bigint;

/** Value of a parameter of the query: a list becomes several of one name, `undefined` and `null` none. */
export type QueryValue = LinkValue | boolean | null | undefined | readonly (LinkValue | boolean)[];

/** Schema of the query of the page at an address, its export `search`; `never` without one. */
export type QuerySchemaOf<Path extends string> = string extends LinkPath ? never
  : Path extends keyof Links ? Links[Path] extends { search: infer S } ? S : never
  : never;

/** Query of a link to a path: what the page's schema takes; anything for a page without one. */
export type LinkQuery<Path extends string> = [QuerySchemaOf<Path>] extends [never]
  ? Record<string, QueryValue>
  : QueryOf<QuerySchemaOf<Path>>;

/** Parameters that a schema takes, with lists by the names `tags[]`; anything for a schema of anything. */
export type QueryOf<S> = S extends Schema<infer Input, infer Output>
  ? unknown extends Input ? Record<string, QueryValue> : {
    [Name in keyof Input as QueryName<Name, Input[Name]>]: QueryInput<
      Input[Name],
      Name extends keyof Output ? Output[Name] : unknown
    >;
  }
  : never;

/** Name of a parameter, by which {@linkcode QueryOf} lists a value of the schema. */
export type QueryName<Name, Value> = Name extends string
  ? NonNullable<Value> extends readonly unknown[] ? `${Name}[]` : Name
  : never;

/** Value that a link gives for one of the schema; for one that takes anything, what it makes of it. */
export type QueryInput<Input, Output> = unknown extends Input
  ? unknown extends Output ? QueryValue : Extract<Output, QueryValue> | undefined
  : Input;

/** Query and fragment of a link to a path. */
export type LinkOptions<Path extends string = string> =
  & {
    /** Fragment, without `#`. Default: none. */
    hash?: string;
  }
  & (Record<never, never> extends LinkQuery<Path> ? {
      /** Query. Default: none. */
      query?: LinkQuery<Path>;
    }
    : {
      /** Query, which has values that the page needs. */
      query: LinkQuery<Path>;
    });

/** Values of a path's dynamic segments in a link; those of `[[...rest]]` may be left out. */
export type LinkParams<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? LinkParams<Head> & LinkParams<Tail>
  : Path extends `[[...${infer Name}]]` ? { [Key in Name]?: readonly LinkValue[] }
  : Path extends `[...${infer Name}]` ? { [Key in Name]: readonly LinkValue[] }
  : Path extends `[${infer Name}]` ? { [Key in Name]: LinkValue }
  // deno-lint-ignore ban-types -- a static segment has no value.
  : {};

/** Arguments of {@linkcode href} after the path: values only for a path with dynamic segments. */
export type LinkArguments<Path extends string> = Path extends `${string}[${string}`
  ? Record<never, never> extends LinkOptions<Path>
    ? Record<never, never> extends LinkParams<Path>
      ? [params?: LinkParams<Path>, options?: LinkOptions<Path>]
    : [params: LinkParams<Path>, options?: LinkOptions<Path>]
  : [params: LinkParams<Path>, options: LinkOptions<Path>]
  : Record<never, never> extends LinkOptions<Path> ? [options?: LinkOptions<Path>]
  : [options: LinkOptions<Path>];

/**
 * Returns the address of a page or route of the application: `href("/t/[tenant]", { tenant })`. Every
 * value is encoded as one segment. A path that the application does not have, a missing value, one
 * too many, and a query that the page's `search` does not take are type errors.
 *
 * @param path Folders of the route below `app/`, without the groups.
 * @param args Values of the dynamic segments, if the path has any; then query and fragment.
 * @throws {TypeError} When a value is missing, empty, `.` or `..`, which no URL can have as a segment.
 *
 * @example
 * ```ts
 * import { href } from "@framework/cli/href";
 * import { equal, throws } from "node:assert/strict";
 *
 * equal(href("/contact", { query: { done: "sent" } }), "/contact?done=sent");
 * equal(href("/files/[...path]", { path: ["a/b", "c"] }, { hash: "top" }), "/files/a%2Fb/c#top");
 * throws(() => href("/t/[tenant]", { tenant: ".." }), TypeError);
 * ```
 */
export function href<Path extends LinkPath>(path: Path, ...args: LinkArguments<Path>): string {
  const given = args as unknown[];
  const params = (path.includes("[") ? given.shift() ?? {} : {}) as Record<string, unknown>;
  const { query = {}, hash = "" } = (given[0] ?? {}) as LinkOptions<string>;
  let address = "";
  for (const part of partsOf(path)) {
    address += typeof part === "string" ? part : fill(part, params, path);
  }
  return (address || "/") + writeQuery(query) +
    (hash === "" ? "" : `#${encodeURIComponent(hash)}`);
}

function writeQuery(query: Record<string, unknown>): string {
  let search: URLSearchParams | undefined;
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null) {
        (search ??= new URLSearchParams()).append(name, String(one));
      }
    }
  }
  return search === undefined ? "" : `?${search}`;
}

/** Dynamic segment of a path. */
type Dynamic = Exclude<Segment, { kind: "static" }>;

// A page makes as many links as it has records, to few paths.
const known = new Map<string, (string | Dynamic)[]>();
/** More paths than an application writes down; some are put together by a program. */
const MOST_KNOWN = 1000;

/** Returns the parts of a path: `/` and a folder, encoded, or a dynamic segment. */
function partsOf(path: string): (string | Dynamic)[] {
  let parts = known.get(path);
  if (parts === undefined) {
    parts = path.split("/").filter((folder) => folder !== "").map((folder) => {
      const segment = readFolder(folder);
      return "name" in segment ? segment : `/${encodeURI(folder)}`;
    });
    if (known.size < MOST_KNOWN) known.set(path, parts);
  }
  return parts;
}

/** Returns the encoded segments that stand in the place of a dynamic one, each after a `/`. */
function fill({ kind, name }: Dynamic, params: Record<string, unknown>, path: string): string {
  const value = Object.hasOwn(params, name) ? params[name] : undefined;
  const values = kind === "param" ? [value] : value as unknown[] | undefined ?? [];
  if (values.length === 0 && kind === "rest") throw unfit(path, name, "an empty list");
  return values.map((one) => {
    const text = one === undefined || one === null ? "" : String(one);
    if (text === "") throw unfit(path, name, one === "" ? "empty" : String(one));
    // Browsers resolve these, encoded or not: the link would lead to another route.
    if (text === "." || text === "..") throw unfit(path, name, text);
    return `/${encodeURIComponent(text)}`;
  }).join("");
}

function unfit(path: string, name: string, value: string): TypeError {
  return new TypeError(`href("${path}") cannot be made: the value of "${name}" is ${value}.`);
}
