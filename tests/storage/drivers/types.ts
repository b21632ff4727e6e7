// Only checked: every handle of the drivers' own types fits without a cast.
import type { DurableObjectStorage } from "@cloudflare/workers-types";
import { PGlite } from "@electric-sql/pglite";
import { createClient } from "@libsql/client";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import * as neon from "@neondatabase/serverless";
import Better from "better-sqlite3";
import type { Database as BunDatabase } from "bun:sqlite";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import connect from "postgres";

declare const storage: DurableObjectStorage;
declare const bun: BunDatabase;

sqlite(new DatabaseSync(":memory:"));
sqlite(new Better(":memory:"), { wal: false });
sqlite(createClient({ url: "file:app.db" }));
sqlite(storage);
sqlite(bun);
postgres(new pg.Pool());
postgres(new pg.Client());
postgres(connect(), { statementTimeout: 0 });
postgres(new PGlite());
postgres(new neon.Pool());
postgres(new neon.Client());
