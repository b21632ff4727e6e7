/**
 * What the scripts of client components begin with, in the browser. `framework build` writes them; it is not meant to be
 * imported by hand.
 *
 * @module
 */
export { hydrateIslands } from "./client/hydrate.ts";
