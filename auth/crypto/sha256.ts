/** What both ways to compute SHA-256 have. In the npm package workers get the platform's own. */
export type Sha256 = typeof import("./native_sha256.ts");

export { hashText, hmacSha256, sha256 } from "./portable_sha256.ts";
