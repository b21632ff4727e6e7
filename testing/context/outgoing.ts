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

/** Request handler of MSW (`http.get()`, `graphql.query()`) or of the like. */
export interface RequestHandler {
  /** Answers a request; null, or an outcome without a response, for one that is another handler's. */
  run(args: { request: Request; requestId: string }): Promise<
    { response?: Response | undefined } | null
  >;
}

/** Registered handler and the requests that it answered. */
export interface FetchRoute {
  /** Requests that the handler answered, newest last; their bodies can be read. */
  readonly requests: Request[];
  /** Removes the handler. */
  remove(): void;
}

/** Registers handlers for outgoing requests. */
export interface OnFetch {
  /**
   * Registers one by a pattern.
   *
   * @param pattern Pattern of the requests to answer.
   * @param handler Returns a response, or a value that is sent as JSON.
   * @throws {TestingError} `OPTIONS` without a handler.
   */
  (pattern: FetchPattern, handler: FetchHandler): FetchRoute;
  /**
   * Registers those of MSW, of which the first that fits answers. Their patterns need the whole address:
   * `http.get("https://api.example/items", …)`.
   *
   * @param handlers Request handlers.
   */
  (handlers: readonly RequestHandler[]): FetchRoute;
}

/** The outgoing calls of one context. */
export interface Outgoing {
  /** Registers a handler; when several match, the newest one answers. */
  onFetch: OnFetch;
  /**
   * Answers a call of the application.
   *
   * @throws {TestingError} `UNHANDLED_FETCH` when no handler matches.
   */
  answer(request: Request): Promise<Response>;
}

/** Creates the outgoing calls of a context, without handlers. */
export function createOutgoing(): Outgoing {
  const routes: { answer: Answer; route: FetchRoute }[] = [];
  return {
    onFetch(given: FetchPattern | readonly RequestHandler[], handler?: FetchHandler) {
      if (!isList(given) && typeof handler !== "function") {
        throw new TestingError(
          "OPTIONS",
          `onFetch() was given no handler for ${given}. Pass a function that answers: ` +
            "ctx.onFetch(url, () => Response.json(…)).",
        );
      }
      const route: FetchRoute = {
        requests: [],
        remove: () => {
          const index = routes.findIndex((entry) => entry.route === route);
          if (index >= 0) routes.splice(index, 1);
        },
      };
      routes.unshift({
        answer: isList(given) ? answerWith(given) : answerBy(given, handler!),
        route,
      });
      return route;
    },
    async answer(request) {
      for (const { answer, route } of [...routes]) {
        const response = await answer(request, () => void route.requests.push(request.clone()));
        if (response !== undefined) return response;
      }
      throw unhandled(request);
    },
  };
}

/** Answers a request; undefined for one that is another handler's. `note` is called before a handler reads the body. */
type Answer = (request: Request, note: () => void) => Promise<Response | undefined>;

function isList(
  given: FetchPattern | readonly RequestHandler[],
): given is readonly RequestHandler[] {
  return Array.isArray(given);
}

function answerBy(pattern: FetchPattern, handler: FetchHandler): Answer {
  const fits = matcherOf(pattern);
  return async (request, note) => {
    if (!fits(request)) return undefined;
    note();
    const result = await handler(request);
    if (result instanceof Response) return result;
    return result === undefined ? new Response(null, { status: 204 }) : Response.json(result);
  };
}

function answerWith(handlers: readonly RequestHandler[]): Answer {
  return async (request, note) => {
    for (const handler of handlers) {
      const outcome = await handler.run({
        request: request.clone(),
        requestId: crypto.randomUUID(),
      });
      const response = outcome?.response;
      // passthrough() of MSW would have the request sent, and tests send none.
      if (response === undefined || response.headers.has("x-msw-intention")) continue;
      note();
      if (response.type === "error") throw new TypeError("Network connection lost.");
      return response;
    }
    return undefined;
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
    return await untilAborted(scope.call(request), request.signal);
  } catch (error) {
    // Noted as well, because the application may catch it; errors of the test's own handler are intended.
    if (isMistake(error, request)) scope.failures.push(error);
    throw error;
  }
}

/** Has a slow answer end where the application's own time limit does. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
