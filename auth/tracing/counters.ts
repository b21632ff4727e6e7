/**
 * Counters of what happens, for a page that Prometheus reads.
 *
 * @module
 */

import { type Logger, writeLine } from "../lib/logger.ts";
import type { AuthEvent } from "../types/events.ts";

/** A counter with one set of labels. */
export interface Count {
  /** Name of the counter. */
  name: "auth_events_total" | "auth_log_lines_total";
  /** Labels that tell it from others of the same name. */
  labels: Readonly<Record<string, string>>;
  /** Number of times that it has happened since the process began. */
  value: number;
}

/** Counters of one process. */
export interface Counters {
  /** Counts an event: the listener `"*"` of the option `events`. */
  count(event: AuthEvent): void;
  /**
   * Makes a logger that counts its lines, for the option `logger`.
   *
   * @param logger Gets the lines; `console` gets all as JSON, one line each. Default: errors and what needs attention, so.
   */
  logger(logger?: Logger): Logger;
  /** All counters that are not zero. */
  read(): Count[];
  /** The same in Prometheus' text format, version 0.0.4. */
  text(): string;
}

/** Properties of events that have few values. None is chosen by who sends a request. */
const LABELS = ["provider", "code", "limiter"] as const;

const HELP = {
  auth_events_total: "Events of sign-in, sessions and accounts, by type.",
  auth_log_lines_total: "Lines that the library has logged, by level and event.",
} as const;

/** Labels that no process has more of: an application names its providers and limits, and there are not many. */
const MAX_COUNTERS = 1000;

/**
 * Makes counters: sign-ins by outcome and provider, requests over a limit, refused origins and every other event, and
 * the lines of the log, such as mails by their kind, sent and not sent, and statements that failed.
 *
 * They are of one process and begin at zero with it, as Prometheus expects. On workers, where isolates come and go,
 * write the events into Analytics Engine or a log instead.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage, createUser, settled, waitUntil } from "@framework/auth";
 * import { createCounters } from "@framework/auth/tracing";
 * import { deepEqual, match } from "node:assert/strict";
 *
 * const counters = createCounters();
 * const auth = createAuth({
 *   database: createMemoryStorage(),
 *   events: { "*": counters.count },
 * });
 * await auth.run(new Request("http://localhost/"), {}, { waitUntil }, async () => {
 *   await createUser({ id: "ada" });
 *   return new Response();
 * });
 * await settled(); // nobody waits for listeners
 * deepEqual(counters.read(), [
 *   { name: "auth_events_total", labels: { type: "sign-up" }, value: 1 },
 * ]);
 * match(counters.text(), /^auth_events_total\{type="sign-up"\} 1$/m);
 * ```
 */
export function createCounters(): Counters {
  const counters = new Map<string, Count>();

  function add(name: Count["name"], labels: Count["labels"]): void {
    const key = JSON.stringify([name, labels]);
    const known = counters.get(key);
    if (known !== undefined) known.value++;
    else if (counters.size < MAX_COUNTERS) counters.set(key, { name, labels, value: 1 });
  }

  return {
    count(event) {
      const labels: Record<string, string> = { type: event.type };
      for (const name of LABELS) {
        const value = (event as Partial<Record<typeof name, unknown>>)[name];
        if (typeof value === "string") labels[name] = value;
      }
      add("auth_events_total", labels);
    },
    logger(given = CONCERNS) {
      const logger = given === console ? CONSOLE : given;
      function counted(level: keyof Logger): Logger["info"] {
        return (event, fields) => {
          const { kind } = fields;
          add("auth_log_lines_total", { level, event, ...typeof kind === "string" && { kind } });
          logger[level](event, fields);
        };
      }
      return { info: counted("info"), warn: counted("warn"), error: counted("error") };
    },
    read: () => [...counters.values()].map((counter) => ({ ...counter })),
    text() {
      const names = Object.keys(HELP) as Count["name"][];
      const all = [...counters.values()];
      return names.map((name) => {
        const lines = all.filter((counter) => counter.name === name)
          .map(({ labels, value }) => `${name}{${labelText(labels)}} ${value}\n`);
        return `# HELP ${name} ${HELP[name]}\n# TYPE ${name} counter\n${lines.join("")}`;
      }).join("");
    },
  };
}

function labelText(labels: Count["labels"]): string {
  const escaped = (value: string) =>
    value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`).join(",");
}

function write(level: keyof Logger): Logger["info"] {
  return (event, fields) => writeLine(level, event, fields);
}

const CONSOLE: Logger = { info: write("info"), warn: write("warn"), error: write("error") };
const CONCERNS: Logger = { ...CONSOLE, info() {} };
