import type { SerializedSession } from "../client/session.ts";

/** A page in a browser, as far as the client knows one: its events, its tabs, its clock, its server. */
export interface PageDouble extends AsyncDisposable {
  /** Messages that a store receives. */
  options: { fetch: typeof fetch };
  /** Response of the server from now on: a session, null, or an error. */
  answer: SerializedSession | null | "offline" | number | "html";
  /** Holds answers back until they are let go. */
  hold(): () => void;
  /** The requests that were made, method and path. */
  requests: string[];
  /** Address to which the page was sent. */
  visited: string[];
  /** The clock. */
  now: number;
  /** Lets time pass: timers fire, and what they begin comes to its end. */
  pass(milliseconds: number): Promise<void>;
  /** Lets what has begun come to its end. */
  settle(): Promise<void>;
  /** Fires an event of the window, or of the document. */
  fire(type: string): Promise<void>;
  document: EventTarget & { visibilityState: string };
  /** Timers that run. */
  timers(): number;
  /** Channels that are open. */
  channels: Set<{ name: string }>;
  /** Listeners that are there. */
  listening: string[];
}

const realTimeout = setTimeout;

/** A session that ends so many seconds from now. */
export function sessionOf(
  name: string,
  { now }: { now: number },
  seconds = 3600,
): SerializedSession {
  const expires = new Date(now + seconds * 1000).toISOString();
  return { user: { id: name, name, emailVerified: "2026-01-01T00:00:00.000Z" }, expires };
}

/** Puts the globals of a browser in place until it is disposed of. */
export function openPage(): PageDouble {
  const replaced = new Map<string, PropertyDescriptor | undefined>();
  const timers = new Map<number, { at: number; work: () => void }>();
  const channels = new Set<Channel>();
  const page = new EventTarget();
  let held: Promise<void> | undefined;
  let count = 0;

  class Channel {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    readonly name: string;
    constructor(name: string) {
      this.name = name;
      channels.add(this);
    }
    postMessage(data: unknown): void {
      for (const one of channels) {
        if (one === this || one.name !== this.name) continue;
        queueMicrotask(() => one.onmessage?.({ data }));
      }
    }
    close(): void {
      channels.delete(this);
    }
  }

  async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    double.requests.push(`${init.method ?? "GET"} ${input}`);
    const { answer } = double;
    const at = double.now;
    await held;
    if (answer === "offline") throw new TypeError("no network");
    if (answer === "html") return new Response("<!doctype html>");
    if (typeof answer === "number") {
      return Response.json({ code: "ANY", message: "Any" }, { status: answer });
    }
    return Response.json(answer, { headers: { date: new Date(at).toUTCString() } });
  }

  function replace(name: string, value: unknown): void {
    replaced.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value });
  }

  const double: PageDouble = {
    options: { fetch: send },
    answer: null,
    requests: [],
    visited: [],
    now: Date.UTC(2026, 0, 1),
    document: Object.assign(new EventTarget(), { visibilityState: "visible" }),
    channels,
    listening: [],
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    timers: () => timers.size,
    async settle() {
      for (let time = 0; time < 5; time++) await new Promise((done) => realTimeout(done, 0));
    },
    async pass(milliseconds) {
      const until = double.now + milliseconds;
      for (;;) {
        await double.settle();
        const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
        if (next === undefined || next[1].at > until) break;
        timers.delete(next[0]);
        double.now = Math.max(double.now, next[1].at);
        next[1].work();
      }
      double.now = until;
    },
    async fire(type) {
      (type === "visibilitychange" ? double.document : page).dispatchEvent(new Event(type));
      await double.settle();
    },
    async [Symbol.asyncDispose]() {
      await double.settle();
      for (const [name, descriptor] of replaced) {
        delete (globalThis as Record<string, unknown>)[name];
        if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor);
      }
    },
  };

  replace("document", double.document);
  replace("location", { assign: (address: string) => void double.visited.push(address) });
  replace("BroadcastChannel", Channel);
  replace("addEventListener", (type: string, listener: EventListener) => {
    double.listening.push(type);
    page.addEventListener(type, listener);
  });
  replace("removeEventListener", (type: string, listener: EventListener) => {
    double.listening.splice(double.listening.indexOf(type), 1);
    page.removeEventListener(type, listener);
  });
  replace("setTimeout", (work: () => void, delay: number) => {
    timers.set(++count, { at: double.now + (delay > 2 ** 31 - 1 ? 0 : delay), work });
    return count;
  });
  replace("clearTimeout", (id: number) => void timers.delete(id));
  const realDate = Date;
  replace(
    "Date",
    class extends realDate {
      static override now(): number {
        return double.now;
      }
    },
  );
  return double;
}
