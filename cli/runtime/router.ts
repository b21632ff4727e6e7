import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";
import { parsePattern, type Segment } from "../project/pattern.ts";
import type { Params } from "./types.ts";

/** The route that answers a path, with what its dynamic segments held. */
export interface Match<T> {
  route: T;
  params: Params;
}

const anyMethod = "ALL";

/**
 * Finds the route of a path.
 *
 * @param routes In match order.
 * @returns A function from an encoded path (`URL.pathname`) to the first route that matches.
 */
export function createRouter<T extends { pattern: string }>(
  routes: readonly T[],
): (pathname: string) => Match<T> | null {
  const router = new SmartRouter<{ route: T; rest: string | null }>({
    routers: [new RegExpRouter(), new TrieRouter()],
  });
  for (const route of routes) {
    const segments = parsePattern(route.pattern);
    const last = segments.at(-1);
    const rest = last?.kind === "rest" || last?.kind === "optional" ? last.name : null;
    for (const path of honoPaths(segments)) router.add(anyMethod, path, { route, rest });
  }
  return (pathname) => {
    // Hono's routers know one shape of result for each strategy; a parameter is a string or an index into the stash.
    const [found, stash] = router.match(anyMethod, pathname) as [
      [{ route: T; rest: string | null }, Record<string, string | number>][],
      string[]?,
    ];
    const first = found[0];
    if (!first) return null;
    const [{ route, rest }, raw] = first;
    const params: Params = {};
    for (const [name, value] of Object.entries(raw)) {
      const text = typeof value === "number" ? stash?.[value] : value;
      if (text === undefined) continue;
      params[name] = name === rest ? text.split("/").map(decode) : decode(text);
    }
    if (rest !== null) params[rest] ??= [];
    return { route, params };
  };
}

function honoPaths(segments: readonly Segment[]): string[] {
  const last = segments.at(-1);
  const path = "/" + segments.map(honoSegment).join("/");
  if (last?.kind !== "optional") return [path];
  return ["/" + segments.slice(0, -1).map(honoSegment).join("/"), path];
}

function honoSegment(segment: Segment): string {
  if (segment.kind === "static") return encodeURI(segment.value);
  return segment.kind === "param" ? `:${segment.name}` : `:${segment.name}{.+}`;
}

/** A path that no browser would send stays as it came: there is no record behind it either way. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
