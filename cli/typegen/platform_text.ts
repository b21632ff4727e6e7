import { HEADER } from "./bindings_text.ts";

/**
 * Declarations of the platform's own module and globals, as far as the framework's types name them: the source text of
 * a file for projects that have neither the output of `wrangler types` nor `@cloudflare/workers-types`.
 */
export const PLATFORM_TEXT = `${HEADER}
// With \`npx wrangler types\` this file goes, and the platform's complete types are in its place.

declare module "cloudflare:workers" {
  import type { DurableObjectHandlers, DurableObjectState } from "@framework/cli/runtime";

  export interface DurableObject<Env = import("./bindings.ts").Bindings>
    extends DurableObjectHandlers {}
  /** Base of durable objects whose methods can be called through their stubs. */
  export abstract class DurableObject<Env = import("./bindings.ts").Bindings> {
    constructor(ctx: DurableObjectState, env: Env);
    /** The object's state: storage, alarms and sockets. */
    readonly ctx: DurableObjectState;
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  export interface WorkerEntrypoint<Env = import("./bindings.ts").Bindings>
    extends Pick<DurableObjectHandlers, "fetch"> {}
  /** Base of named entrypoints, which other workers call by a service binding. */
  export abstract class WorkerEntrypoint<Env = import("./bindings.ts").Bindings> {
    constructor(ctx: { waitUntil(work: Promise<unknown>): void }, env: Env);
    /** Takes work that goes on after the answer. */
    readonly ctx: { waitUntil(work: Promise<unknown>): void };
    /** The bindings and variables of the worker. */
    readonly env: Env;
  }

  /** Base of objects that stay where they were made, and are called from elsewhere. */
  export abstract class RpcTarget {}

  /** The bindings and variables of the worker. */
  export const env: import("./bindings.ts").Bindings;
}

/** Two ends of a connection: one for the answer, one for the worker. */
declare var WebSocketPair: {
  new (): { 0: WebSocket; 1: WebSocket };
  readonly prototype: { 0: WebSocket; 1: WebSocket };
};

interface WebSocket {
  /** Begins to deliver events to this end. */
  accept(): void;
  /** Keeps a value of at most 16,384 bytes with the socket while the object sleeps. */
  serializeAttachment(value: unknown): void;
  /** The value that was kept last; null when there is none. */
  deserializeAttachment(): unknown;
}

interface ResponseInit {
  /** One end of a pair, for an answer with status 101. */
  webSocket?: WebSocket | null;
}

interface Response {
  /** The end of a pair that the answer has with status 101. */
  readonly webSocket: WebSocket | null;
}
`;
