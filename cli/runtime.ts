/**
 * Runtime of a built application, for import in its files: the application itself, the types of
 * loaders, actions, pages, routes and middleware, and the helpers `notFound`, `redirect`, `data`,
 * `invalid`, `fieldProps`, `errorProps` and `getContext`.
 *
 * @example
 * ```ts
 * import { data, notFound } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * const articles = new Map([["hello", { title: "Hello" }]]);
 *
 * function loader({ params }: { params: { slug: string } }) {
 *   return data(articles.get(params.slug) ?? notFound(), {
 *     headers: { "cache-control": "max-age=60" },
 *   });
 * }
 *
 * assert.deepEqual(loader({ params: { slug: "hello" } }).value, { title: "Hello" });
 * ```
 *
 * @module
 */
export {
  type Application,
  type ApplicationOptions,
  createApplication,
  type Worker,
} from "./runtime/application.ts";
export type { AppAssets } from "./client/assets.ts";
export { ClientPropError } from "./client/props.ts";
export type {
  AssetFetcher,
  EmailAddress,
  EmailAttachment,
  EmailContent,
  EmailSource,
  KeyValueList,
  KeyValueNamespace,
  KeyValuePutOptions,
  ObjectBucket,
  ObjectConditions,
  ObjectMetadata,
  ObjectRange,
  ObjectReadOptions,
  ObjectWriteOptions,
  QueueProducer,
  SendEmail,
  ServiceFetcher,
  StoredObject,
  StoredObjectBody,
} from "./runtime/bindings.ts";
export type {
  DurableObjectCaller,
  DurableObjectHandlers,
  DurableObjectName,
  DurableObjectNamespace,
  DurableObjectState,
  DurableObjectStub,
  ObjectEntries,
  ObjectKv,
  ObjectListOptions,
  ObjectSql,
  ObjectSqlCursor,
  ObjectSqlValue,
  ObjectStorage,
  ObjectTransaction,
} from "./runtime/durable_object.ts";
export type { BodyLimit, Prefetch } from "./runtime/manifest.ts";
export type { ContentSources } from "./runtime/csp.ts";
export {
  type ErrorProps,
  errorProps,
  type FieldOptions,
  type FieldProps,
  fieldProps,
} from "./runtime/form.ts";
export { readInput } from "./runtime/input.ts";
export {
  type FormValues,
  invalid,
  type InvalidForm,
  InvalidInputError,
} from "./runtime/invalid_input.ts";
export type {
  InputOf,
  InputReader,
  MethodSchemas,
  ReadInput,
  Schema,
  SchemaIssue,
  SchemaResult,
} from "./runtime/schema.ts";
export {
  type CookieJar,
  type Cookies,
  type CookieSettings,
  createCookieJar,
} from "./runtime/cookies.ts";
export type { Flash, FlashMessage } from "./runtime/flash.ts";
export type {
  ErrorPageFile,
  LayoutFile,
  MiddlewareFile,
  PageFile,
  RouteFile,
} from "./runtime/files.ts";
export {
  type ColumnsOf,
  type DeclaredColumn,
  type DeclaredTables,
  type DeclaredValue,
  type Json,
  parseJson,
  toJson,
  type ValueOf,
} from "./runtime/columns.ts";
export { createD1Dialect } from "./runtime/d1_dialect.ts";
export type { ErrorListener } from "./runtime/errors.ts";
export type {
  AppManifest,
  ErrorPageKind,
  ManifestAuth,
  ManifestErrorPage,
  ManifestModule,
  ManifestRoute,
} from "./runtime/manifest.ts";
export type { Icon, Metadata, TitleTemplate } from "./runtime/metadata.ts";
export { getContext } from "./runtime/request_context.ts";
export { robots, type RobotsOptions, type RobotsRule } from "./runtime/robots.ts";
export {
  sitemap,
  type SitemapEntry,
  sitemapIndex,
  type SitemapOptions,
} from "./runtime/sitemap.ts";
export {
  data,
  DataResult,
  notFound,
  NotFoundError,
  redirect,
  type ResultInit,
} from "./runtime/results.ts";
export type {
  ActionSchemaOf,
  ComponentFile,
  Database,
  DataOf,
  Env,
  IsOpen,
  LayoutDataOf,
  MergedData,
  OuterValuesOf,
  ParamsOf,
  Register,
  Registered,
  ResultOf,
  RoutePath,
  Routes,
  SearchOf,
  ValuesOf,
} from "./runtime/register.ts";
export type {
  ActionArgs,
  BackgroundContext,
  ErrorPageProps,
  ExecutionContext,
  HeadersArgs,
  LayoutProps,
  LoaderArgs,
  MessageBatch,
  MetadataArgs,
  Middleware,
  PageError,
  PageHeaders,
  PageProps,
  Params,
  Prerender,
  QueueHandler,
  QueueMessage,
  RequestContext,
  RouteHandler,
  ScheduledController,
  ScheduledHandler,
  SearchParams,
} from "./runtime/types.ts";
