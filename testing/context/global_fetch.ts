import { isMistake } from "./outgoing.ts";
import { currentScope, type Scope } from "./scope.ts";

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
