import { errorHeader } from "../runtime/response_headers.ts";

/**
 * Name of the header by which the worker recognizes its front server, which has checked the host,
 * the origin of handler requests and the client's address. Otherwise any page could call the
 * worker's own ports, and any host name could point at them.
 */
export const frontHeader = "framework-front";

/** Name of the module that workerd starts. */
export const shellName = "shell.js";

/** Name of the shell's entrypoint that loads another version, and runs jobs. */
export const controlEntrypoint = "frameworkControl";

/** Path at that entrypoint which runs the jobs of the schedule `cron`, a parameter of the query. */
export const jobsPath = "/jobs";

/** Time limit for the rest of a body that the application did not read, in milliseconds. */
const timeout = 5000;

/** Options for {@linkcode shellSource}. */
export interface ShellOptions {
  /** Path of the module that re-exports the initial version. */
  start: string;
  /** Names of the durable object classes, which the platform expects among the worker's exports. */
  classes: readonly string[];
  /** Secret of the front server, required for requests, for loading another version and for jobs. */
  secret: string;
}

/**
 * Generates the module that workerd starts. It stays, with the objects and queues in workerd's
 * memory, while the application's code is loaded again as new modules: running requests finish with
 * the old ones. Modules are evaluated as at the start of a worker, without access to a request.
 */
export function shellSource({ start, classes, secret }: ShellOptions): string {
  return `import { DurableObject } from "cloudflare:workers";
import * as atStart from ${JSON.stringify(`./${start}`)};

// Ten lines, as many as there are by default, can be all of the packages that render and route.
Error.stackTraceLimit = 30;

let current = atStart;

// Returns the answer to whoever is not the front server.
function refuse(request) {
  if (request.headers.get(${JSON.stringify(frontHeader)}) === ${JSON.stringify(secret)}) return;
  return new Response("Ask the server that framework dev named.\\n", { status: 403 });
}

export default {
  async fetch(request, env, ctx) {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const own = new Request(request);
    own.headers.delete(${JSON.stringify(frontHeader)});
    const { waitUntil } = ctx;
    ctx.waitUntil = (work) => {
      waitUntil.call(ctx, work);
      // Nobody waits for it, so nobody else says how it failed.
      Promise.resolve(work).catch((error) => {
        console.error(\`waitUntil() of \${request.method} \${new URL(request.url).pathname} failed. \${describe(error)}\`);
      });
    };
    const response = await current.default.fetch(own, env, ctx);
    await readRest(own, response);
    return response;
  },
  // After an error the emulator would deliver the whole batch again; the platform keeps what was acknowledged.
  async queue(batch, env) {
    const open = new Set(batch.messages);
    for (const message of batch.messages) {
      const { ack, retry } = message;
      message.ack = () => (ack.call(message), void open.delete(message));
      message.retry = (options) => (retry.call(message, options), void open.delete(message));
    }
    for (const name of ["ackAll", "retryAll"]) {
      const whole = batch[name];
      batch[name] = (options) => (whole.call(batch, options), open.clear());
    }
    const failure = await run((ctx) => current.default.queue(batch, env, ctx));
    if (failure === undefined) return;
    console.error(\`The queue "\${batch.queue}" failed. What it did not acknowledge counts as failed. \${failure}\`);
    for (const message of open) message.retry();
  },
};

// Runs a handler with all that it hands to waitUntil(). Returns how it failed: nobody else logs that.
async function run(handle) {
  const works = [];
  const failures = [];
  const waitUntil = (work) => {
    works.push(Promise.resolve(work).catch((error) => failures.push(describe(error))));
  };
  waitUntil((async () => handle({ waitUntil }))());
  for (const work of works) await work;
  return failures.length === 0 ? undefined : failures.join("\\n");
}

// Whatever is thrown may have anything in these places.
function describe(error, told = new Set()) {
  try {
    if (!(error instanceof Error)) {
      return "Thrown: " + (typeof error === "object" ? JSON.stringify(error) : String(error));
    }
    if (told.has(error)) return "Again: " + error.message;
    told.add(error);
    const { stack, errors, cause } = error;
    const parts = [stack ?? String(error)];
    if (Array.isArray(errors)) parts.push(...errors.map((each) => describe(each, told)));
    if (cause !== undefined) parts.push("Caused by: " + describe(cause, told));
    return parts.join("\\n");
  } catch {
    return "Thrown: " + Object.prototype.toString.call(error);
  }
}

// workerd ends the connection of whoever answers before reading the body, and what is still being sent would fail in
// the place of the answer. Whoever sends nothing more until it is answered is answered all the same.
// An answer that grants the request may be made of its body while it is sent.
async function readRest({ body, bodyUsed }, response) {
  if (response.ok || body === null || bodyUsed || body.locked) return;
  const rest = body.pipeTo(new WritableStream()).catch(() => {});
  let timer;
  const timeout = new Promise((resolve) => timer = setTimeout(resolve, ${timeout}));
  await Promise.race([rest, timeout]);
  clearTimeout(timer);
}

// An object of the application's class. Whether it takes calls by RPC depends on what that class extends.
function objectClass(name) {
  const base = atStart[name]?.prototype instanceof DurableObject ? DurableObject : Object;
  return class extends base {
    constructor(ctx, env) {
      const object = new current[name](ctx, env);
      // Nobody waits for these, so nobody else says how they failed.
      for (const event of ["alarm", "webSocketMessage", "webSocketClose", "webSocketError"]) {
        const handle = object[event];
        if (typeof handle !== "function") continue;
        const value = async (...given) => {
          try {
            return await handle.apply(object, given);
          } catch (error) {
            console.error(\`\${event}() of the object \${name} failed. \${describe(error)}\`);
            throw error;
          }
        };
        // Not where the object is frozen.
        Reflect.defineProperty(object, event, { value, configurable: true, writable: true });
      }
      return object;
    }
  };
}
${classes.map((name) => `export const ${name} = objectClass(${JSON.stringify(name)});\n`).join("")}

async function runJobs({ searchParams }, env, ctx) {
  const cron = searchParams.get("cron") ?? "";
  const scheduledTime = Number(searchParams.get("time") ?? Date.now());
  const controller = { cron, scheduledTime, noRetry() {} };
  const running = run((ctx) => current.default.scheduled(controller, env, ctx));
  // Also when nobody waits for the answer any more.
  ctx.waitUntil(running);
  const failure = await running;
  if (failure === undefined) return new Response("ok");
  const message = \`The jobs of "\${cron}" failed. \${failure}\`;
  console.error(message);
  const headers = { ${JSON.stringify(errorHeader)}: "told" };
  return Response.json({ code: "INTERNAL_ERROR", message }, { status: 500, headers });
}

export const ${controlEntrypoint} = {
  async fetch(request, env, ctx) {
    const refusal = refuse(request);
    if (refusal) return refusal;
    const url = new URL(request.url);
    if (url.pathname === ${JSON.stringify(jobsPath)}) return await runJobs(url, env, ctx);
    try {
      current = await import("./" + await request.text());
      return new Response(null, { status: 204 });
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
`;
}
