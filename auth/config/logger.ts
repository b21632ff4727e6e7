/** What a log line holds besides its name. Values are plain data; none of them is a secret. */
export type LogFields = Record<string, unknown>;

/**
 * Where the library reports what happens. `console` is one. Each line is an event name and its fields,
 * never a sentence built from user input, so nobody can forge a line.
 */
export interface Logger {
  /** Something ordinary: a sign-in, a sign-out. */
  info(event: string, fields: LogFields): void;
  /** Something to look at: a failed sign-in, a refused request. */
  warn(event: string, fields: LogFields): void;
  /** Something is broken: the storage did not answer. */
  error(event: string, fields: LogFields): void;
}

/** A logger that fails nothing: what the given one throws is dropped, and without one there is silence. */
export function createSafeLogger(logger: Logger | undefined): Logger {
  function report(level: keyof Logger): Logger["info"] {
    return function log(event, fields) {
      try {
        logger?.[level](event, fields);
      } catch {
        // A sign-in must not depend on a log that is full.
      }
    };
  }
  return { info: report("info"), warn: report("warn"), error: report("error") };
}
