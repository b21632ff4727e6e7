import type { OutgoingMail } from "@framework/auth/convention";
import process from "node:process";
import { whenTestFails } from "../trace/test_failure.ts";
import { describeThrown, type Trace } from "../trace/trace.ts";
import { writeTrace } from "../trace/write_trace.ts";
import { placeOf } from "./forgotten_contexts.ts";

/** Characters of a body that are shown. */
const MAX_BODY = 4000;

/**
 * Has the trace of a context be written when its test fails. With `FRAMEWORK_TRACE=all` it is written in any case when
 * the process ends, with `FRAMEWORK_TRACE=off` never.
 *
 * @param parts `root`: the project's folder; `made`: error created at the same place as the context.
 */
export async function traceTest(
  trace: Trace,
  { root, made }: { root: string; made: Error },
): Promise<void> {
  const wanted = process.env["FRAMEWORK_TRACE"];
  if (wanted === "off") return;
  let isWritten = false;
  const isTold = await whenTestFails(({ name, failure }) => {
    isWritten = true;
    writeTrace(root, { name, failure, entries: trace.entries });
  });
  trace.isWanted = isTold || wanted === "all";
  if (wanted !== "all") return;
  process.once("exit", () => {
    if (!isWritten) writeTrace(root, { name: placeOf(made), entries: trace.entries });
  });
}

/** Sends a request of the test, and notes it. */
export function traceRequest(
  trace: Trace,
  { path, init = {} }: { path: string; init: RequestInit | undefined },
  send: () => Promise<Response>,
): Promise<Response> {
  const { method = "GET", body } = init;
  const asked = `${method} ${path}`;
  const text = typeof body === "string" || body instanceof URLSearchParams
    ? String(body).slice(0, MAX_BODY)
    : "";
  return trace.time(send, (outcome) => {
    if ("error" in outcome) {
      const detail = [text, describeThrown(outcome.error)].filter((part) => part !== "");
      return { kind: "request", title: `${asked} threw`, detail: detail.join("\n\n") };
    }
    const { status, headers } = outcome.value;
    const location = headers.get("location");
    const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
    return {
      kind: "request",
      title: `${asked} → ${status}${location === null ? "" : ` ${location}`}`,
      detail: [text, lines.join("\n")].filter((part) => part !== "").join("\n\n"),
      ...(status >= 500 && { isFailure: true }),
    };
  });
}

/** Has a request of the application to another server answered, and notes it. */
export function traceCall(
  trace: Trace,
  request: Request,
  answer: (request: Request) => Promise<Response>,
): Promise<Response> {
  const asked = `${request.method} ${request.url}`;
  return trace.time(
    () => answer(request),
    (outcome) =>
      "error" in outcome
        ? { kind: "call", title: `${asked} threw`, detail: describeThrown(outcome.error) }
        : { kind: "call", title: `${asked} → ${outcome.value.status}` },
  );
}

/** Notes a mail. */
export function traceMail(trace: Trace, mail: OutgoingMail): void {
  trace.add({
    kind: "mail",
    title: `${mail.kind} to ${mail.identifier}`,
    detail: () => JSON.stringify(mail, null, 2),
  });
}
