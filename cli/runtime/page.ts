import { prefersJson } from "@framework/auth/convention";
import { formHeader } from "../client/assets.ts";
import { type InvalidForm, InvalidInputError } from "./invalid_input.ts";
import {
  type Loaded,
  loaderArgs,
  type PageArgs,
  type PageRequest,
  takeInput,
  takeSearch,
  unwrap,
  withLayoutData,
} from "./loaders.ts";
import type { ManifestRoute } from "./manifest.ts";
import { isUnsafe } from "./methods.ts";
import { readHeaders } from "./page_headers.ts";
import { renderDocument } from "./render.ts";

/** Adds the headers that loaders and actions set with `data()`. */
function addLoadedHeaders(headers: Headers, loaded: readonly (Loaded | null)[]): void {
  for (const part of loaded) {
    part?.headers?.forEach((value, name) =>
      name === "set-cookie" ? headers.append(name, value) : headers.set(name, value)
    );
  }
}

type Acting = Pick<ManifestRoute, "module"> & { kind: string };

/** Runs the action of a page, whose input is checked first; a form that it refuses is its result. */
async function act(
  route: Acting,
  { args, settings }: Pick<PageRequest, "args" | "settings">,
): Promise<Response | { acted: Loaded; form?: InvalidForm }> {
  const input = await takeInput(route, args, settings.input);
  try {
    if (input?.error) throw input.error;
    const result = await (route.module["action"] as (args: PageArgs) => unknown)(args);
    return result instanceof Response ? result : { acted: unwrap(result) };
  } catch (error) {
    if (!(error instanceof InvalidInputError) || prefersJson(args.request)) throw error;
    const { message, fields, status } = error;
    const form = { message, fields, values: input?.values ?? {} };
    if (args.request.headers.get(formHeader) === "fields") return Response.json(form, { status });
    return { acted: { data: undefined, status, headers: null }, form };
  }
}

/**
 * Answers a request for a page: runs the action when the method changes something, then the
 * loaders, and renders the page in its layouts. A `Response` from any of them is the answer.
 */
export async function handlePage(
  route: Pick<ManifestRoute, "file" | "layouts" | "loading"> & Acting,
  request: PageRequest,
): Promise<Response> {
  const { load, settings } = request;
  const forLoaders = loaderArgs(request.args);
  const searchParams = await takeSearch(route, forLoaders, settings.input);
  const args = { ...request.args, searchParams };
  const done = isUnsafe(args.request.method) ? await act(route, { args, settings }) : null;
  if (done instanceof Response) return done;
  const { acted = null, form } = done ?? {};
  const modules = [...route.layouts, route];
  const results = await Promise.all([
    ...route.layouts.map((layout) => load(layout)),
    load(route, { ...forLoaders, searchParams }),
  ]);
  for (const result of results) if (result instanceof Response) return result;
  const loaded = results as Loaded[];
  const around = withLayoutData(modules, loaded);
  const page = around.at(-1)!;
  page.searchParams = searchParams;
  const layouts = around.slice(0, -1);
  const body = await renderDocument({
    page: route,
    props: {
      data: page.loaded.data,
      layoutData: page.layoutData,
      ...(acted ? { actionData: acted.data } : {}),
      ...(form ? { form } : {}),
      params: args.params,
      searchParams,
    },
    loading: route.loading,
    layouts,
    request: { ...request, args: forLoaders },
  });
  const headers = await readHeaders(around, request);
  addLoadedHeaders(headers, [...loaded, acted]);
  return new Response(body, { status: acted?.status ?? page.loaded.status, headers });
}
