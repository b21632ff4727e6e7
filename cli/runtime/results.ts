import { RequestError } from "@framework/auth";

/**
 * Value with the status and headers of its response, as {@linkcode data} returns it.
 *
 * @example
 * ```ts
 * import { data, DataResult } from "@framework/cli/runtime";
 * import { deepEqual, ok } from "node:assert/strict";
 *
 * const result = data({ saved: true }, { status: 201 });
 * ok(result instanceof DataResult);
 * deepEqual([result.status, result.value], [201, { saved: true }]);
 * ```
 */
export class DataResult<T> {
  /** Value that the component receives as `data` or `actionData`. */
  readonly value: T;
  /** Status of the response. */
  readonly status: number;
  /** Headers of the response. */
  readonly headers: Headers;

  /**
   * Creates the result; {@linkcode data} is shorter.
   *
   * @param value What the component gets.
   * @param init Status, 200 by default, and headers.
   */
  constructor(value: T, init: ResultInit) {
    this.value = value;
    this.status = init.status ?? 200;
    this.headers = new Headers(init.headers);
  }
}

/** Status and headers of a response. */
export interface ResultInit {
  /** Status of the response. Default: 200. */
  status?: number;
  /** Headers of the response. Default: the framework's only. */
  headers?: HeadersInit;
}

/**
 * Error of {@linkcode notFound}; the runtime answers 404 (RFC 9110, 15.5.5), with `not-found.tsx`
 * if there is one.
 *
 * @example
 * ```ts
 * import { notFound, NotFoundError } from "@framework/cli/runtime";
 * import { throws } from "node:assert/strict";
 *
 * throws(() => notFound(), NotFoundError);
 * ```
 */
export class NotFoundError extends Error {
  /** Stable name of the error. */
  readonly code: "NOT_FOUND" = "NOT_FOUND" as const;
  /** Status of the response. */
  readonly status: 404 = 404 as const;

  /**
   * Creates the error for {@linkcode notFound}. The message is part of the contract with tests: it
   * is exactly `Not found`.
   */
  constructor() {
    super("Not found");
    this.name = "NotFoundError";
  }
}

/**
 * Ends the request with 404, for a loader, action or route whose record does not exist.
 *
 * @throws {NotFoundError} Always; its message is `Not found`.
 * @example
 * ```ts
 * import { notFound } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * function loader({ params }: { params: { id: string } }) {
 *   const titles: Record<string, string> = { "1": "First" };
 *   return { title: titles[params.id] ?? notFound() };
 * }
 *
 * assert.throws(() => loader({ params: { id: "2" } }), { message: "Not found" });
 * ```
 */
export function notFound(): never {
  throw new NotFoundError();
}

/**
 * Returns a redirect response. The default status is 303, after which the browser asks with GET: right after a form
 * post, where 302 would leave the method open.
 *
 * A location that reads as a path of this site and is none to a browser is refused, such as `//evil.example`: such texts
 * come from requests. Letters beyond ASCII, which no header holds, are encoded. A whole URL is sent as it is: never take one from a request, since that would be an open redirect.
 *
 * @param location Path, which stays on this site, or an absolute URL of http or https.
 * @param status 301, 302, 303, 307 or 308. Default: 303.
 * @throws {RangeError} For another status.
 * @throws {RequestError} 400, for a location that is neither.
 * @example
 * ```ts
 * import { redirect } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * const response = redirect("/dashboard");
 * assert.equal(response.status, 303);
 * assert.equal(response.headers.get("location"), "/dashboard");
 * assert.throws(() => redirect("//evil.example"), { status: 400 });
 * ```
 */
export function redirect(location: string, status: number = 303): Response {
  if (![301, 302, 303, 307, 308].includes(status)) {
    throw new RangeError(
      `The status of a redirect must be 301, 302, 303, 307 or 308, not ${status}.`,
    );
  }
  const isUrl = /^https?:\/\/[^\\\s]+$/i.test(location) && URL.canParse(location);
  // deno-lint-ignore no-control-regex -- URL parsers drop some, and no header may hold them
  const hasControl = /[\x00-\x1f\x7f]/.test(location);
  if (hasControl || !isUrl && !OWN.every((origin) => staysAt(origin, location))) {
    throw new RequestError(
      `Cannot redirect to ${
        JSON.stringify(location)
      }: it is no path of this site, and no URL of http or https`,
    );
  }
  return new Response(null, { status, headers: { location: inAscii(location, isUrl) } });
}

/** An address as a header can hold it: a host in Punycode, all else in percent-encoding. */
function inAscii(location: string, isUrl: boolean): string {
  if (!/[^\x21-\x7e]/.test(location)) return location;
  if (isUrl) return new URL(location).href;
  return location.trim().toWellFormed().replaceAll(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/**
 * Returns a loader's or action's result with its own status, for example 422 for a form that is
 * shown again with its mistakes.
 *
 * @param value What the component gets as `data` or `actionData`.
 * @param init Status (default: 200) and headers of the response.
 * @example
 * ```ts
 * import { data } from "@framework/cli/runtime";
 * import assert from "node:assert/strict";
 *
 * const result = data({ problem: "Please enter a name." }, { status: 422 });
 * assert.equal(result.status, 422);
 * ```
 */
export function data<T>(value: T, init: ResultInit = {}): DataResult<T> {
  return new DataResult(value, init);
}

// Both, since "https:evil.example" is a path to a page of https, and another site to one of http.
const OWN = ["https://own.invalid", "http://own.invalid"];

function staysAt(origin: string, location: string): boolean {
  return URL.parse(location, origin)?.origin === origin;
}
