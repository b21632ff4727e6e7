import type { Client, InValue, ResultSet } from "@libsql/client";
import type { SqlDatabase, SqlResult, SqlStatement } from "@framework/auth/storage";

interface Bound extends SqlStatement {
  sql: string;
  args: InValue[];
}

export function libsqlDatabase(client: Client): SqlDatabase {
  function toResult<Row>({ rows, rowsAffected }: ResultSet): SqlResult<Row> {
    return { results: rows as Row[], meta: { changes: rowsAffected } };
  }
  function prepare(sql: string, args: InValue[] = []): Bound {
    async function run<Row>(): Promise<SqlResult<Row>> {
      return toResult<Row>(await client.execute({ sql, args }));
    }
    async function first<Row>(): Promise<Row | null> {
      return (await run<Row>()).results[0] ?? null;
    }
    return { sql, args, bind: (...values) => prepare(sql, values), first, all: run, run };
  }
  return {
    prepare: (sql) => prepare(sql),
    async batch(statements) {
      const results = await client.batch(statements as Bound[], "write");
      return results.map((result) => toResult(result));
    },
  };
}
