/**
 * Commands to a Valkey or Redis server by the application's own client, with a time limit.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { wrongOption } from "../lib/options.ts";

/**
 * Function that sends one command to the server and returns its answer, such as
 * `(command) => client.sendCommand(command)`.
 */
export type SendValkeyCommand = (command: string[]) => Promise<unknown>;

/**
 * Sends a command, and waits for its answer.
 *
 * @param operation What cannot be done without an answer, for the error.
 * @param answeredLate Told of an answer that came when nobody waited for it any more.
 * @throws {StorageUnavailableError} When the server does not answer in time, or answers with an error.
 */
export type AskValkey = (
  operation: string,
  command: string[],
  answeredLate?: (answer: unknown) => unknown,
) => Promise<unknown>;

// Commands whose time is over and that a client still keeps, waiting for its server.
const MOST_LATE = 1000;

const EXAMPLE =
  "a function: (command) => client.sendCommand(command), or ([name, ...values]) => client.call(name, ...values)";

/**
 * Makes what storages ask a server by.
 *
 * @param prefix Text before each of their keys, which is checked here.
 * @param timeout In milliseconds. Default 2,000.
 * @throws {ConfigurationError} When `send` is not a function, or an option is wrong.
 */
export function createValkeySender(
  send: SendValkeyCommand,
  prefix: string,
  timeout = 2000,
): AskValkey {
  if (typeof send !== "function") throw wrongOption("send", send, EXAMPLE);
  if (typeof prefix !== "string") throw wrongOption("prefix", prefix, "a text");
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > 60_000) {
    throw wrongOption("timeout", timeout, "whole milliseconds, 1 to 60,000");
  }
  let late = 0;
  return async (operation, command, answeredLate) => {
    const unavailable = (cause: unknown): StorageUnavailableError =>
      new StorageUnavailableError(`Cannot ${operation}: Valkey did not answer`, { cause });
    if (late >= MOST_LATE) throw unavailable(new Error(`${late} commands wait`));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLate = false;
    const over = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        late++;
        reject(new Error(`No answer within ${timeout} ms`));
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
      Promise.resolve(answer).then(settle, () => settle(null)).catch(() => {});
      return await Promise.race([answer, over]);
    } catch (cause) {
      throw unavailable(cause);
    } finally {
      clearTimeout(timer);
    }
  };
}
