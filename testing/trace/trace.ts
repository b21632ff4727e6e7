/** Something that happened in a test context. */
export interface TraceEntry {
  /** Kind of the event. */
  kind: "request" | "storage" | "call" | "mail" | "log" | "screenshot";
  /** One line, such as `GET /notes → 200`. */
  title: string;
  /** Text below the line, such as a body or the values of a statement; a function makes it when it is shown. */
  detail?: string | (() => string);
  /** Time that it took, in milliseconds. */
  milliseconds?: number;
  /** True when it failed. */
  isFailure?: boolean;
  /** Image of a screenshot: the bytes of a PNG file. */
  image?: Uint8Array;
}

/** Entry with the time at which it began. */
export interface TimedEntry extends TraceEntry {
  /** Milliseconds since the context was created, in real time. */
  at: number;
}

/** Events of one test context, oldest first. */
export interface Trace {
  readonly entries: readonly TimedEntry[];
  /** True when it is written should the test fail, or in any case: pictures, which take longest, are of use then. */
  isWanted: boolean;
  /** Adds an entry. */
  add(entry: TraceEntry): void;
  /**
   * Does some work, and adds an entry with the time that it took.
   *
   * @param describe Makes the entry of the result, or of what was thrown.
   */
  time<T>(
    work: () => Promise<T>,
    describe: (outcome: { value: T } | { error: unknown }) => TraceEntry,
  ): Promise<T>;
}

/** Number of entries after which the oldest ones are dropped. */
const MAX_ENTRIES = 2000;

// Taken before a test installs fake timers.
const now = performance.now.bind(performance);

/** Creates an empty trace. */
export function createTrace(): Trace {
  const start = now();
  const entries: TimedEntry[] = [];

  function put(entry: TraceEntry, begun: number): void {
    if (entries.length === MAX_ENTRIES) entries.shift();
    entries.push({ ...entry, at: begun - start });
  }

  return {
    entries,
    isWanted: false,
    add: (entry) => put(entry, now()),
    async time(work, describe) {
      const begun = now();
      try {
        const value = await work();
        put({ milliseconds: now() - begun, ...describe({ value }) }, begun);
        return value;
      } catch (error) {
        put({ milliseconds: now() - begun, isFailure: true, ...describe({ error }) }, begun);
        throw error;
      }
    },
  };
}

/** Describes something thrown, with its causes, for the text of an entry. */
export function describeThrown(thrown: unknown): string {
  const lines: string[] = [];
  for (let at = thrown; at !== undefined && lines.length < 5;) {
    lines.push(String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return lines.join("\ncaused by ");
}

const traces = new WeakMap<object, Trace>();

/** Remembers the trace of a context, for what the test does with it elsewhere. */
export function rememberTrace(context: object, trace: Trace): void {
  traces.set(context, trace);
}

/** Returns the trace of a context; undefined for any other object. */
export function traceOf(context: object): Trace | undefined {
  return traces.get(context);
}
