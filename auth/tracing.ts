/**
 * Observability: spans around requests, statements, providers and mails, and counters of what happens. An
 * application that does not import it has nothing of it.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth";
 * import { createCounters, createTracedAuth } from "@framework/auth/tracing";
 * import { equal } from "node:assert/strict";
 *
 * const counters = createCounters();
 * const auth = createTracedAuth({
 *   database: createMemoryStorage(),
 *   events: { "*": counters.count },
 * });
 * equal((await auth.fetch(new Request("http://localhost/auth/session"))).status, 200);
 * ```
 *
 * @module
 */

export { type Count, type Counters, createCounters } from "./tracing/counters.ts";
export { createTracedAuth, traceAuth, traceDatabase, traceMails } from "./tracing/traced_auth.ts";
export {
  createTracer,
  type Span,
  type SpanAttribute,
  type SpanMessage,
  trace,
  type Tracer,
} from "./tracing/tracer.ts";
