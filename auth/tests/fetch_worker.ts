import { createAuth } from "../app/create_auth.ts";
import type { SqlDatabase } from "../storage/sql_database.ts";

const auth = createAuth((env: { DB: SqlDatabase }) => ({ database: env.DB }));

/** A worker whose handler is the library's own, which is given the worker's context as it is. */
const worker: { fetch: typeof auth.fetch } = { fetch: auth.fetch };

export default worker;
