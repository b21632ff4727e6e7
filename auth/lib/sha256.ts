export { hashText } from "./portable_sha256.ts";

/** What both ways to hash a text have. In the npm package workers get the platform's own. */
export type Sha256 = typeof import("./native_sha256.ts");
