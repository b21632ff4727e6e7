import type { Fork } from "../context/fork.ts";

/** Application that {@linkcode assertGuarded} asks, when it is not a test context. */
export interface GuardedApplication {
  /**
   * Opens the application in its first state. Each request has its own copy, so that none sees what
   * another one changed.
   */
  open(): OpenedApplication | Promise<OpenedApplication>;
}

/** A copy of the application, for one request. */
export interface OpenedApplication {
  /** Answers the request. */
  fetch(request: Request): Response | Promise<Response>;
  /**
   * Reads what a request may have changed: rows, entries, sent mails, by name. It is called before and
   * after the request. Default: only the answer is judged.
   */
  state?(): Record<string, unknown> | Promise<Record<string, unknown>>;
  /** Waits for work that goes on after the answer. Default: there is none. */
  settled?(): void | Promise<void>;
  /** Puts the copy away. */
  close?(): void | Promise<void>;
}

/** Answer to one request, and its changes. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** Message of an error that the application did not answer. */
  thrown?: string;
  /** Sentences about what is not as it was before. */
  changes: string[];
}

/** Milliseconds in which a body that never ends is read. */
const PATIENCE = 1000;
/** Characters of a body that are read. */
const MOST = 1_000_000;

/** Sends one request to a copy of the application of its own, and compares what is stored. */
export async function ask(
  application: GuardedApplication,
  request: Request,
  isIgnored: (name: string) => boolean,
): Promise<Answer> {
  const opened = await application.open();
  try {
    const before = takeSnapshot(await opened.state?.() ?? {}, isIgnored);
    let answer: Omit<Answer, "changes"> = { status: 500, headers: new Headers(), body: "" };
    try {
      const response = await opened.fetch(request);
      answer = {
        status: response.status,
        headers: response.headers,
        body: await readBody(response),
      };
      await opened.settled?.();
    } catch (error) {
      answer.thrown = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      // What was begun must not go on in the next request.
      await Promise.resolve(opened.settled?.()).catch(() => {});
    }
    const after = takeSnapshot(await opened.state?.() ?? {}, isIgnored);
    return { ...answer, changes: compare(before, after) };
  } finally {
    await opened.close?.();
  }
}

/** Reads a body to its end, within limits; an accepted WebSocket is closed. */
async function readBody(response: Response): Promise<string> {
  const socket = Reflect.get(response, "webSocket") as
    | { accept(): void; close(code: number): void }
    | null
    | undefined;
  socket?.accept();
  socket?.close(1000);
  if (response.body === null) return "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => void reader.cancel(), PATIENCE);
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
      if (text.length > MOST) await reader.cancel();
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Application of a test context, whose data is copied for each request. */
export function applicationOfFork(base: Fork): GuardedApplication {
  const first = base.engine.read!();
  return {
    open() {
      const { engine, mails, calls } = base.fork();
      let isFirst = true;
      return {
        fetch: (request) => engine.fetch(request),
        settled: () => engine.settle(),
        state() {
          // A copy begins as its original is.
          const stored = isFirst ? first : engine.read!();
          isFirst = false;
          return {
            ...stored,
            mail: mails.map(({ kind, identifier }) => ({ kind, to: identifier })),
            ...Object.fromEntries(
              calls.map(({ method, url }) => [`fetch ${method} ${url}`, "sent"]),
            ),
          };
        },
        close: () => engine.close(),
      };
    },
  };
}

/** Rows by name, as text: what the application goes on to change is not changed here. */
type Snapshot = Map<string, string[]>;

function takeSnapshot(
  state: Record<string, unknown>,
  isIgnored: (name: string) => boolean,
): Snapshot {
  const names = Object.keys(state).filter((name) => !isIgnored(name));
  return new Map(
    names.map((
      name,
    ) => [name, rowsOf(state[name]).map((row) => withoutIgnored(name, row, isIgnored))]),
  );
}

/** Describes the differences between two states, one sentence for each name. */
function compare(before: Snapshot, after: Snapshot): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name) ?? [], after.get(name) ?? []];
    const [removed, added] = [without(was, is), without(is, was)];
    if (removed.length === 0 && added.length === 0) return [];
    return [`${name}: ${describe(removed, added)}`];
  });
}

function rowsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

/** Returns a row as text, without the columns that are ignored. */
function withoutIgnored(name: string, row: unknown, isIgnored: (name: string) => boolean): string {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return writeValue(row);
  const columns = Object.entries(row).filter(([column]) => !isIgnored(`${name}.${column}`));
  return writeValue(Object.fromEntries(columns));
}

/** Writes a value as JSON; bytes become text where they are text, otherwise hexadecimal. */
function writeValue(given: unknown): string {
  return JSON.stringify(given, (_, value) => {
    if (typeof value === "bigint") {
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    }
    if (value instanceof Map || value instanceof Set) return [...value];
    if (value instanceof ArrayBuffer) return writeBytes(new Uint8Array(value));
    return value instanceof Uint8Array ? writeBytes(value) : value;
  }) ?? String(given);
}

function writeBytes(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return text.includes("\ufffd")
    ? Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    : text;
}

/** Returns the rows that others lack; equal ones are counted. */
function without(rows: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(other, (counts.get(other) ?? 0) + 1);
  return rows.filter((row) => {
    const count = counts.get(row) ?? 0;
    counts.set(row, count - 1);
    return count <= 0;
  });
}

function describe(removed: readonly string[], added: readonly string[]): string {
  // A single value that is no row.
  if (removed.length === 0 && added.length === 1 && added[0]!.startsWith('"')) {
    return JSON.parse(added[0]!);
  }
  const short = (text = "") => text.length > 160 ? `${text.slice(0, 160)}…` : text;
  const count = (rows: readonly string[], what: string) =>
    `${rows.length} row${rows.length === 1 ? "" : "s"} ${what}, ${short(rows[0])}`;
  if (removed.length === 1 && added.length === 1) {
    return `1 row changed, from ${short(removed[0])} to ${short(added[0])}`;
  }
  return [
    ...(added.length === 0 ? [] : [count(added, "added")]),
    ...(removed.length === 0 ? [] : [count(removed, "removed")]),
  ].join("; ");
}
