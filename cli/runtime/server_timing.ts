import { AsyncLocalStorage } from "node:async_hooks";
import type { Span, SpanAttribute, Tracer } from "@framework/auth/tracing";
import type { Worker } from "./application.ts";

/** Work of a request that has ended. */
interface Mark {
  name: string;
  attributes: Record<string, SpanAttribute>;
  milliseconds: number;
}

/** Most marks of one response: a page with hundreds of statements should not make a header that no server takes. */
const MAX_MARKS = 30;

/** Characters that `Server-Timing` (W3C) does not take between quotes. */
const UNQUOTABLE = /[^\x20-\x21\x23-\x5b\x5d-\x7e]/g;

/**
 * Makes a tracer whose spans are also counted to the request that they run in, and told by its response's
 * `Server-Timing`, which browsers show beside the request. Only what has ended before the headers are sent is there.
 *
 * @param inner Makes the spans themselves.
 */
export function createServerTiming(
  inner: Tracer,
): { tracer: Tracer; around(fetch: Worker["fetch"]): Worker["fetch"] } {
  const requests = new AsyncLocalStorage<Mark[]>();
  const tracer: Tracer = {
    enterSpan(name, work) {
      const marks = requests.getStore();
      if (marks === undefined) return inner.enterSpan(name, work);
      return inner.enterSpan(name, (span) => {
        const attributes: Record<string, SpanAttribute> = {};
        const both: Span = {
          setAttribute(key, value) {
            attributes[key] = value;
            span.setAttribute(key, value);
          },
        };
        const began = performance.now();
        const end = () => {
          if (marks.length >= MAX_MARKS) return;
          marks.push({ name, attributes, milliseconds: performance.now() - began });
        };
        const result = work(both);
        if (result instanceof Promise) return result.finally(end) as typeof result;
        end();
        return result;
      });
    },
  };
  return {
    tracer,
    around: (fetch) => (request, env, ctx) => {
      const marks: Mark[] = [];
      return requests.run(marks, async () => {
        const response = await fetch(request, env, ctx);
        return withTiming(response, marks);
      });
    },
  };
}

function withTiming(response: Response, marks: readonly Mark[]): Response {
  // The socket of a handshake is lost in a copy.
  if (marks.length === 0 || response.status === 101) return response;
  const timed = new Response(response.body, response);
  timed.headers.append("server-timing", marks.map(describe).join(", "));
  return timed;
}

function describe({ name, attributes, milliseconds }: Mark): string {
  const about = attributes["code.file.path"] ?? attributes["db.query.summary"] ??
    attributes["server.address"] ?? attributes["http.route"];
  const desc = about === undefined ? "" : `;desc="${String(about).replace(UNQUOTABLE, "?")}"`;
  return `${name}${desc};dur=${milliseconds.toFixed(1)}`;
}
