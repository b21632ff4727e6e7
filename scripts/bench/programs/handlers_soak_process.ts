import { authSchema } from "@framework/auth/storage";
import { sqlite } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import type { Handlers } from "../serve_handler.ts";
import { createSoak } from "./soak.ts";

/** With sessions in SQLite, on Node. */
export const handlers: Handlers = {
  soak() {
    const database = new DatabaseSync(":memory:");
    database.exec(authSchema.up);
    return createSoak({ database: sqlite(database) });
  },
};
