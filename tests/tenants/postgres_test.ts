import { postgres, postgresSchema } from "@framework/auth/postgres";
import { SQL_TENANT_CASES } from "../../auth/tests/tenant_stores.ts";
import { findPostgres, postgresHint } from "../../scripts/postgres.ts";
import { EMPTY_POSTGRES } from "../support/empty_postgres.ts";
import { startPostgres } from "../support/postgres.ts";

const bin = await findPostgres();

Deno.test({
  name: `SQL tenants and members over PostgreSQL${bin === null ? `: ${postgresHint}` : ""}`,
  ignore: bin === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const server = await startPostgres(bin!);
    try {
      await server.admin.query(postgresSchema.up);
      for (const [name, run] of Object.entries(SQL_TENANT_CASES)) {
        await server.admin.query(EMPTY_POSTGRES);
        await test.step(name, () => run(postgres(server.pool)));
      }
    } finally {
      await server.stop();
    }
  },
});
