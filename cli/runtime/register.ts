import type { DataResult } from "./results.ts";
import type { Params, SearchParams } from "./router.ts";
import type { InputOf } from "./schema.ts";

/**
 * Description of the application that `.framework/types/app.ts` adds by declaration merging:
 * environment, database, folders of `app/` and links. While it is empty, the types that are derived
 * from it accept anything.
 */
// deno-lint-ignore no-empty-interface -- filled by the generated file.
export interface Register {}

/** Part of {@linkcode Register}, or a fallback until the file is generated. */
export type Registered<Key extends string, Fallback> = Register extends Record<Key, infer T> ? T
  : Fallback;

/** Bindings, variables and secrets of the application. */
// deno-lint-ignore no-explicit-any -- unknown until the file is generated.
export type Env = Registered<"env", any>;

/** Tables of the application's database, for `Kysely<Database>`. */
// deno-lint-ignore no-explicit-any -- as above.
export type Database = Registered<"database", any>;

/** Folders of `app/` by path, with their files. */
// deno-lint-ignore no-explicit-any -- as above.
export type Routes = Registered<"routes", Record<string, any>>;

/** Path of a folder of `app/` that has a route, a layout or middleware, such as `/t/[tenant]`. */
export type RoutePath = keyof Routes & string;

/** Pages and routes by the address for links, which has no groups. */
// deno-lint-ignore no-explicit-any -- as above.
export type Links = Registered<"links", Record<string, any>>;

/** Addresses for links: paths of pages and routes, without the groups. */
export type LinkPath = keyof Links & string;

/** Values of the dynamic segments of a path, such as `{ tenant: string }` for `/t/[tenant]`. */
export type ParamsOf<Path extends string> = string extends Path ? Params
  : Path extends `${infer Head}/${infer Tail}` ? ParamsOf<Head> & ParamsOf<Tail>
  : Path extends `[[...${infer Name}]]` ? Record<Name, string[]>
  : Path extends `[...${infer Name}]` ? Record<Name, string[]>
  : Path extends `[${infer Name}]` ? Record<Name, string>
  // deno-lint-ignore ban-types -- a static segment adds nothing.
  : {};

/**
 * Result of a loader or action as a component receives it: without `Response`, and unwrapped from
 * `data()`.
 */
// deno-lint-ignore no-explicit-any -- any function, whatever it takes.
export type ResultOf<F> = F extends (...args: any[]) => infer R
  ? Exclude<Awaited<R>, Response> extends infer T ? T extends DataResult<infer V> ? V : T : never
  : undefined;

/** File of a folder that has a component. */
export type ComponentFile = "page" | "layout";

/** True for the path of no particular folder, and until the file is generated. */
export type IsOpen<Path> = string extends Path ? true : string extends RoutePath ? true : false;

/** Result of the `loader` or `action` of a folder's page or layout. */
export type DataOf<
  Path extends RoutePath,
  File extends ComponentFile,
  Export extends "loader" | "action" = "loader",
> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? any
    : Routes[Path] extends Record<File, Record<Export, infer F>> ? ResultOf<F>
    : undefined;

/**
 * Data of the layouts around a folder's page or layout: the fields of all results, of which the
 * nearest layout's takes precedence.
 */
export type LayoutDataOf<Path extends RoutePath, File extends ComponentFile> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? any
    : File extends "page" ? MergedData<LayoutDataOf<Path, "layout">, DataOf<Path, "layout">>
    : Routes[Path] extends { parent: infer Parent extends RoutePath } ? LayoutDataOf<Parent, "page">
    // deno-lint-ignore ban-types -- no layout, no fields.
    : {};

/** Two layouts' data in one object; a result that is not an object adds nothing. */
export type MergedData<Outer, Inner> = Inner extends object
  ? Inner extends readonly unknown[] ? Outer
  : { [Key in keyof (Omit<Outer, keyof Inner> & Inner)]: (Omit<Outer, keyof Inner> & Inner)[Key] }
  : Outer;

/** Schema of the input of a page's action: its export `input`; `unknown` without one. */
export type ActionSchemaOf<Path extends RoutePath> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? any
    : Routes[Path] extends { page: { input: infer Schema } } ? Schema
    : unknown;

/**
 * Query of a folder's page, as the schema that it exports as `search` makes it; texts without one,
 * and for its layout, which other pages have too.
 */
export type SearchOf<Path extends RoutePath, File extends ComponentFile> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? any
    : File extends "page"
      ? Routes[Path] extends { page: { search: infer Schema } } ? InputOf<Schema> : SearchParams
    : SearchParams;

/** Values that the middleware of a folder and of the folders above it declares to store. */
export type ValuesOf<Path extends RoutePath> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? Record<string, any>
    :
      & OuterValuesOf<Path>
      & (Routes[Path] extends { middleware: { middleware: { stores?: infer Values } } } ? Values
        : unknown);

/** Values that the middleware of the folders above a folder declares to store. */
export type OuterValuesOf<Path extends RoutePath> =
  // deno-lint-ignore no-explicit-any -- as above.
  IsOpen<Path> extends true ? Record<string, any>
    : Routes[Path] extends { parent: infer Parent extends RoutePath } ? ValuesOf<Parent>
    : unknown;
