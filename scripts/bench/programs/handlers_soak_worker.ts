import { jwtSessions } from "@framework/auth";
import type { Handlers } from "../serve_handler.ts";
import { createSoak } from "./soak.ts";

/** With sessions in tokens, in workerd. */
export const handlers: Handlers = {
  soak: () => createSoak({ session: { strategy: jwtSessions } }),
};
