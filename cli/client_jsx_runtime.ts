/**
 * What JSX is compiled to in the scripts of client components. `framework build` puts it in the place of
 * `@framework/cli/jsx-runtime`; it is not meant to be imported by hand.
 *
 * @module
 */
export { Fragment, jsx, jsx as jsxDEV, jsx as jsxs } from "./client/browser_jsx.ts";
