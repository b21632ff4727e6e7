import type { ManifestModule } from "./manifest.ts";
import type { Security } from "./response_headers.ts";
import type { HeadersArgs, PageHeaders } from "./types.ts";

/** A module whose `headers` count, with what goes with them. */
export interface HeadersSource extends ManifestModule {
  data: unknown;
}

/**
 * Collects what pages and layouts export as `headers`: the nearest to the page wins, and null takes a default away.
 *
 * @param sources Outermost first.
 */
export async function readHeaders(
  sources: readonly HeadersSource[],
  { args, security }: { args: object; security: Security },
): Promise<Headers> {
  const headers = new Headers();
  // Those of a page that failed are not those of the error page in its place.
  security.withheld.clear();
  for (const { module, data } of sources) {
    const declared = module["headers"] as
      | PageHeaders
      | ((args: HeadersArgs) => PageHeaders | Promise<PageHeaders>)
      | undefined;
    if (declared === undefined) continue;
    const own = typeof declared === "function"
      ? await declared({
        ...args,
        data,
        get nonce() {
          return security.nonce;
        },
      } as HeadersArgs)
      : declared;
    for (const [name, value] of Object.entries(own)) {
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
