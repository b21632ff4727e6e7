/**
 * The front door for people who read the repository: everything that `@framework/auth` exports.
 *
 * @module
 */
export * from "./auth/mod.ts";
