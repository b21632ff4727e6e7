import { addSources, type ContentSources } from "./csp.ts";
import type { LoadedModule } from "./loaders.ts";
import type { Security } from "./response_headers.ts";
import type { HeadersArgs, PageHeaders } from "./types.ts";

/**
 * Collects what pages and layouts export as `headers`, where the nearest to the page wins and null
 * removes a default, and as `csp`, which adds up.
 *
 * @param sources Outermost first.
 */
export async function readHeaders(
  sources: readonly LoadedModule[],
  { args, security }: { args: object; security: Security },
): Promise<Headers> {
  const headers = new Headers();
  // Those of a page that failed are not those of the error page in its place.
  security.withheld.clear();
  security.sources.clear();
  for (const { file, module, loaded, layoutData, ...own } of sources) {
    const read = <T>(declared: T | ((args: HeadersArgs) => T | Promise<T>)): T | Promise<T> =>
      typeof declared === "function"
        ? (declared as (args: HeadersArgs) => T | Promise<T>)({
          ...args,
          ...own,
          data: loaded.data,
          layoutData,
          get nonce() {
            return security.nonce;
          },
        } as HeadersArgs)
        : declared;
    const added = await read(module["csp"] as ContentSources | undefined);
    if (added !== undefined) addSources(security.sources, added, file);
    const named = await read(module["headers"] as PageHeaders | undefined);
    if (named === undefined) continue;
    for (const [name, value] of Object.entries(named)) {
      if (value === null) {
        headers.delete(name);
        security.withheld.add(name.toLowerCase());
      } else {
        headers.set(name, value);
        security.withheld.delete(name.toLowerCase());
      }
    }
  }
  headers.set("content-type", "text/html; charset=utf-8");
  return headers;
}
