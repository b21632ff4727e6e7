// Runs inside of workerd, in the bundle that a test asks for: nothing but types may be imported from
// this package or another one.
import type { Application, ApplicationOptions, createApplication } from "@framework/cli/runtime";
import { AsyncLocalStorage } from "node:async_hooks";

/** Name of the binding through which the worker talks to the test. */
const BINDING = "FRAMEWORK_TEST";
const TIME = "framework-test-time";

/** State of one request. */
interface Scope {
  now: number;
  env: object;
  /** Reports that are being sent to the test. */
  told: Promise<unknown>[];
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Creates the application with the test's clock and mails.
 *
 * @param create Function that creates the application, as the generated entry imports it.
 * @returns A function of the same type for that entry; its application reports to the test.
 *
 * @example
 * ```ts
 * import { createApplication } from "@framework/cli/runtime";
 * import { wrapApplication } from "@framework/testing/worker";
 * import { equal } from "node:assert/strict";
 *
 * const { worker } = wrapApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [],
 * });
 * equal((await worker.fetch(new Request("http://localhost/"), {})).status, 404);
 * ```
 */
export function wrapApplication(create: typeof createApplication): typeof createApplication {
  return (manifest, options): Application => {
    const application = create(manifest, { ...options, ...hooks });
    const { worker } = application;
    return {
      ...application,
      worker: {
        ...worker,
        async fetch(request, env, ctx) {
          const headers = new Headers(request.headers);
          const now = Number(headers.get(TIME) ?? Date.now());
          headers.delete(TIME);
          const scope: Scope = { now, env, told: [] };
          // workerd closes the connection when a response is sent before the whole body is read,
          // and this response or the test's next request would be lost. Therefore the body is read
          // first.
          const body = request.body === null ? null : await request.arrayBuffer();
          if (body !== null) headers.set("content-length", String(body.byteLength));
          headers.delete("transfer-encoding");
          const own = new Request(request, { headers, body });
          const response = await scopes.run(scope, () => worker.fetch(own, env, ctx));
          await Promise.all(scope.told);
          return response;
        },
      },
    };
  };
}

const hooks: ApplicationOptions = {
  now: () => scopes.getStore()?.now ?? Date.now(),
  async deliver(mail, send) {
    const { isSent } = await tell("mail", mail) as { isSent: boolean };
    if (isSent) await send();
  },
  onError(error) {
    const { name, message, stack } = error instanceof Error
      ? error
      : { name: "Error", message: String(error), stack: undefined };
    scopes.getStore()?.told.push(tell("failure", { name, message, stack }));
  },
  logger: { info: () => {}, warn: () => {}, error: () => {} },
};

async function tell(what: string, about: unknown): Promise<unknown> {
  const env = scopes.getStore()?.env as Record<string, { fetch: typeof fetch }> | undefined;
  const body = JSON.stringify(about);
  const response = await env?.[BINDING]?.fetch(`http://test/${what}`, { method: "POST", body });
  return await response?.json();
}
