// Runs in the worker that a build renders static pages with; nothing of it is in the built worker.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Application, createApplication } from "./application.ts";
import type { AppManifest, ManifestModule, ManifestRoute } from "./manifest.ts";
import { signedOut } from "./missing_auth.ts";
import { getContext } from "./request_context.ts";
import {
  prerenderList,
  prerenderOrigin,
  type StaticAnswer,
  type StaticPages,
} from "./static_page.ts";
import type { PageError, Params } from "./types.ts";

/** First thing that one rendering asked for and only a request has. */
let refused: string | undefined;

/** File that asked for it, or that failed; undefined where a component of one of `called` did. */
let blamed: string | undefined;

/** Reason why one rendering failed. */
let failure: unknown;

/** Files of one rendering whose code has run. */
const called = new Set<string>();

const running = new AsyncLocalStorage<string>();

/** Runs code of a file, and remembers the file when it fails. */
function runOf<T>(file: string, run: () => T): T {
  called.add(file);
  const blame = (error: unknown): never => {
    blamed ??= file;
    throw error;
  };
  try {
    const result = running.run(file, run);
    return result instanceof Promise ? result.catch(blame) as T : result;
  } catch (error) {
    return blame(error);
  }
}

function refuse(what: string): never {
  if (refused === undefined) [refused, blamed] = [what, running.getStore()];
  throw new Error(`A page that is rendered at build has no ${what}.`);
}

/**
 * Creates the application so that it lists and renders its static pages.
 *
 * @param create Function that creates the application, as the generated entry imports it.
 * @returns A function of the same type for that entry.
 *
 * @example
 * ```ts
 * import { wrapApplication } from "@framework/cli/prerender";
 * import { createApplication } from "@framework/cli/runtime";
 * import { deepEqual } from "node:assert/strict";
 *
 * const { worker } = wrapApplication(createApplication)({
 *   database: "DB",
 *   dev: false,
 *   auth: null,
 *   routes: [{
 *     kind: "page",
 *     pattern: "/about",
 *     file: "app/about/page.tsx",
 *     module: { default: () => "About", prerender: true },
 *     layouts: [],
 *     middleware: [],
 *   }],
 * });
 * const list = new Request("https://prerender.invalid/.framework/prerender");
 * deepEqual(await (await worker.fetch(list, {})).json(), {
 *   pages: [{ path: "/about", pattern: "/about" }],
 *   problems: [],
 * });
 * ```
 */
export function wrapApplication(create: typeof createApplication): typeof createApplication {
  return (manifest, options): Application => {
    for (const name of Object.keys(signedOut) as (keyof typeof signedOut)[]) {
      signedOut[name] = () => refuse("session: it is the same for every visitor");
    }
    const application = create(guardManifest(manifest), {
      ...options,
      onError: (error) => void (failure ??= error),
    });

    async function render(request: Request, env: object): Promise<StaticAnswer> {
      refused = undefined;
      blamed = undefined;
      failure = undefined;
      called.clear();
      const response = await application.worker.fetch(request, guardEnv(env), {
        waitUntil: () => {},
      });
      const body = await response.text();
      const headers = [...response.headers];
      const { status } = response;
      return { status, headers, body, problem: problemOf({ status, headers, body }) };
    }
    return {
      ...application,
      worker: {
        async fetch(request, env) {
          const { pathname } = new URL(request.url);
          return Response.json(
            pathname === prerenderList ? await listPages(manifest) : await render(request, env),
          );
        },
      },
    };
  };
}

function problemOf(
  { status, headers, body }: Omit<StaticAnswer, "problem">,
): string | null {
  if (refused !== undefined) return asks(refused);
  if (status < 500 && status !== 200) return `it answered ${status} instead of 200`;
  if (failure !== undefined) {
    // Operations of the authentication that found no request.
    if ((failure as { code?: unknown }).code === "OUTSIDE_REQUEST") {
      return asks("session: it is the same for every visitor");
    }
    return `it failed: ${failure instanceof Error ? failure.stack ?? failure.message : failure}`;
  }
  if (status !== 200) return `it answered ${status} instead of 200`;
  if (headers.some(([name]) => name === "set-cookie")) return "it sets a cookie";
  if (!headers.some(([name, value]) => name === "content-type" && value.startsWith("text/html"))) {
    return "it answered with something other than HTML";
  }
  if (body.includes(prerenderOrigin)) {
    return "it has an address of the site, which is not known at build: set base in the metadata of the root layout";
  }
  return null;
}

/** Says who asks, and the way out where that is a layout, which other pages need as it is. */
function asks(what: string): string {
  const files = blamed === undefined ? [...called] : [blamed];
  const isPage = files.every((file) => !/\/layout\.\w+$/.test(file));
  if (isPage) return `it asks for the ${what}`;
  const who = blamed ?? `a component of ${files.join(" or ")}`;
  const [layout = ""] = files.filter((file) => /\/layout\.\w+$/.test(file));
  const group = layout.replace(/\/layout\.\w+$/, "/(visitors)/layout.tsx");
  return `${who} asks for the ${what}. A layout above a static page can show nothing of a visitor: move that part ` +
    `into the layout of a group, such as ${group}, and the pages that need it into the group's folder`;
}

async function listPages({ routes }: AppManifest): Promise<StaticPages> {
  const list: StaticPages = { pages: [], problems: [] };
  for (const route of routes) {
    const { module: { prerender }, pattern, file } = route;
    if (prerender === undefined || prerender === false || route.kind !== "page") continue;
    try {
      const params = await readParams(route);
      list.pages.push(...params.map((each) => ({ path: pathOf(pattern, each), pattern })));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      list.problems.push(`${file} cannot be prerendered: ${reason}`);
    }
  }
  return list;
}

