/**
 * Commands to a Valkey or Redis server by the application's own client, with a time limit.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { optionsAt, wrongOption } from "../lib/options.ts";

/**
 * Function that sends one command to the server and returns its answer, such as
 * `(command) => client.sendCommand(command)`.
 */
export type SendValkeyCommand = (command: string[]) => Promise<unknown>;

/** Options of every storage in Valkey. */
export interface ValkeyOptions {
  /** Text before each key. */
  prefix?: string;
  /** Milliseconds after which a server that has not answered counts as failed, 1 to 60,000. Default 2,000. */
  timeout?: number;
}

/** A server, as the storages ask it. */
export interface ValkeyServer<Options> {
  /** The options of the storage, checked but for its own ones. */
  readonly options: Options;
  /** A key under the prefix. */
  keyOf(key: string): string;
  /**
   * Sends a command.
   *
   * @param operation What cannot be done without an answer, for the error.
   * @param answeredLate Told of an answer that came when nobody waited for it any more.
   * @throws {StorageUnavailableError} When the server does not answer in time, or answers with an error.
   */
  ask(
    operation: string,
    command: string[],
    answeredLate?: (answer: unknown) => unknown,
  ): Promise<unknown>;
}

// Commands whose time is over and that a client still keeps, waiting for its server.
const MOST_LATE = 1000;

const EXAMPLE =
  "a function that sends a command: (command) => client.sendCommand(command), or ([name, ...values]) => " +
  "client.call(name, ...values)";

/**
 * Reads what every storage in Valkey is given.
 *
 * @param own Names of further options, which the storage checks itself.
 * @throws {ConfigurationError} When `send` is not a function, or an option is wrong.
 */
export function readValkeyServer<Options extends ValkeyOptions>(
  send: SendValkeyCommand,
  given: unknown,
  { prefix: usual, own = [] }: { prefix: string; own?: string[] },
): ValkeyServer<Options> {
  if (typeof send !== "function") throw wrongOption("send", send, EXAMPLE);
  const options = optionsAt(given, "options", ["prefix", "timeout", ...own]) as Options;
  const { prefix = usual, timeout = 2000 } = options;
  if (typeof prefix !== "string") throw wrongOption("prefix", prefix, "a text");
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > 60_000) {
    throw wrongOption("timeout", timeout, "whole milliseconds, 1 to 60,000");
  }
  let late = 0;
  return {
    options,
    keyOf: (key) => prefix + key,
    async ask(operation, command, answeredLate) {
      const unavailable = (cause: unknown): StorageUnavailableError =>
        new StorageUnavailableError(`Cannot ${operation}: Valkey did not answer`, { cause });
      if (late >= MOST_LATE) throw unavailable(new Error(`${late} commands wait for an answer`));
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isLate = false;
      const over = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          isLate = true;
          late++;
          reject(new Error(`There was no answer within ${timeout} ms`));
        }, timeout);
      });
      try {
        // Clients keep a command while there is no connection, for as long as that takes.
        const answer = send(command);
        const settle = (answer: unknown) => {
          if (!isLate) return;
          late--;
          return answeredLate?.(answer);
        };
        Promise.resolve(answer).then(settle, () => settle(undefined)).catch(() => {});
        return await Promise.race([answer, over]);
      } catch (cause) {
        throw unavailable(cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** A text of an answer: clients tell it as bytes where they are asked to. */
export function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : value;
}
