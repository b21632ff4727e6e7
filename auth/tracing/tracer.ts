/**
 * Spans: named pieces of work, for whoever subscribes to them.
 *
 * @module
 */

import type * as diagnostics from "node:diagnostics_channel";

/** Value of an attribute of a span. */
export type SpanAttribute = string | number | boolean;

/** A piece of work that runs. */
export interface Span {
  /** Says something about the work, under a name of OpenTelemetry's semantic conventions where it has one. */
  setAttribute(name: string, value: SpanAttribute): void;
}

/** Makes spans. The `tracing` of `cloudflare:workers` is one. */
export interface Tracer {
  /**
   * Runs work as a span, inside of the span that runs. The span ends when the work returns, and of a promise when it is
   * settled.
   *
   * @param name Name of the span, such as "auth.sql".
   * @param work Does the work; it is given the span.
   * @returns What the work returns. What it throws is thrown.
   */
  enterSpan<T>(name: string, work: (span: Span) => T): T;
}

/** Message that a {@linkcode createTracer} publishes: one object for each span, the same from its start to its end. */
export interface SpanMessage {
  /** Name of the span. */
  readonly name: string;
  /** Attributes that have been set; complete when the span ends. */
  readonly attributes: Record<string, SpanAttribute>;
  /** Error that the work threw; left out where it has not failed. */
  error?: unknown;
}

const UNHEARD: Span = { setAttribute() {} };

/**
 * Makes a tracer that publishes its spans to the tracing channel of this name (`node:diagnostics_channel`): `start`
 * before the work, `asyncEnd` when it has ended, also where it was no promise, and `error` before that when it has
 * failed. While nobody subscribes, the work is called and nothing else happens. So it is in a runtime without such
 * channels: on workers without `nodejs_compat`, for example.
 *
 * @param channel Name of the channel. Default "framework".
 *
 * @example
 * ```ts
 * import { createTracer, type SpanMessage } from "@framework/auth/tracing";
 * import { deepEqual } from "node:assert/strict";
 * import { tracingChannel } from "node:diagnostics_channel";
 *
 * const ended: string[] = [];
 * tracingChannel("example").asyncEnd.subscribe((message) => {
 *   ended.push((message as SpanMessage).name);
 * });
 * const tracer = createTracer("example");
 * await tracer.enterSpan("outer", async () => tracer.enterSpan("inner", () => 1));
 * deepEqual(ended, ["inner", "outer"]);
 * ```
 */
export function createTracer(channel: string = "framework"): Tracer {
  const channels = diagnosticsChannels();
  if (channels === undefined) return { enterSpan: (_name, work) => work(UNHEARD) };
  const { start, asyncEnd, error: failed } = channels.tracingChannel<unknown, SpanMessage>(channel);
  return {
    enterSpan(name, work) {
      if (!start.hasSubscribers && !asyncEnd.hasSubscribers) return work(UNHEARD);
      const message: SpanMessage = { name, attributes: {} };
      const span: Span = {
        setAttribute(name, value) {
          message.attributes[name] = value;
        },
      };
      return start.runStores(message, () =>
        settle(() => work(span), (outcome) => {
          if ("error" in outcome) {
            message.error = outcome.error;
            failed.publish(message);
          }
          asyncEnd.publish(message);
        }));
    },
  };
}

/** Module of the runtime, found without an import that a bundler or another platform would have to resolve. */
function diagnosticsChannels(): typeof diagnostics | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): unknown };
  };
  return process?.getBuiltinModule?.("node:diagnostics_channel") as typeof diagnostics | undefined;
}

type Outcome = { error: unknown } | Record<never, never>;

/** Calls a function and tells how it ended: at once, or of a promise when it is settled. */
function settle<T>(work: () => T, end: (outcome: Outcome) => void): T {
  let result: T;
  try {
    result = work();
  } catch (error) {
    end({ error });
    throw error;
  }
  if (!(result instanceof Promise)) {
    end({});
    return result;
  }
  return result.then((value) => {
    end({});
    return value;
  }, (error) => {
    end({ error });
    throw error;
  }) as T;
}

/**
 * Runs work as a span with attributes. Of what it throws, the attribute `error.type` is the code, or the class.
 *
 * @param tracer Makes the span.
 * @param name Name of the span.
 * @param attributes Attributes that are known before the work. None should be chosen by who sends a request.
 * @param work Does the work; it is given the span for what is known later.
 * @returns What the work returns. What it throws is thrown.
 *
 * @example
 * ```ts
 * import { createTracer, trace } from "@framework/auth/tracing";
 * import { equal } from "node:assert/strict";
 *
 * const tracer = createTracer("shop");
 * const total = trace(tracer, "shop.total", { "shop.currency": "EUR" }, (span) => {
 *   span.setAttribute("shop.items", 2);
 *   return 40;
 * });
 * equal(total, 40);
 * ```
 */
export function trace<T>(
  tracer: Tracer,
  name: string,
  attributes: Record<string, SpanAttribute>,
  work: (span: Span) => T,
): T {
  return tracer.enterSpan(name, (span) => {
    for (const [key, value] of Object.entries(attributes)) span.setAttribute(key, value);
    return settle(() => work(span), (outcome) => {
      if (!("error" in outcome)) return;
      const { code, name = typeof outcome.error } = Object(outcome.error);
      span.setAttribute("error.type", String(code ?? name));
    });
  });
}
