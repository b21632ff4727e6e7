import { createMemoryStorage, type SqlDatabase } from "@framework/auth";
import { emptyDatabase } from "../../support/empty_d1.ts";
import { answer, type Command } from "../suite.ts";

interface Env {
  DB: SqlDatabase;
}

/** Takes a command as the body of a request. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch(request, env) {
    return Response.json(
      await answer(await request.json() as Command, {
        memory: () => Promise.resolve(createMemoryStorage()),
        async d1() {
          await emptyDatabase(env.DB);
          return env.DB;
        },
      }),
    );
  },
};

export default worker;
