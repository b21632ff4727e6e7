/**
 * JSX runtime of the client components' scripts. `framework build` inserts it in place of
 * `@framework/cli/jsx-runtime`; do not import it directly.
 *
 * @example What the compiler makes of `<p class="note">Hello</p>` there
 * ```ts
 * import { jsx } from "@framework/cli/client/jsx-runtime";
 * import { equal } from "node:assert/strict";
 *
 * const element = jsx("p", { class: "note", children: "Hello" });
 * equal(element.type, "p");
 * equal(element.props.children, "Hello");
 * ```
 *
 * @module
 */
export { Fragment, jsx, jsx as jsxDEV, jsx as jsxs } from "./client/browser_jsx.ts";
