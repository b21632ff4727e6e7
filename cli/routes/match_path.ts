import type { Segment } from "../project/pattern.ts";

/** What a pattern's dynamic segments hold for a path: a string, or a list for a catch-all. */
export type MatchedParams = Record<string, string | string[]>;

/**
 * Matches a path against a pattern as the built application does.
 *
 * @param segments The pattern.
 * @param pathname Encoded path (`URL.pathname`).
 * @returns null when the pattern does not match.
 */
export function matchSegments(
  segments: readonly Segment[],
  pathname: string,
): MatchedParams | null {
  const parts = pathname === "/" ? [] : pathname.slice(1).split("/");
  const params: MatchedParams = {};
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "rest" || segment.kind === "optional") {
      const rest = parts.slice(index);
      if (segment.kind === "optional" && rest.length === 0) {
        return { ...params, [segment.name]: [] };
      }
      if (rest.join("/") === "") return null;
      return { ...params, [segment.name]: rest.map(decode) };
    }
    const part = parts[index];
    if (part === undefined) return null;
    if (segment.kind === "static") {
      if (part !== encodeURI(segment.value)) return null;
    } else if (part === "") return null;
    else params[segment.name] = decode(part);
  }
  return parts.length === segments.length ? params : null;
}

/** A path that no browser would send stays as it came. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Says why the first of two patterns that match one path answers it.
 *
 * @param winner The pattern that answers.
 * @param other A pattern that comes later.
 */
export function whyFirst(winner: readonly Segment[], other: readonly Segment[]): string {
  for (let index = 0; index < Math.max(winner.length, other.length); index++) {
    const left = winner[index];
    const right = other[index];
    if (left?.kind === right?.kind) continue;
    return `part ${index + 1} of the path: ${describe(left)} comes before ${describe(right)}`;
  }
  return "both are equally specific";
}

function describe(segment: Segment | undefined): string {
  switch (segment?.kind) {
    case undefined:
      return "the end";
    case "static":
      return `"${segment.value}"`;
    case "param":
      return `the parameter :${segment.name}`;
    case "rest":
      return `the catch-all :${segment.name}*`;
    case "optional":
      return `the optional catch-all :${segment.name}*?`;
  }
}
