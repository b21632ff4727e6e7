/**
 * What `createTestContext({ runtime: "workerd" })` puts into the worker that it builds: the clock and the
 * mails of the test. No application imports it.
 *
 * @module
 */

export { wrapApplication } from "./context/worker_hooks.ts";