/** Returns the parameters of each page of a route; one without any for a path that has none. */
async function readParams({ module, middleware, pattern }: ManifestRoute): Promise<Params[]> {
  const { prerender } = module;
  // A file is sent before any code runs: a guard would not be asked.
  if (middleware.length > 0) {
    throw new Error(`${middleware[0]!.file} runs before it, and would not run before a file.`);
  }
  if (module["action"] !== undefined) {
    throw new Error("it has an action, and a file takes no form.");
  }
  if (module["search"] !== undefined) {
    throw new Error("it has a schema for the query, which a file ignores.");
  }
  const isDynamic = pattern.includes(":");
  if (prerender === true) {
    if (!isDynamic) return [{}];
    throw new Error(
      `its path ${pattern} has parameters. Export prerender as a list of them, or as a function that returns it.`,
    );
  }
  const list: unknown = typeof prerender === "function" ? await prerender() : prerender;
  if (!isDynamic) throw new Error("its path has no parameters: export const prerender = true.");
  if (Array.isArray(list)) return list;
  throw new Error("it exports prerender, which is neither true nor a list of parameters.");
}

/** Returns the path of a pattern with parameters. */
function pathOf(pattern: string, params: Params): string {
  const parts = pattern.split("/").slice(1).flatMap((part) => {
    const [, name, rest] = /^:([\w-]+)(\*\??)?$/.exec(part) ?? [];
    if (name === undefined) return part;
    const value: unknown = (params as Record<string, unknown> | null)?.[name];
    if (value === undefined && rest === "*?") return [];
    const values = rest === undefined ? [value] : value;
    if (value === undefined || !Array.isArray(values) || (rest === "*" && values.length === 0)) {
      throw new Error(`the parameters ${JSON.stringify(params)} have no ${name} for ${pattern}.`);
    }
    return values.map((each) => encodePart(each, name));
  });
  return `/${parts.join("/")}`;
}

/** Encodes a part of a path that can be the name of a file; a "*" would be any text in `_headers`. */
function encodePart(value: unknown, name: string): string {
  const text = typeof value === "number" ? String(value) : value;
  const isName = typeof text === "string" && text !== "" && !/^\.{1,2}$|[/\\*\p{Cc}]/u.test(text) &&
    text.isWellFormed();
  if (isName) return encodeURIComponent(text);
  throw new Error(`the parameter ${name} is ${JSON.stringify(value)}, which cannot name a file.`);
}

/** Guards everything of static pages that runs with a request. */
function guardManifest(manifest: AppManifest): AppManifest {
  return {
    ...manifest,
    auth: null,
    routes: manifest.routes.map((route) =>
      route.module["prerender"] === undefined ? route : {
        ...route,
        ...guardModule(route),
        layouts: route.layouts.map(guardModule),
        // The reason of a failure is of use here, and no page in its place.
        errorPages: [{
          kind: "error",
          file: route.file,
          module: { default: keepError },
          layouts: [],
        }],
      }
    ),
  };
}

/** Remembers an expected error, which nobody reports: of what comes late the status says nothing. */
function keepError({ error }: { error: PageError }): null {
  failure ??= error.message;
  return null;
}

const guardedModules = new WeakMap<object, ManifestModule>();

function guardModule({ file, module }: ManifestModule): ManifestModule {
  const known = guardedModules.get(module);
  if (known !== undefined) return known;
  const guarded: Record<string, unknown> = { ...module };
  for (const name of ["loader", "metadata", "headers", "csp"]) {
    const own = module[name];
    if (typeof own !== "function") continue;
    guarded[name] = (args: object) => runOf(file, () => own(guardArgs(args)));
  }
  const component = module["default"] as (props: object) => unknown;
  guarded["default"] = (props: object) =>
    runOf(file, () => {
      guardContext();
      return component(guardProps(props));
    });
  const made = { file, module: guarded };
  guardedModules.set(module, made);
  return made;
}

function guardArgs(args: object): object {
  guardContext();
  return withGetters(guardProps(args), {
    request: () => refuse("request: it is rendered before there is one"),
    nonce: () => refuse("nonce: it would be the same for every visitor"),
  });
}

/** Refuses the query, which a file's address may have and which changes nothing. */
function guardProps(props: object): object {
  if (!("searchParams" in props)) return props;
  return withGetters(props, {
    searchParams: () => refuse("query: a file is the same for each"),
  });
}

/** Returns an object whose given properties are computed when they are asked for. */
function withGetters(of: object, getters: Record<string, () => unknown>): object {
  const properties = Object.getOwnPropertyDescriptors(of);
  const own = Object.entries(getters).filter(([name]) => name in properties);
  return Object.defineProperties({}, {
    ...properties,
    ...Object.fromEntries(own.map(([name, get]) => [name, { get, enumerable: true }])),
  });
}

/** Parts of a context that only a request has. */
const ofRequest = ["auth", "cookies", "flash", "isPrefetch", "requestId"];

/** Guards the context of this rendering, which code also takes from `getContext()`. */
function guardContext(): void {
  const context = getContext();
  for (const name of ofRequest) {
    if (!(name in context)) continue;
    const get = (): never => refuse(`context.${name}: it belongs to a request`);
    Object.defineProperty(context, name, { get, configurable: true });
  }
}

/** Variables of the platform file are known at build; bindings and secrets are not. */
function guardEnv(env: object): object {
  return new Proxy(env, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name);
      return refuse(`binding or secret ${name}: a build has the variables alone`);
    },
  });
}
