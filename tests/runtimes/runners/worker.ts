import { createMemoryStorage, type SqlDatabase } from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { answer, type Command } from "../suite.ts";

interface Env {
  DB: SqlDatabase;
}

async function emptyDatabase(database: SqlDatabase): Promise<SqlDatabase> {
  const down = authSchema.down.replaceAll("DROP TABLE ", "DROP TABLE IF EXISTS ");
  const statements = `${down};\n${authSchema.up}`.split(/;\n/)
    .map((sql) => sql.trim()).filter((sql) => sql !== "");
  await database.batch(statements.map((sql) => database.prepare(sql)));
  return database;
}

/** Takes a command as the body of a request. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return Response.json(
      await answer(await request.json() as Command, {
        memory: () => Promise.resolve(createMemoryStorage()),
        d1: () => emptyDatabase(env.DB),
      }),
    );
  },
};

export default worker;
