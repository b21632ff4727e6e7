import { Component, type ComponentType, h, toChildArray, type VNode } from "preact";
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";

// deno-lint-ignore no-explicit-any -- the props are the component's.
type AnyProps = Record<string, any>;

/** `memo` of `hono/jsx`: renders again only when the props have changed. */
export function memo(
  component: ComponentType<AnyProps>,
  areEqual: (before: AnyProps, next: AnyProps) => boolean = shallowEqual,
): ComponentType<AnyProps> {
  return class extends Component<AnyProps> {
    override shouldComponentUpdate(next: AnyProps): boolean {
      return !areEqual(this.props, next);
    }
    override render(props: AnyProps): VNode {
      return h(component, props);
    }
  };
}

function shallowEqual(before: AnyProps, next: AnyProps): boolean {
  const names = Object.keys(next);
  return names.length === Object.keys(before).length &&
    names.every((name) => Object.is(before[name], next[name]));
}

/** `forwardRef` of `hono/jsx`. */
export function forwardRef(
  render: (props: AnyProps, ref: unknown) => VNode,
): (props: AnyProps) => VNode {
  return ({ ref, ...props }) => render(props, ref);
}

/** `startTransition` of `hono/jsx`; what it wraps is not put off here. */
export function startTransition(change: () => void): void {
  change();
}

/** `useTransition` of `hono/jsx`. */
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

/** `useDeferredValue` of `hono/jsx`; nothing is deferred here. */
export function useDeferredValue<T>(value: T): T {
  return value;
}

/** `useInsertionEffect` of `hono/jsx`. */
export const useInsertionEffect: typeof useLayoutEffect = useLayoutEffect;

/** `useSyncExternalStore` of `hono/jsx`. */
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

/** `Children` of `hono/jsx`. */
export const Children: {
  map<T>(children: unknown, make: (child: unknown, index: number) => T): T[];
  forEach(children: unknown, act: (child: unknown, index: number) => void): void;
  count(children: unknown): number;
  only(children: unknown): unknown;
  toArray(children: unknown): unknown[];
} = {
  map: (children, make) => toArray(children).map(make),
  forEach: (children, act) => toArray(children).forEach(act),
  count: (children) => toArray(children).length,
  only: (children) => {
    const [only, ...others] = toArray(children);
    if (only === undefined || others.length > 0) throw new TypeError("There is not one child.");
    return only;
  },
  toArray,
};

function toArray(children: unknown): unknown[] {
  return toChildArray(children as never);
}
