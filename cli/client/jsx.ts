import { jsxDEV as honoJsx } from "hono/jsx/jsx-dev-runtime";
import type { JSX } from "hono/jsx/jsx-runtime";
import { wrapIsland } from "./islands.ts";

/**
 * What JSX is compiled to: hono's, but that a client component becomes an island.
 *
 * @param tag An element's name or a component.
 * @param props Its attributes or props, with `children` among them.
 * @param key Its key among others.
 */
export function jsx(
  // deno-lint-ignore ban-types -- hono's own parameter type.
  tag: string | Function,
  props: Record<string, unknown>,
  key?: string,
): JSX.Element {
  const island = wrapIsland(tag);
  if (island === null) return honoJsx(tag, props, key) as unknown as JSX.Element;
  // The island takes the props whole: hono would take their children out.
  return honoJsx(() => island(props), {}, key) as unknown as JSX.Element;
}
