import { Component, type ComponentType, h, toChildArray, type VNode } from "preact";
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";

/**
 * `memo` of `hono/jsx`: a component that renders again only when its props have changed.
 *
 * @param component The component.
 * @param areEqual Whether to leave it as it is. Default: when each prop is the same by `Object.is`.
 *
 * @example
 * ```ts
 * import { createElement, memo } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * const Row = memo(({ name }) => createElement("li", null, name), (a, b) => a["id"] === b["id"]);
 * equal(createElement(Row, { id: 1, name: "Ada" }).type, Row);
 * ```
 */
export function memo(
  component: ComponentType<Record<string, unknown>>,
  areEqual: (before: Record<string, unknown>, next: Record<string, unknown>) => boolean =
    shallowEqual,
): ComponentType<Record<string, unknown>> {
  return class extends Component<Record<string, unknown>> {
    override shouldComponentUpdate(next: Record<string, unknown>): boolean {
      return !areEqual(this.props, next);
    }
    override render(props: Record<string, unknown>): VNode {
      return h(component, props);
    }
  };
}

function shallowEqual(before: Record<string, unknown>, next: Record<string, unknown>): boolean {
  const names = Object.keys(next);
  return names.length === Object.keys(before).length &&
    names.every((name) => Object.is(before[name], next[name]));
}

/**
 * `forwardRef` of `hono/jsx`: passes `ref` to a component as its second argument.
 *
 * @param render The component, with the ref as its second parameter.
 *
 * @example
 * ```ts
 * import { createElement, createRef, forwardRef } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * const Field = forwardRef((props, ref) => createElement("input", { ...props, ref }));
 * const ref = createRef();
 * equal(Field({ name: "email", ref }).ref, ref);
 * ```
 */
export function forwardRef(
  render: (props: Record<string, unknown>, ref: unknown) => VNode,
): (props: Record<string, unknown>) => VNode {
  return ({ ref, ...props }) => render(props, ref);
}

/**
 * `startTransition` of `hono/jsx`; the change is not deferred here.
 *
 * @param change Sets state. It is called at once.
 *
 * @example
 * ```ts
 * import { startTransition } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * let page = "list";
 * startTransition(() => void (page = "details"));
 * equal(page, "details");
 * ```
 */
export function startTransition(change: () => void): void {
  change();
}

/**
 * `useTransition` of `hono/jsx`: returns whether asynchronous changes are pending, and the function
 * that starts one.
 *
 * @example In a client component, which imports `hono/jsx`
 * ```tsx
 * import { useTransition } from "hono/jsx";
 * import { match } from "node:assert/strict";
 *
 * function Save({ save }: { save: () => Promise<void> }) {
 *   const [isPending, start] = useTransition();
 *   return <button type="button" disabled={isPending} onClick={() => start(save)}>Save</button>;
 * }
 * match(String(<Save save={() => Promise.resolve()} />), /<button type="button">/);
 * ```
 */
export function useTransition(): [boolean, (change: () => void | Promise<void>) => void] {
  const [isPending, setPending] = useState(false);
  const start = useCallback((change: () => void | Promise<void>): void => {
    const done = change();
    if (!(done instanceof Promise)) return;
    setPending(true);
    void done.finally(() => setPending(false));
  }, []);
  return [isPending, start];
}

/**
 * `useDeferredValue` of `hono/jsx`; nothing is deferred here.
 *
 * @param value What is given back.
 *
 * @example
 * ```ts
 * import { useDeferredValue } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * equal(useDeferredValue("typed"), "typed");
 * ```
 */
export function useDeferredValue<T>(value: T): T {
  return value;
}

/**
 * `useInsertionEffect` of `hono/jsx`: the same as `useLayoutEffect` here.
 *
 * @example
 * ```ts
 * import { useInsertionEffect, useLayoutEffect } from "@framework/cli/client/jsx";
 * import { equal } from "node:assert/strict";
 *
 * equal(useInsertionEffect, useLayoutEffect);
 * ```
 */
export const useInsertionEffect: typeof useLayoutEffect = useLayoutEffect;

/**
 * `useSyncExternalStore` of `hono/jsx`: the value of an external store, such as that of
 * `@framework/auth/client`.
 *
 * @param subscribe Begins to listen to the store; what it returns ends that.
 * @param getSnapshot What the store holds now: the same object until it changes.
 *
 * @example In a client component, which imports `hono/jsx`
 * ```tsx
 * import { createAuthStore } from "@framework/auth/client";
 * import { useSyncExternalStore } from "hono/jsx";
 * import { equal } from "node:assert/strict";
 *
 * const auth = createAuthStore({ session: null });
 * function Greeting() {
 *   const { user } = useSyncExternalStore(auth.subscribe, auth.getState, auth.getState);
 *   return <p>{user === null ? "Welcome" : `Hello ${user.name ?? user.email}`}</p>;
 * }
 * equal(String(<Greeting />), "<p>Welcome</p>");
 * ```
 */
export function useSyncExternalStore<T>(
  subscribe: (changed: () => void) => () => void,
  getSnapshot: () => T,
): T {
  const [, render] = useState<T>();
  const value = getSnapshot();
  useEffect(() => {
    const update = (): void => render(() => getSnapshot());
    update();
    return subscribe(update);
  }, [subscribe]);
  return value;
}

/**
 * `Children` of `hono/jsx`: helpers for `children`, which may be one element, several or none.
 *
 * @example
 * ```ts
 * import { Children } from "@framework/cli/client/jsx";
 * import { deepEqual, equal } from "node:assert/strict";
 *
 * equal(Children.count(["Ada", ["Grace", null]]), 2);
 * deepEqual(Children.map("Ada", (child, index) => `${index}: ${child}`), ["0: Ada"]);
 * ```
 */
export const Children: {
  /** Calls a function with each child and returns the results. */
  map<T>(children: unknown, make: (child: unknown, index: number) => T): T[];
  /** Calls a function with each child. */
  forEach(children: unknown, act: (child: unknown, index: number) => void): void;
  /** Number of children; null and false count as none. */
  count(children: unknown): number;
  /** Returns the only child; throws when there are several or none. */
  only(children: unknown): unknown;
  /** Returns the children as a flat list. */
  toArray(children: unknown): unknown[];
} = {
  map: (children, make) => toArray(children).map(make),
  forEach: (children, act) => toArray(children).forEach(act),
  count: (children) => toArray(children).length,
  only: (children) => {
    const [only, ...others] = toArray(children);
    if (only === undefined || others.length > 0) {
      throw new TypeError("Children.only() requires exactly one child.");
    }
    return only;
  },
  toArray,
};

function toArray(children: unknown): unknown[] {
  return toChildArray(children as never);
}
