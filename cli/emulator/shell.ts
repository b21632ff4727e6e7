/**
 * Name of the header by which the worker recognizes its front server, which has checked the host,
 * the origin of handler requests and the client's address. Otherwise any page could call the
 * worker's own port, and any host name could point at it.
 */
export const frontHeader = "framework-front";

/** Name of the module that workerd starts. */
export const shellName = "shell.js";

/** Name of the shell's entrypoint that loads another version. */
export const loadEntrypoint = "frameworkLoad";

/** Time limit for the rest of a body that the application did not read, in milliseconds. */
const timeout = 5000;

/** Options for {@linkcode shellSource}. */
export interface ShellOptions {
  /** Path of the module that re-exports the initial version. */
  start: string;
  /** Names of the durable object classes, which the platform expects among the worker's exports. */
  classes: readonly string[];
  /** Secret of the front server, required for requests and for loading another version. */
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

const secret = ${JSON.stringify(secret)};
let current = atStart;

export default {
  async fetch(request, env, ctx) {
    if (request.headers.get(${JSON.stringify(frontHeader)}) !== secret) {
      return new Response("Ask the server that framework dev named.\\n", { status: 403 });
    }
    const own = new Request(request);
    own.headers.delete(${JSON.stringify(frontHeader)});
    const response = await current.default.fetch(own, env, ctx);
    await readRest(own, response);
    return response;
  },
  queue: (batch, env, ctx) => current.default.queue(batch, env, ctx),
  // The emulator makes it of a request, of which nothing comes here but the expression.
  scheduled(controller, env, ctx) {
    const [first, ...cron] = controller.cron.split(" ");
    if (first !== secret) throw new Error("Ask the server that framework dev named.");
    const { scheduledTime } = controller;
    const noRetry = () => controller.noRetry();
    return current.default.scheduled({ cron: cron.join(" "), scheduledTime, noRetry }, env, ctx);
  },
};

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
      return new current[name](ctx, env);
    }
  };
}
${classes.map((name) => `export const ${name} = objectClass(${JSON.stringify(name)});\n`).join("")}
export const ${loadEntrypoint} = {
  async fetch(request) {
    if (request.headers.get("authorization") !== secret) {
      return new Response(null, { status: 403 });
    }
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
