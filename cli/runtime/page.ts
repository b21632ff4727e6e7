import { type Loaded, loaderArgs, type PageArgs, type PageRequest, unwrap } from "./loaders.ts";
import type { ManifestRoute } from "./manifest.ts";
import { isUnsafe } from "./methods.ts";
import { readHeaders } from "./page_headers.ts";
import { readSearch, renderDocument } from "./render.ts";

/** Adds the headers that loaders and actions set with `data()`. */
function addLoadedHeaders(headers: Headers, loaded: readonly (Loaded | null)[]): void {
  for (const part of loaded) {
    part?.headers?.forEach((value, name) =>
      name === "set-cookie" ? headers.append(name, value) : headers.set(name, value)
    );
  }
}

/**
 * Answers a request for a page: runs the action when the method changes something, then the
 * loaders, and renders the page in its layouts. A `Response` from any of them is the answer.
 */
export async function handlePage(
  route: Pick<ManifestRoute, "file" | "module" | "layouts" | "loading">,
  request: PageRequest,
): Promise<Response> {
  const { args, load } = request;
  let acted: Loaded | null = null;
  if (isUnsafe(args.request.method)) {
    const result = await (route.module["action"] as (args: PageArgs) => unknown)(args);
    if (result instanceof Response) return result;
    acted = unwrap(result);
  }
  const results = await Promise.all([...route.layouts, route].map(load));
  for (const result of results) if (result instanceof Response) return result;
  const loaded = results as Loaded[];
  const page = loaded.at(-1)!;
  const layouts = route.layouts.map((layout, index) => ({ ...layout, loaded: loaded[index]! }));
  const body = await renderDocument({
    page: route,
    props: {
      data: page.data,
      ...(acted ? { actionData: acted.data } : {}),
      params: args.params,
      searchParams: readSearch(new URL(args.request.url).searchParams),
    },
    loading: route.loading,
    layouts,
    request: { ...request, args: loaderArgs(args) },
  });
  const headers = await readHeaders([
    ...layouts.map((layout) => ({ ...layout, data: layout.loaded.data })),
    { ...route, data: page.data },
  ], request);
  addLoadedHeaders(headers, [...loaded, acted]);
  return new Response(body, { status: acted?.status ?? page.status, headers });
}
