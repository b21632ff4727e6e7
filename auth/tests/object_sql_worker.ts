import { authSchema } from "../storage/schema.ts";
import type { ObjectSqlStorage } from "../storage/durable_object.ts";
import { sqlite } from "../storage/sqlite.ts";
import { type AskedSuite, refusesBare, SUITES } from "./handle_cases.ts";
import { SQLITE_VERSION_1 } from "./schema_version_1.ts";

/** Runs one case over its own storage, which nobody has used before. */
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
      this.#storage.sql.exec(suite === "migration" ? SQLITE_VERSION_1 : authSchema.up);
      refusesBare(this.#storage, { found: "DurableObjectStorage", call: "sqlite" });
      await run({ database: sqlite(this.#storage), steps: authSchema.steps });
      return new Response("passed");
    } catch (error) {
      return new Response((error as Error).stack, { status: 500 });
    }
  }
}

interface Objects {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

const worker: { fetch(request: Request, env: { OBJECTS: Objects }): Promise<Response> } = {
  fetch(request, { OBJECTS }) {
    return OBJECTS.get(OBJECTS.idFromName(request.url)).fetch(request);
  },
};

export default worker;
