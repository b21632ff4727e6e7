import process from "node:process";
import { Worker } from "node:worker_threads";
import type { AuthCheckRequest, AuthCheckResult, AuthFault } from "./protocol.ts";
import type { JsonObject } from "../tools/jsonc.ts";
import { bundleThread } from "./thread_bundle.ts";

/**
 * Time limit for loading the files, in milliseconds. Files that do not finish loading here would
 * not in a worker either.
 */
const timeout = 20_000;

/** An error of the thread. */
interface ThreadError {
  name: string;
  message: string;
  /** `CONFIGURATION` for what the authentication itself refuses. */
  code: string | null;
  /** The option, as a path. */
  field: string | null;
  /** True when a stand-in for a binding or a platform module was used. */
  usedStandIn: boolean;
}

/** Report of the thread. */
interface ThreadReport {
  /** Names of environment variables that were read. */
  read: string[];
  /** The first file that cannot be loaded. */
  load: ThreadError & { part: string } | null;
  /** Fault with the given environment. */
  plain: ThreadError | null;
  /** Fault when every missing variable is set to a placeholder that could be a secret. */
  filled: ThreadError | null;
  /** The same for each variable that is set, when the placeholder stands in the place of it alone. */
  replaced: (ThreadError | null)[];
  /** The document that was asked for. */
  document: JsonObject | null;
}

/**
 * Sets up an application's authentication as its worker does before the first request, in a
 * separate thread without access to the platform.
 *
 * @param request The files, and the environment.
 */
export async function checkAuth(request: AuthCheckRequest): Promise<AuthCheckResult> {
  const contents = threadSource(request.files, { describes: request.describe !== null });
  // A bundle for development has two answers to what NODE_ENV is: the bundler's, and that of the worker.
  const importsLibrary = request.production;
  const { code, inputs, errors } = await bundleThread({ ...request, contents, importsLibrary });
  if (errors.length > 0) return { fault: null, document: null, inputs, errors };
  const report = await runThread(code, request);
  const fault = report && judge(report, request);
  return { fault, document: report?.document ?? null, inputs, errors };
}

/**
 * Generates the program of the thread: it loads the files one by one and lets the library read
 * their exports. It has no top-level await: V8 in Node 22 ends the process when a thread with one
 * is terminated (nodejs/node#53238).
 */
export function threadSource(
  files: AuthCheckRequest["files"],
  { describes }: { describes: boolean },
): string {
  const list = files.map(({ part, file }) =>
    `  [${JSON.stringify(part)}, () => import(${JSON.stringify(file)})],`
  );
  return `import { parentPort, workerData } from "node:worker_threads";
const { vars, bindings, database, describe } = workerData;
const read = new Set();
let usedStandIn = false;
let isPlaceholder = () => false;

const quiet = () => {};
globalThis.frameworkConsole = new Proxy({}, { get: () => quiet });
// For the installed library, which is not bundled with the names that stand for these.
globalThis.console = globalThis.frameworkConsole;
Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" } });

// Has every method, each of which gives the same again.
const result = new Proxy(class {}, {
  get: (_, key) => key === "then" || typeof key === "symbol" ? undefined : result,
  apply: () => (usedStandIn = true, result),
  construct: () => (usedStandIn = true, result),
});
const binding = (fields) => new Proxy(fields, {
  has: () => true,
  get: (own, key) => own[key] ?? (key === "then" || typeof key === "symbol" ? undefined : result),
});
// The database has what D1 has and no more: the library asks others for their dialect.
const methods = ["prepare", "batch", "exec", "withSession"].map((name) => [name, result]);
const standIn = (name, fields) =>
  name === database && Object.keys(fields).length === 0
    ? Object.fromEntries(methods)
    : binding(fields);
const standIns = Object.fromEntries(
  bindings.map(([name, fields]) => [name, standIn(name, fields)]),
);
const makeEnv = () => new Proxy({ ...vars, ...standIns }, {
  get(own, name) {
    if (typeof name !== "string" || Object.hasOwn(standIns, name)) return own[name];
    read.add(name);
    return isPlaceholder(name, own[name]) ? "${"placeholder-".repeat(6)}" : own[name];
  },
});
class Base {}
globalThis.frameworkPlatform = {
  DurableObject: Base, WorkerEntrypoint: Base, WorkflowEntrypoint: Base, RpcTarget: Base,
  RpcStub: Base, EmailMessage: Base, env: makeEnv(), exports: result, connect: result,
  waitUntil: quiet,
};

const tell = (error) => ({
  name: String(error?.name ?? "Error"),
  message: String(error?.message ?? error),
  code: typeof error?.code === "string" ? error.code : null,
  field: typeof error?.field === "string" ? error.field : null,
  usedStandIn,
});
const report = {
  read: [], load: null, plain: null, filled: null, replaced: [], document: null,
};
const parts = { providers: {} };
async function check() {
  for (const [part, load] of [
${list.join("\n")}
  ]) {
    try {
      const value = (await load()).default;
      const [, provider] = part.split("providers/");
      if (provider === undefined) parts[part] = value;
      else parts.providers[provider] = value;
    } catch (error) {
      report.load ??= { part, ...tell(error) };
    }
  }
  const { composeAuth } = await import("@framework/auth/convention");
${describes ? '  const { describeAuth } = await import("@framework/auth/openapi");' : ""}
  function attempt(fill) {
    isPlaceholder = fill;
    try {
      const auth = composeAuth({ ...parts, database: (env) => env[database] });
      const env = makeEnv();
      auth.storage(env);
      if (describe) report.document ??= describeAuth(auth, env, describe);
      return null;
    } catch (error) {
      return tell(error);
    }
  }
  if (!report.load) {
    report.plain = attempt(() => false);
    read.delete(database);
  }
  report.read = [...read];
  if (report.plain) {
    report.filled = attempt((name, value) => value === undefined);
    report.replaced = report.read.filter((name) => typeof vars[name] === "string")
      .map((name) => attempt((other) => other === name));
  }
  parentPort.postMessage(report);
}
check();
`;
}

