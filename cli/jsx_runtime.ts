/**
 * What JSX is compiled to, by `"jsxImportSource": "@framework/cli"`: `hono/jsx`, in which components of files that begin
 * with `"use client"` become islands that the browser takes over. It is not meant to be imported by hand.
 *
 * @module
 */
export { jsx, jsx as jsxDEV, jsx as jsxs } from "./client/jsx.ts";
export { Fragment, type JSX, jsxAttr, jsxEscape, jsxTemplate } from "hono/jsx/jsx-runtime";
