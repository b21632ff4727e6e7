import { TestingError } from "../errors.ts";
import { currentScope, type Scope } from "./scope.ts";

/**
 * Pattern for outgoing requests: a URL in which `*` matches anything (without a query it matches
 * every query, with a method in front only that method: `"POST https://api.example/*"`), a regular
 * expression for the URL, or a function.
 */
export type FetchPattern = string | RegExp | ((request: Request) => boolean);

/** Answers an outgoing request with a response, or with a value that is sent as JSON. */
export type FetchHandler = (request: Request) => unknown;

/** Registered handler and the requests that it answered. */
export interface FetchRoute {
  /** Requests that the handler answered, newest last; their bodies can be read. */
  readonly requests: Request[];
  /** Removes the handler. */
  remove(): void;
}

/** The outgoing calls of one context. */
export interface Outgoing {
  /** Registers a handler; when several match, the newest one answers. */
  onFetch(pattern: FetchPattern, handler: FetchHandler): FetchRoute;
  /**
   * Answers a call of the application.
   *
   * @throws {TestingError} `UNHANDLED_FETCH` when no handler matches.
   */
  answer(request: Request): Promise<Response>;
}

/** Creates the outgoing calls of a context, without handlers. */
export function createOutgoing(): Outgoing {
  const routes: { fits(request: Request): boolean; handler: FetchHandler; route: FetchRoute }[] =
    [];
  return {
    onFetch(pattern, handler) {
      const route: FetchRoute = {
        requests: [],
        remove: () => {
          const index = routes.findIndex((entry) => entry.route === route);
          if (index >= 0) routes.splice(index, 1);
        },
      };
      routes.unshift({ fits: matcherOf(pattern), handler, route });
      return route;
    },
    async answer(request) {
      const found = routes.find(({ fits }) => fits(request));
      if (found === undefined) throw unhandled(request);
      found.route.requests.push(request.clone());
      const result = await found.handler(request);
      if (result instanceof Response) return result;
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result);
    },
  };
}

function matcherOf(pattern: FetchPattern): (request: Request) => boolean {
  if (typeof pattern === "function") return pattern;
  if (pattern instanceof RegExp) return ({ url }) => url.search(pattern) !== -1;
  const [, method, address = ""] = /^(?:([A-Z]+) )?(.*)$/s.exec(pattern) ?? [];
  const parts = completed(address).split("*").map((part) =>
    part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")
  );
  const expression = new RegExp(`^${parts.join(".*")}$`, "s");
  const hasQuery = address.includes("?");
  return (request) => {
    if (method !== undefined && method !== request.method) return false;
    const url = request.url.replace(/#.*$/s, "");
    return expression.test(hasQuery ? url : url.replace(/\?.*$/s, ""));
  };
}

/** Normalizes a URL pattern as `Request.url` does: a host alone gets the path "/". */
function completed(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?]+$/i.test(address) && !address.endsWith("*")) {
    return `${address}/`;
  }
  return address;
}

/**
 * Returns true when a call failed because no handler matches and the test must fail, even if the
 * application catches the error. Discovery requests of the sign-in page are exempt: the page works
 * without an answer, so a test that only renders it needs no handler.
 */
export function isMistake(error: unknown, { url }: Request): boolean {
  return error instanceof TestingError && error.code === "UNHANDLED_FETCH" &&
    !new URL(url).pathname.includes("/.well-known/");
}

function unhandled({ method, url }: Request): TestingError {
  const { origin, pathname } = new URL(url);
  return new TestingError(
    "UNHANDLED_FETCH",
    `The application called ${method} ${url}, and no handler matches. Tests make no real requests: ` +
      `register one with ctx.onFetch("${origin}${pathname}", () => Response.json(…)).`,
  );
}

const native = globalThis.fetch;
let users = 0;

/**
 * Diverts the global `fetch` while a context is open: calls made on behalf of a context go to its
 * handlers, all others to the original. A `fetch` that the test itself assigned stays.
 *
 * @returns A function that ends the diversion for one context.
 */
export function divertFetch(): () => void {
  users++;
  if (globalThis.fetch === native) globalThis.fetch = diverted;
  return () => {
    users--;
    if (users === 0 && globalThis.fetch === diverted) globalThis.fetch = native;
  };
}

function diverted(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const scope = currentScope();
  return scope === undefined ? native(input, init) : call(scope, new Request(input, init));
}

async function call(scope: Scope, request: Request): Promise<Response> {
  request.signal.throwIfAborted();
  try {
    return await scope.call(request);
  } catch (error) {
    // Noted as well, because the application may catch it; errors of the test's own handler are intended.
    if (isMistake(error, request)) scope.failures.push(error);
    throw error;
  }
}
