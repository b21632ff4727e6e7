import { Worker } from "node:worker_threads";
import type { DescribedFile, SchemaRequest, SchemaResult } from "./protocol.ts";
import { bundleThread } from "./thread_bundle.ts";

/** Milliseconds until all files must have been loaded. */
const timeout = 20_000;

/**
 * Loads pages and routes in a thread without the platform and the environment, and describes the schemas that they
 * export as `input`.
 *
 * @param request The files.
 */
export async function describeInput(request: SchemaRequest): Promise<SchemaResult> {
  const contents = threadSource(request);
  const { code, errors } = await bundleThread({ ...request, contents, production: true });
  if (errors.length > 0) return { files: [], errors };
  return { files: await runThread(code, request.files.length), errors: [] };
}

/** Generates the program of the thread. A file that fails or never finishes loading takes no other with it. */
function threadSource({ files, hasValibot }: SchemaRequest): string {
  return `import { parentPort } from "node:worker_threads";
const quiet = () => {};
globalThis.frameworkConsole = new Proxy({}, { get: () => quiet });
globalThis.navigator ??= { userAgent: "Cloudflare-Workers" };
const anything = new Proxy(class {}, {
  get: (_, key) => key === "then" || typeof key === "symbol" ? undefined : anything,
  apply: () => anything,
  construct: () => anything,
});
class Base {}
globalThis.frameworkPlatform = {
  DurableObject: Base, WorkerEntrypoint: Base, WorkflowEntrypoint: Base, RpcTarget: Base,
  RpcStub: Base, EmailMessage: Base, env: anything, exports: anything, connect: anything,
  waitUntil: quiet,
};

const target = "draft-2020-12";
async function convert(schema) {
  const standard = schema["~standard"];
  if (typeof standard.jsonSchema?.input === "function") {
    // zod describes what JSON has no type for, such as a Date, as anything.
    return standard.jsonSchema.input({ target, libraryOptions: { unrepresentable: "any" } });
  }
  if (standard.vendor === "valibot") {
${
    hasValibot
      ? `    const { toJsonSchema } = await import("@valibot/to-json-schema");
    return toJsonSchema(schema, { target, typeMode: "input", errorMode: "ignore" });`
      : `    throw new Error("@valibot/to-json-schema, which describes schemas of valibot, is not installed");`
  }
  }
  throw new Error("This version of " + standard.vendor + " describes no schemas (Standard JSON Schema)");
}
async function describe(schema) {
  try {
    if (schema?.["~standard"]?.version !== 1) throw new Error("It is not a Standard Schema");
    // What cannot be copied is no JSON.
    return { schema: JSON.parse(JSON.stringify(await convert(schema))), problem: null };
  } catch (error) {
    return { schema: null, problem: String(error?.message ?? error) };
  }
}
async function read(load) {
  try {
    const module = await load();
    const { input } = module;
    const schemas = input === undefined || input["~standard"] ? { "*": input } : input;
    const described = {};
    for (const [method, schema] of Object.entries(schemas)) {
      if (schema !== undefined) described[method] = await describe(schema);
    }
    const exports = Object.keys(module);
    return { exports, input: input === undefined ? null : described, problem: null };
  } catch (error) {
    return { exports: [], input: null, problem: String(error?.message ?? error) };
  }
}
[
${files.map((file) => `  () => import(${JSON.stringify(file)}),`).join("\n")}
].forEach(async (load, index) => parentPort.postMessage([index, await read(load)]));
`;
}

/** Runs the thread until every file has answered, or the time is over. */
async function runThread(code: string, count: number): Promise<DescribedFile[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const described = new Map<number, DescribedFile>();
  if (count === 0) return [];
  let reason = `It does not finish loading within ${timeout / 1000} seconds`;
  // A default that a schema takes from the environment would be one of this machine.
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    env: {},
  });
  const timer = setTimeout(resolve, timeout);
  thread.on("message", ([index, file]: [number, DescribedFile]) => {
    described.set(index, file);
    if (described.size === count) resolve();
  });
  thread.once("error", (error) => {
    reason = error instanceof Error ? error.message : String(error);
    resolve();
  });
  thread.once("exit", () => resolve());
  await promise;
  clearTimeout(timer);
  await thread.terminate();
  return Array.from(
    { length: count },
    (_, index) => described.get(index) ?? { exports: [], input: null, problem: reason },
  );
}
