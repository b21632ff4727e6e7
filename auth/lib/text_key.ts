export { createTextKey, type TextKey } from "./portable_text_key.ts";

/** What both ways to sign a text have. In the npm package workers get the platform's own. */
export type TextKeys = Pick<typeof import("./native_text_key.ts"), "createTextKey">;
