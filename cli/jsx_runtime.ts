/**
 * JSX runtime for `"jsxImportSource": "@framework/cli"`: `hono/jsx`, in which components of files
 * that begin with `"use client"` become islands that the browser hydrates. Do not import it
 * directly.
 *
 * @example What the compiler makes of `<p class="note">Hello</p>`
 * ```ts
 * import { jsx } from "@framework/cli/jsx-runtime";
 * import { equal } from "node:assert/strict";
 *
 * equal(String(jsx("p", { class: "note", children: "Hello" })), '<p class="note">Hello</p>');
 * ```
 *
 * @module
 */
export { jsx, jsx as jsxDEV, jsx as jsxs } from "./client/jsx.ts";
export type {
  Attribute,
  ElementClasses,
  ElementOf,
  EventOf,
  GlobalClass,
  HonoElements,
  JSX,
  WithHandlers,
} from "./client/jsx_types.ts";
export { Fragment, jsxAttr, jsxEscape, jsxTemplate } from "hono/jsx/jsx-runtime";