/** Runs the thread; null when the files never finish loading or end the thread. */
function runThread(code: string, request: AuthCheckRequest): Promise<ThreadReport | null> {
  const { vars, bindings, database, describe } = request;
  const { promise, resolve } = Promise.withResolvers<ThreadReport | null>();
  const thread = new Worker(
    new URL(`data:text/javascript,${encodeURIComponent(code)}`),
    {
      workerData: { vars, bindings, database, describe },
      ...(request.production && { env: { ...process.env, NODE_ENV: "production" } }),
    },
  );
  const timer = setTimeout(() => resolve(null), timeout);
  thread.once("message", resolve);
  thread.once("error", () => resolve(null));
  thread.once("exit", () => resolve(null));
  return promise.finally(() => {
    clearTimeout(timer);
    void thread.terminate();
  });
}

/** Judges a report; a fault in which a stand-in was involved may be caused by it. */
function judge(report: ThreadReport, request: AuthCheckRequest): AuthFault | null {
  const error = report.load ?? report.plain;
  if (error === null) return null;
  const isConfiguration = error.code === "CONFIGURATION";
  if (!isConfiguration && (error.usedStandIn || error.name === "ReferenceError")) return null;
  const unset = report.read.filter((name) => request.vars[name] === undefined);
  // A wrong value is one in whose place another is right, or wrong for another reason. That with another value another
  // option is wrong says nothing.
  const isOfValue = report.replaced.some((other) =>
    // What is no mistake of the configuration is a stand-in, behind all that is judged here.
    other?.code !== "CONFIGURATION" ||
    other.field === error.field && other.message !== error.message
  );
  const same = report.filled?.message === error.message && isConfiguration && !isOfValue;
  // Its file has another name, or holds something else: with the placeholders another fault may come before it.
  const isOfFile = isConfiguration &&
    request.files.some(({ part }) => part === error.field?.replace("providers.", "providers/"));
  const environment = report.read.length > 0 && !same && !isOfFile;
  if (environment && unset.length > 0 && !request.complete) return null;
  const file = report.load === null
    ? fileOf(error.field, request)
    : request.files.find(({ part }) => part === report.load?.part)?.name;
  const message = withoutValues(error.message, request.vars, report.read);
  const { code } = error;
  return { file: file ?? null, message, code, environment, read: report.read, unset };
}

/** Removes quoted values from a message, because they could be secrets. */
function withoutValues(
  message: string,
  vars: AuthCheckRequest["vars"],
  names: readonly string[],
): string {
  return names.reduce((text, name) => {
    const value = vars[name];
    if (typeof value !== "string" || value === "") return text;
    return text.replaceAll(JSON.stringify(value), name).replaceAll(value, name);
  }, message);
}

/** Returns the file that sets an option. */
function fileOf(field: string | null, { files }: AuthCheckRequest): string | undefined {
  if (field === null) return undefined;
  const [option = "", ...rest] = field.split(".");
  if (option === "providers" && rest.length > 0) {
    // The file, or an option of what it makes.
    const place = `providers/${rest.join(".")}.`;
    return files.findLast(({ part }) => place.startsWith(`${part}.`))?.name;
  }
  const part = option === "tenancy"
    ? "tenant"
    : ["callbacks", "events", "rbac"].includes(option)
    ? option
    : "config";
  return files.find((each) => each.part === part)?.name;
}
