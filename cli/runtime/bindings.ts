// deno-lint-ignore-file camelcase -- the names of the platform

/** Options for writing a key of a {@linkcode KeyValueNamespace}. */
export interface KeyValuePutOptions {
  /** Lifetime of the key in seconds, at least 60. */
  expirationTtl?: number;
  /** Expiry of the key, in seconds since 1970. */
  expiration?: number;
  /** Metadata of the key, at most 1,024 bytes as JSON. */
  metadata?: unknown;
}

/** One page of the keys of a {@linkcode KeyValueNamespace}. */
export interface KeyValueList {
  /** Keys in byte order, with their expiry in seconds since 1970 and their metadata. */
  keys: { name: string; expiration?: number; metadata?: unknown }[];
  /** True for the last page. */
  list_complete: boolean;
  /** Cursor for the next page. */
  cursor?: string;
}

/** Key-value namespace of the platform, with the operations that applications usually need. */
export interface KeyValueNamespace {
  /** Returns the text of a key; null when there is none. */
  get(key: string, type?: "text"): Promise<string | null>;
  /** Returns the value of a key, parsed as JSON. */
  get<T>(key: string, type: "json"): Promise<T | null>;
  /** Returns the value of a key as bytes. */
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  /** Returns the value of a key as a stream, for a response. */
  get(key: string, type: "stream"): Promise<ReadableStream | null>;
  /** Returns the text of a key and the metadata that it was written with; null for both when there is none. */
  getWithMetadata<Metadata = unknown>(
    key: string,
  ): Promise<{ value: string | null; metadata: Metadata | null }>;
  /** Writes a key; other locations may read the old value for up to 60 seconds. */
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream,
    options?: KeyValuePutOptions,
  ): Promise<void>;
  /** Deletes a key; other locations may still read it for up to 60 seconds. */
  delete(key: string): Promise<void>;
  /** Lists keys, at most `limit` (1,000 by default) per page. */
  list(options?: { prefix?: string; limit?: number; cursor?: string }): Promise<KeyValueList>;
}

/** Headers that an object of an {@linkcode ObjectBucket} is served with. */
export interface ObjectMetadata {
  /** `Content-Type`. */
  contentType?: string;
  /** `Content-Language`. */
  contentLanguage?: string;
  /** `Content-Disposition`. */
  contentDisposition?: string;
  /** `Content-Encoding`. */
  contentEncoding?: string;
  /** `Cache-Control`. */
  cacheControl?: string;
  /** `Expires`. */
  cacheExpiry?: Date;
}

/** Conditions of a read or write of an {@linkcode ObjectBucket}. */
export interface ObjectConditions {
  /** ETag that the object must have, without quotes; `*` for any. */
  etagMatches?: string;
  /** ETag that the object must not have, without quotes; `*` for any. */
  etagDoesNotMatch?: string;
  /** Time before which the object was uploaded. */
  uploadedBefore?: Date;
  /** Time after which the object was uploaded. */
  uploadedAfter?: Date;
  /** Compares times by the second. Default: false. */
  secondsGranularity?: boolean;
}

/** Part of an object's content, in bytes. */
export interface ObjectRange {
  /** First byte. Default: 0. */
  offset?: number;
  /** Number of bytes. Default: all that follow. */
  length?: number;
  /** Number of bytes from the end. */
  suffix?: number;
}

/** An object of an {@linkcode ObjectBucket} without its content. */
export interface StoredObject {
  /** Name in the bucket, which may contain slashes. */
  readonly key: string;
  /** Id of this content, which another write of the key replaces. */
  readonly version: string;
  /** Its length in bytes. */
  readonly size: number;
  /** Tag that changes with the content. */
  readonly etag: string;
  /** The tag in quotes, as the header `ETag` has it. */
  readonly httpEtag: string;
  /** Time of the last write. */
  readonly uploaded: Date;
  /** Headers that it was written with; in a list only where `include` names them. */
  readonly httpMetadata?: ObjectMetadata;
  /** The application's own values that it was written with; in a list only where `include` names them. */
  readonly customMetadata?: Record<string, string>;
  /** Part that was read, where one was asked for. */
  readonly range?: ObjectRange;
  /** Sets the headers that it was written with. */
  writeHttpMetadata(headers: Headers): void;
}

