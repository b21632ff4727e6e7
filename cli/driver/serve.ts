import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { checkAuth } from "./auth_check.ts";
import { createBundler } from "./bundler.ts";
import type { DriverMethods, DriverReply, DriverRequest } from "./protocol.ts";
import { createRunner } from "./runner.ts";
import { loadEsbuild } from "./tools.ts";

/** The driver's side of the pipe. */
export interface DriverStreams {
  input: Readable;
  /** Takes one reply as a line of JSON. */
  reply(line: string): void;
  /** Takes what the worker logs. */
  log(line: string): void;
}

type Handlers = {
  [M in keyof DriverMethods]: (
    params: DriverMethods[M]["params"],
  ) => Promise<DriverMethods[M]["result"]>;
};

/**
 * Answers requests, one JSON line each, until the input ends; then stops everything that it started.
 *
 * The end of the input is also what remains of a command that was killed: whoever started the driver needs no farewell.
 */
export async function serveDriver({ input, reply, log }: DriverStreams): Promise<void> {
  const bundler = createBundler();
  const runner = createRunner(log);
  const handlers: Handlers = {
    bundle: (request) => bundler.bundle(request),
    checkAuth: (request) => checkAuth(loadEsbuild(request.root), request),
    warm: async (request) => {
      await runner.warm(request);
      return null;
    },
    serve: async (request) => {
      const worker = bundler.latest();
      if (!worker) throw new Error("No worker has been bundled yet.");
      return await runner.serve(request, worker);
    },
    explain: ({ text }) => Promise.resolve(runner.explain(text)),
  };
  async function answer(line: string): Promise<void> {
    const { id, method, params } = JSON.parse(line) as DriverRequest;
    let message: DriverReply;
    try {
      message = { id, result: await handlers[method](params as never) };
    } catch (error) {
      message = {
        id,
        error: error instanceof Error ? error.stack ?? error.message : String(error),
      };
    }
    reply(`${JSON.stringify(message)}\n`);
  }
  for await (const line of createInterface({ input, terminal: false })) {
    if (line !== "") void answer(line);
  }
  await Promise.all([runner.dispose(), bundler.dispose()]);
}
