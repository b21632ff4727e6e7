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
    const run = async <Row>() => toResult<Row>(await client.execute({ sql, args }));
    return {
      sql,
      args,
      bind: (...values) => prepare(sql, values),
      first: async <Row>() => (await run<Row>()).results[0] ?? null,
      all: run,
      run,
    };
  }
  return {
    prepare: (sql) => prepare(sql),
    async batch(statements) {
      const results = await client.batch(statements as Bound[], "write");
      return results.map((result) => toResult(result));
    },
  };
}
