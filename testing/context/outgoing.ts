import { TestingError } from "../errors.ts";
import { currentScope, type Scope } from "./scope.ts";

/**
 * Pattern of outgoing requests: an address in which `*` stands for anything, without a query for
 * every query, and with a method before it for that method alone (`"POST https://api.example/*"`);
 * or an expression for the address, or a function.
 */
export type FetchPattern = string | RegExp | ((request: Request) => boolean);

/** Answers an outgoing request: a response, or a value that becomes one of JSON. */
export type FetchHandler = (request: Request) => unknown;

/** A handler that was registered, with what it was asked. */
export interface FetchRoute {
  /** Requests that it was asked, the newest last; bodies can be read. */
  readonly requests: Request[];
  /** Takes the handler away. */
  remove(): void;
}

/** The outgoing calls of one context. */
export interface Outgoing {
  /** Registers a handler; of two that fit, the later one answers. */
  onFetch(pattern: FetchPattern, handler: FetchHandler): FetchRoute;
  /**
   * Answers a call of the application.
   *
   * @throws {TestingError} `UNHANDLED_FETCH` when no handler fits.
   */
  answer(request: Request): Promise<Response>;
}

/** Makes the outgoing calls of a context; none is answered yet. */
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

/** As `Request.url` writes it: a host alone has the path "/". */
function completed(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?]+$/i.test(address) && !address.endsWith("*")) {
    return `${address}/`;
  }
  return address;
}

/**
 * Returns true when a call failed because no handler fits, and the test must be told whatever the
 * application makes of that. The sign-in page asks identity providers what they are and gets by
 * without an answer, so a test that merely shows it needs none.
 */
export function isMistake(error: unknown, { url }: Request): boolean {
  return error instanceof TestingError && error.code === "UNHANDLED_FETCH" &&
    !new URL(url).pathname.includes("/.well-known/");
}

function unhandled({ method, url }: Request): TestingError {
  const { origin, pathname } = new URL(url);
  return new TestingError(
    "UNHANDLED_FETCH",
    `The application called ${method} ${url}, and no handler answers that. Tests call nobody: ` +
      `register one with ctx.onFetch("${origin}${pathname}", () => Response.json(…)).`,
  );
}

const native = globalThis.fetch;
let users = 0;

/**
 * Application code calls the global `fetch`. While a context is open, the calls that are made on its
 * behalf go to its handlers; all others go where they went. A `fetch` that the test itself put there stays.
 *
 * @returns Ends it for one context.
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
    // Noted too, because the application may get over it; what the test's own handler throws is its say.
    if (isMistake(error, request)) scope.failures.push(error);
    throw error;
  }
}
