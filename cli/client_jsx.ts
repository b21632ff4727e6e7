/**
 * What `hono/jsx` is in the scripts of client components: the same names, by Preact, which takes over markup that the server
 * has sent instead of replacing it. `framework build` puts it in that place; it is not meant to be imported by hand.
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
