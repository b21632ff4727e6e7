import { emptyDatabase } from "../../tests/support/empty_d1.ts";
import { authSchema } from "../storage/schema.ts";
import type { ObjectSqlStorage } from "../storage/durable_object.ts";
import { sqlite } from "../storage/sqlite.ts";
import { type AskedSuite, refusesBare, SUITES } from "./handle_cases.ts";
import { SQLITE_VERSION_1 } from "./schema_version_1.ts";

/** Runs one case after the other over its own storage, which each finds empty. */
export class SqlObject {
  readonly #storage: ObjectSqlStorage;

  constructor({ storage }: { storage: ObjectSqlStorage }) {
    this.#storage = storage;
  }

  async fetch(request: Request): Promise<Response> {
    const { searchParams: asked } = new URL(request.url);
    const suite = asked.get("suite") as AskedSuite;
    const run = SUITES[suite][asked.get("name")!]!;
    try {
      const database = sqlite(this.#storage);
      if (suite === "migration") this.#storage.sql.exec(SQLITE_VERSION_1);
      else await emptyDatabase(database);
      refusesBare(this.#storage, { found: "DurableObjectStorage", call: "sqlite" });
      await run({ database, steps: authSchema.steps });
      return new Response("passed");
    } catch (error) {
      return new Response((error as Error).stack, { status: 500 });
    }
  }
}

/** Namespace of the objects. */
export interface SqlObjects {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}
