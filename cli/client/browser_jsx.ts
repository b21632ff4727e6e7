import { Fragment, h, type VNode } from "preact";

// deno-lint-ignore no-explicit-any -- whatever JSX is written with.
type AnyProps = Record<string, any>;

/** The names that hono's JSX has for an event, and the one that the browser has. */
const sameEvents: Record<string, string> = { onChange: "onInput", onDoubleClick: "onDblClick" };

/**
 * What JSX is compiled to in the browser: the same elements as `hono/jsx` makes on the server.
 *
 * @param tag An element's name or a component.
 * @param props Its attributes or props, with `children` among them.
 * @param key Its key among others.
 */
export function jsx(tag: unknown, props: AnyProps, key?: unknown): VNode {
  const given: AnyProps = key === undefined ? { ...props } : { ...props, key };
  if (typeof tag === "string") {
    for (const [name, same] of Object.entries(sameEvents)) {
      if (given[name] === undefined) continue;
      given[same] ??= given[name];
      delete given[name];
    }
  }
  return h(tag as string, given);
}

/** `createElement` of `hono/jsx`. */
export function createElement(tag: unknown, props: AnyProps | null, ...children: unknown[]): VNode {
  const { key, ...given } = props ?? {};
  if (children.length > 0) given["children"] = children.length === 1 ? children[0] : children;
  return jsx(tag, given, key);
}

export { Fragment };
