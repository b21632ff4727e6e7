import { NotEmulatedError } from "../errors.ts";

const NAMES = ["HTMLRewriter", "WebSocketPair"];

/** Puts refusals in the place of those globals of the platform that an application in process would miss. */
export function definePlatformGlobals(): void {
  for (const name of NAMES) {
    if (name in globalThis) continue;
    const Refused = class {
      constructor() {
        throw new NotEmulatedError(name, "global");
      }
    };
    Object.defineProperty(globalThis, name, { value: Refused, configurable: true, writable: true });
  }
}
