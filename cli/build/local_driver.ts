import { prerenderPages } from "../emulator/prerender.ts";
import { createRunner } from "../emulator/runner.ts";
import { checkAuth } from "./auth_thread.ts";
import { createBundler } from "./bundler.ts";
import { describeInput } from "./schema_thread.ts";
import type { DriverMethods } from "./protocol.ts";

/** The project's tools, loaded into this process. */
export interface LocalDriver {
  /** Calls a method; rejects with errors of the tools. */
  call<M extends keyof DriverMethods>(
    method: M,
    params: DriverMethods[M]["params"],
  ): Promise<DriverMethods[M]["result"]>;
  /** Ends every process that the tools started. */
  dispose(): Promise<void>;
}

type Handlers = {
  [M in keyof DriverMethods]: (
    params: DriverMethods[M]["params"],
  ) => Promise<DriverMethods[M]["result"]>;
};

/**
 * Creates the driver. Each tool is loaded when a method first needs it.
 *
 * @param log Takes what the worker logs, a line at a time.
 */
export function createLocalDriver(log: (line: string) => void): LocalDriver {
  const bundler = createBundler();
  const runner = createRunner(log);
  const handlers: Handlers = {
    bundle: (request) => bundler.bundle(request),
    checkAuth,
    describeInput,
    warm: async (request) => {
      await runner.warm(request);
      return null;
    },
    serve: async (request) => {
      const worker = bundler.latest();
      if (!worker) throw new Error("No worker has been bundled yet.");
      return await runner.serve(request, worker);
    },
    recover: (asked) => runner.recover(asked),
    prerender: prerenderPages,
    explain: ({ text }) => Promise.resolve(runner.explain(text)),
  };
  return {
    call: async (method, params) => await handlers[method](params),
    async dispose() {
      await Promise.all([runner.dispose(), bundler.dispose()]);
    },
  };
}
