import { jsxDEV as honoJsx } from "hono/jsx/jsx-dev-runtime";
import type { JSX } from "./jsx_types.ts";
import { wrapIsland } from "./islands.ts";

/**
 * Creates JSX elements with hono, but turns client components into islands.
 *
 * @param tag An element's name or a component.
 * @param props Its attributes or props, with `children` among them.
 * @param key Its key among others.
 *
 * @example
 * ```ts
 * import { jsx } from "@framework/cli/jsx-runtime";
 * import { equal } from "node:assert/strict";
 *
 * const Greeting = ({ name }: { name: string }) => jsx("b", { children: `Hello ${name}` });
 * equal(String(jsx(Greeting, { name: "Ada" })), "<b>Hello Ada</b>");
 * ```
 */
export function jsx(
  // deno-lint-ignore ban-types -- hono's own parameter type.
  tag: string | Function,
  props: Record<string, unknown>,
  key?: string,
): JSX.Element {
  if (
    (tag === "input" || tag === "textarea") &&
    ("defaultValue" in props || "defaultChecked" in props)
  ) {
    // hono would write attributes that mean nothing to a browser.
    const { defaultValue, defaultChecked: checked, ...others } = props;
    const name = tag === "textarea" ? "children" : "value";
    props = { [name]: defaultValue, checked, ...others };
  }
  const island = wrapIsland(tag);
  if (!island) return honoJsx(tag, props, key) as unknown as JSX.Element;
  // The island needs the complete props: hono would remove their children.
  return honoJsx(() => island(props), {}, key) as unknown as JSX.Element;
}
