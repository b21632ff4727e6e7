import { isPrefetch } from "@framework/auth/convention";
import { assetsFolder } from "../client/assets.ts";
import type { AppManifest, ManifestRoute } from "./manifest.ts";
import { parsePattern, type Segment } from "./pattern.ts";

/** Path of the rules that tell browsers which links they may load ahead. */
const path = `${assetsFolder}/speculation-rules.json`;

/** Rules that tell browsers which links they may load ahead. */
export interface SpeculationRules {
  /** Value of the header `Speculation-Rules`; null when nothing may be loaded ahead. */
  header: string | null;
  /** Answers the request for the rules; null for any other. */
  answer(request: Request, pathname: string): Response | null;
}

/** Reads the export that is nearest to the page. */
function prefetchOf({ module, layouts }: Pick<ManifestRoute, "module" | "layouts">): unknown {
  const modules = [module, ...layouts.map((layout) => layout.module).reverse()];
  return modules.find((exported) => exported["prefetch"] !== undefined)?.["prefetch"];
}

/**
 * Decides if a request ahead of a visit is answered: for everybody, for nobody, or for who is not signed in.
 *
 * @returns `"everybody"` for a visit.
 */
export function mayAskAhead(
  request: Request,
  route: Pick<ManifestRoute, "kind" | "module" | "layouts">,
): "everybody" | "visitors" | "nobody" {
  if (!isPrefetch(request)) return "everybody";
  const prefetch = prefetchOf(route);
  if (/prerender/.test(request.headers.get("sec-purpose")!) && prefetch !== "prerender") {
    return "nobody";
  }
  if (prefetch === true || prefetch === "prerender") return "everybody";
  const isPlain = prefetch !== false && route.kind === "page" && !request.url.includes("?");
  return isPlain ? "visitors" : "nobody";
}

/** The pathname as URLPattern writes it. Names of parameters may have a dash, which a group's name may not. */
function pathnameOf(segments: readonly Segment[]): string {
  const modifier = { param: "", rest: "+", optional: "*" };
  return "/" +
    segments.map((segment, index) =>
      segment.kind === "static"
        ? segment.value.replace(/[+*?:(){}\\]/g, "\\$&")
        : `:p${index}${modifier[segment.kind]}`
    ).join("/");
}

/** Creates the rules of an application. */
export function createSpeculationRules(
  { routes }: Pick<AppManifest, "routes">,
): SpeculationRules {
  const [plain, declared, prerendered, kept]: object[][] = [[], [], [], []];
  for (const route of routes) {
    const pathname = pathnameOf(parsePattern(route.pattern));
    const prefetch = prefetchOf(route);
    const any = { "href_matches": { pathname } };
    if (prefetch === false || (route.kind === "route" && !prefetch)) kept!.push(any);
    else if (prefetch === undefined) plain!.push({ "href_matches": { pathname, search: "" } });
    else declared!.push(any);
    if (prefetch === "prerender") prerendered!.push(any);
  }
  const not = {
    not: {
      or: [
        { "href_matches": { pathname: "/auth/*" } },
        { "selector_matches": ":is([data-no-prefetch], [data-no-prefetch] *, [download])" },
        ...kept!,
      ],
    },
  };
  const rulesFor = (where: object[]) =>
    where.length === 0 ? [] : [{ where: { and: [{ or: where }, not] }, eagerness: "moderate" }];
  const prefetch = rulesFor([...declared!, ...plain!]);

  return {
    header: prefetch.length === 0 ? null : `"${path}"`,
    answer(request, pathname) {
      if (pathname !== path || request.method !== "GET") return null;
      return new Response(JSON.stringify({ prefetch, prerender: rulesFor(prerendered!) }), {
        headers: {
          "content-type": "application/speculationrules+json",
          // What is loaded by rules of before a deployment is refused where it must be.
          "cache-control": "public, max-age=600",
        },
      });
    },
  };
}
