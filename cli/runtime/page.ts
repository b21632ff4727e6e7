import { jsx, type JSXNode } from "hono/jsx";
import { HtmlEscapedCallbackPhase, resolveCallback } from "hono/utils/html";
import { createDocument } from "./document.ts";
import type { ManifestModule, ManifestRoute } from "./manifest.ts";
import { isUnsafe } from "./methods.ts";
import { DataResult } from "./results.ts";
import type { Metadata, Params, RequestContext, SearchParams } from "./types.ts";

type Load = (args: PageArgs) => unknown;

/** What loaders and actions are given. */
export interface PageArgs {
  request: Request;
  params: Params;
  context: RequestContext<Record<string, unknown>, Params>;
}

interface Loaded {
  data: unknown;
  status: number;
  headers: Headers | null;
}

/**
 * Answers a request for a page: the action when the method changes something, then the loaders, then the page inside
 * its layouts. A `Response` from any of them is the answer.
 */
export async function handlePage(route: ManifestRoute, args: PageArgs): Promise<Response> {
  let acted: Loaded | null = null;
  let forLoaders = args;
  if (isUnsafe(args.request.method)) {
    const result = await (route.module["action"] as Load)(args);
    if (result instanceof Response) return result;
    acted = unwrap(result);
    forLoaders = { ...args, request: asGet(args.request) };
  }
  const layouts = await Promise.all(
    [...route.layouts, route].map((module) => load(module, forLoaders)),
  );
  for (const result of layouts) if (result instanceof Response) return result;
  const loaded = layouts as Loaded[];
  const page = loaded.pop()!;
  const html = await render(route, { page, layouts: loaded, acted, args: forLoaders });
  const headers = new Headers({ "content-type": "text/html; charset=utf-8" });
  for (const part of [...loaded, page, acted]) {
    part?.headers?.forEach((value, name) =>
      name === "set-cookie" ? headers.append(name, value) : headers.set(name, value)
    );
  }
  return new Response(html, { status: acted?.status ?? page.status, headers });
}

async function load({ module }: ManifestModule, args: PageArgs): Promise<Loaded | Response> {
  if (!module["loader"]) return unwrap(undefined);
  const result = await (module["loader"] as Load)(args);
  return result instanceof Response ? result : unwrap(result);
}

function unwrap(result: unknown): Loaded {
  if (!(result instanceof DataResult)) return { data: result, status: 200, headers: null };
  return { data: result.value, status: result.status, headers: result.headers };
}

/** Loaders after an action see the page being asked for: its body is spent, and the headers that describe it with it. */
function asGet(request: Request): Request {
  const headers = new Headers(request.headers);
  for (const name of ["content-type", "content-length", "transfer-encoding"]) headers.delete(name);
  return new Request(request.url, { headers, signal: request.signal });
}

interface Rendering {
  page: Loaded;
  layouts: Loaded[];
  acted: Loaded | null;
  args: PageArgs;
}

async function render(route: ManifestRoute, rendering: Rendering): Promise<string> {
  const { page, layouts, acted, args } = rendering;
  const { params, request } = args;
  let node = jsx(component(route), {
    data: page.data,
    ...(acted ? { actionData: acted.data } : {}),
    params,
    searchParams: readSearch(new URL(request.url).searchParams),
  });
  for (const [index, layout] of [...route.layouts.entries()].reverse()) {
    node = jsx(component(layout), { data: layouts[index]!.data, params }, node);
  }
  return createDocument(await toHtml(node), await readMetadata(route, { page, layouts, args }));
}

/** A component may be asynchronous, and may return text or nothing. */
async function toHtml(node: JSXNode): Promise<string> {
  const html = await node.toString();
  return await resolveCallback(html, HtmlEscapedCallbackPhase.Stringify, false, {});
}

/** The nearest to the page wins, field by field. */
async function readMetadata(
  route: ManifestRoute,
  { page, layouts, args }: Omit<Rendering, "acted">,
): Promise<Metadata> {
  const merged: Metadata = {};
  for (const [index, { module }] of [...route.layouts, route].entries()) {
    const declared = module["metadata"];
    const data = (layouts[index] ?? page).data;
    Object.assign(
      merged,
      typeof declared === "function" ? await declared({ ...args, data }) : declared,
    );
  }
  return merged;
}

// deno-lint-ignore ban-types -- hono's own parameter type.
function component({ module }: ManifestModule): Function {
  // deno-lint-ignore ban-types -- checked when the application was created.
  return module["default"] as Function;
}

function readSearch(query: URLSearchParams): SearchParams {
  const read = new Map<string, string | string[]>();
  for (const [name, value] of query) {
    const before = read.get(name);
    read.set(name, before === undefined ? value : [before, value].flat());
  }
  // fromEntries defines properties, so that a parameter named __proto__ is one like any other.
  return Object.fromEntries(read);
}
