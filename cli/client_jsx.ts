/**
 * Replaces `hono/jsx` with Preact in the scripts of client components: the same names, with
 * hydration of the server's markup. `framework build` inserts it; do not import it directly.
 *
 * @example A client component, which imports `hono/jsx`
 * ```tsx
 * "use client";
 * import { useState } from "hono/jsx";
 * import { equal } from "node:assert/strict";
 *
 * export function Counter({ start }: { start: number }) {
 *   const [count, setCount] = useState(start);
 *   return <button type="button" onClick={() => setCount(count + 1)}>{count}</button>;
 * }
 * equal(String(<Counter start={3} />), '<button type="button">3</button>'); // on the server
 * ```
 *
 * @module
 */
export {
  createElement,
  createElement as jsx,
  Fragment,
  Fragment as StrictMode,
} from "./client/browser_jsx.ts";
export {
  Children,
  forwardRef,
  memo,
  startTransition,
  useDeferredValue,
  useInsertionEffect,
  useSyncExternalStore,
  useTransition,
} from "./client/browser_hooks.ts";
export { cloneElement, createContext, createRef, isValidElement } from "preact";
export {
  useCallback,
  useContext,
  useDebugValue,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "preact/hooks";