/** An object with its content. */
export interface StoredObjectBody extends StoredObject {
  /** Content as a stream, for a response; it can be read once. */
  readonly body: ReadableStream;
  /** Returns the content as UTF-8 text. */
  text(): Promise<string>;
  /** Returns the content parsed as JSON. */
  json<T>(): Promise<T>;
  /** Returns the complete content as bytes. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Options for reading an object. */
export interface ObjectReadOptions {
  /** Part to read; headers are those of a request. Default: everything. */
  range?: ObjectRange | Headers;
}

/** Options for writing an object. */
export interface ObjectWriteOptions {
  /** Conditions under which it is written; headers are those of a request. Default: it is always written. */
  onlyIf?: ObjectConditions | Headers;
  /** Headers to serve it with. */
  httpMetadata?: ObjectMetadata | Headers;
  /** Values of the application's own, at most 2,048 bytes. */
  customMetadata?: Record<string, string>;
}

/**
 * Bucket of objects (R2), with the operations that applications usually need.
 *
 * @example A file, the part of it that a player asks for, or 304 for what the browser has
 * ```ts
 * import type { ObjectBucket } from "@framework/cli/runtime";
 * import { equal } from "node:assert/strict";
 *
 * async function serve(bucket: ObjectBucket, { headers }: Request): Promise<Response> {
 *   const asked = new Headers(headers);
 *   // To go on with a download that was replaced meanwhile would mix the two.
 *   if (asked.has("if-range")) asked.delete("range");
 *   const file = await bucket.get("film.mp4", { range: asked, onlyIf: asked });
 *   if (file === null) return new Response(null, { status: 404 });
 *   const sent = new Headers({ etag: file.httpEtag, "accept-ranges": "bytes" });
 *   file.writeHttpMetadata(sent);
 *   const isKnown = asked.has("if-none-match") || asked.has("if-modified-since");
 *   if (!("body" in file)) return new Response(null, { status: isKnown ? 304 : 412, headers: sent });
 *   const { offset = 0, length = file.size } = file.range ?? {};
 *   if (length === file.size) return new Response(file.body, { headers: sent });
 *   sent.set("content-range", `bytes ${offset}-${offset + length - 1}/${file.size}`);
 *   return new Response(file.body, { status: 206, headers: sent });
 * }
 * equal(serve.length, 2);
 * ```
 */
export interface ObjectBucket {
  /** Returns an object, without its content where the conditions do not hold; null when there is none. */
  get(
    key: string,
    options: ObjectReadOptions & { onlyIf: ObjectConditions | Headers },
  ): Promise<StoredObjectBody | StoredObject | null>;
  /** Returns an object; null when there is none. */
  get(key: string, options?: ObjectReadOptions): Promise<StoredObjectBody | null>;
  /** Returns an object without its content; null when there is none. */
  head(key: string): Promise<StoredObject | null>;
  /** Writes an object and replaces an existing one; returns null where the conditions do not hold. */
  put(
    key: string,
    value: string | ArrayBuffer | ArrayBufferView | ReadableStream | Blob | null,
    options?: ObjectWriteOptions,
  ): Promise<StoredObject | null>;
  /** Deletes objects, at most 1,000 at once; missing ones are ignored. */
  delete(keys: string | string[]): Promise<void>;
  /** Lists objects, at most `limit` (1,000 by default) per page. */
  list(
    options?: {
      prefix?: string;
      limit?: number;
      cursor?: string;
      delimiter?: string;
      include?: ("httpMetadata" | "customMetadata")[];
    },
  ): Promise<
    { objects: StoredObject[]; truncated: boolean; cursor?: string; delimitedPrefixes: string[] }
  >;
}

/** Producer of a queue. */
export interface QueueProducer<Body = unknown> {
  /** Sends one message of at most 128 KB as JSON, delivered after at least `delaySeconds`. */
  send(body: Body, options?: { delaySeconds?: number }): Promise<unknown>;
  /** Sends up to 100 messages. */
  sendBatch(messages: Iterable<{ body: Body; delaySeconds?: number }>): Promise<unknown>;
}

/** The static files of the application. */
export interface AssetFetcher {
  /** Answers a request from the static files. */
  fetch(request: Request | string | URL): Promise<Response>;
}

/** Another worker, or an entrypoint of this one: a binding of `services`. */
export interface ServiceFetcher {
  /** Sends a request there. */
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
}

/** Address of a mail, with or without a name. */
export type EmailAddress = string | { email: string; name: string };

/** A file in a mail; `inline` ones are shown in its HTML by their `contentId`. */
export type EmailAttachment =
  & { filename: string; type: string; content: string | ArrayBuffer | ArrayBufferView }
  & (
    | { disposition: "attachment"; contentId?: undefined }
    | { disposition: "inline"; contentId: string }
  );

/** A mail whose source the application has written itself: `new EmailMessage()` of `cloudflare:email`. */
export interface EmailSource {
  /** Sender. */
  readonly from: string;
  /** Recipient. */
  readonly to: string;
}

/** Mail that the platform sends. */
export interface EmailContent {
  /** Sender, an address that the platform knows as yours. */
  from: EmailAddress;
  /** Recipients. Without them there are some in `cc` or `bcc`. */
  to?: EmailAddress | EmailAddress[];
  /** Subject. */
  subject: string;
  /** Plain text. */
  text?: string;
  /** HTML. */
  html?: string;
  /** Recipients of a copy. */
  cc?: EmailAddress | EmailAddress[];
  /** Recipients of a copy that nobody else sees. */
  bcc?: EmailAddress | EmailAddress[];
  /** Address for answers. */
  replyTo?: EmailAddress;
  /** Further headers. */
  headers?: Record<string, string>;
  /** Files. */
  attachments?: EmailAttachment[];
}

/** A binding of `send_email`. */
export interface SendEmail {
  /** Sends a mail; the result has its id. */
  send(message: EmailContent | EmailSource): Promise<{ messageId: string }>;
}
