import { Fragment, h, type VNode } from "preact";

/** Event names of hono's JSX that differ from the browser's. */
const sameEvents: Record<string, string> = { onChange: "onInput", onDoubleClick: "onDblClick" };

/**
 * Creates JSX elements in the browser, equivalent to those that `hono/jsx` creates on the server.
 *
 * @param tag An element's name or a component.
 * @param props Its attributes or props, with `children` among them.
 * @param key Its key among others.
 *
 * @example
 * ```ts
 * import { jsx } from "@framework/cli/client/jsx-runtime";
 * import { equal } from "node:assert/strict";
 *
 * // The browser's own event of the same meaning.
 * const field = jsx("input", { onChange: () => {} });
 * equal(Object.keys(field.props)[0], "onInput");
 * ```
 */
export function jsx(tag: unknown, props: Record<string, unknown>, key?: unknown): VNode {
  const given: Record<string, unknown> = key === undefined ? { ...props } : { ...props, key };
  if (typeof tag === "string") {
    for (const [name, same] of Object.entries(sameEvents)) {
      if (given[name] === undefined) continue;
      given[same] ??= given[name];
      delete given[name];
    }
  }
  return h(tag as string, given);
}

/**
 * `createElement` of `hono/jsx`, for markup that is made without JSX.
 *
 * @param tag An element's name or a component.
 * @param props Its attributes or props and its key; null for none.
 * @param children What stands in it.
 *
 * @example
 * ```ts
 * import { createElement } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * const item = createElement("li", { key: "a" }, "One");
 * equal(item.key, "a");
 * equal(createElement("ul", null, item).props.children, item);
 * ```
 */
export function createElement(
  tag: unknown,
  props: Record<string, unknown> | null,
  ...children: unknown[]
): VNode {
  const { key, ...given } = props ?? {};
  if (children.length > 0) given["children"] = children.length === 1 ? children[0] : children;
  return jsx(tag, given, key);
}

export { Fragment };
