import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createLocalDriver } from "./local_driver.ts";
import { describeFailure, type DriverReply, type DriverRequest } from "./protocol.ts";

/** The driver's side of the pipe. */
export interface DriverStreams {
  input: Readable;
  /** Sends one reply as a line of JSON. */
  reply(line: string): void;
  /** Receives the worker's log output. */
  log(line: string): void;
}

/**
 * Answers requests, one line of JSON each, until the input ends, then stops everything that it
 * started. The input also ends when the command is killed, so no explicit shutdown is needed.
 *
 * The end of the input is also what remains of a command that was killed: whoever started the driver needs no farewell.
 */
export async function serveDriver({ input, reply, log }: DriverStreams): Promise<void> {
  const driver = createLocalDriver(log);
  async function answer(line: string): Promise<void> {
    const { id, method, params } = JSON.parse(line) as DriverRequest;
    let message: DriverReply;
    try {
      message = { id, result: await driver.call(method, params as never) };
    } catch (error) {
      message = { id, error: describeFailure(error) };
    }
    reply(`${JSON.stringify(message)}\n`);
  }
  for await (const line of createInterface({ input, terminal: false })) {
    if (line !== "") void answer(line);
  }
  await driver.dispose();
}
