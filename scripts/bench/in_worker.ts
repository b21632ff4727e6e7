import {
  createAuth,
  createMemoryStorage,
  getUser,
  jwtSessions,
  type SqlDatabase,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { libraryCheck, libraryRequest, SECRET, signedIn, visitorCheck } from "./applications.ts";
import { d1ByHand, jwtByHand } from "./by_hand.ts";
import { runRounds } from "./rounds.ts";

/** Counts the statements that run, without a part in what is measured. */
function counted(database: SqlDatabase, count: { queries: number }): SqlDatabase {
  function wrap(statement: ReturnType<SqlDatabase["prepare"]>): typeof statement {
    return {
      bind: (...values) => wrap(statement.bind(...values)),
      first: <T>() => (count.queries++, statement.first<T>()),
      all: <T>() => (count.queries++, statement.all<T>()),
      run: () => (count.queries++, statement.run()),
    };
  }
  return {
    prepare: (sql) => wrap(database.prepare(sql)),
    batch: (statements) => (count.queries += statements.length, database.batch(statements)),
  };
}

async function measureD1(database: SqlDatabase) {
  const statements = authSchema.up.split(/;\n/).map((sql) => sql.trim()).filter((sql) =>
    sql !== ""
  );
  await database.batch(statements.map((sql) => database.prepare(sql)));
  const { auth, cookie, request } = await signedIn({ database });
  const timings = await runRounds(
    [d1ByHand(database, cookie), libraryCheck(auth, request), libraryRequest(auth, request)],
    // Many short ones: what else the machine does lasts longer than a round, and meets both.
    { rounds: 150, jobs: 50 },
  );
  return { timings, queries: await countQueries(database, request) };
}

async function countQueries(database: SqlDatabase, request: Request): Promise<number> {
  const count = { queries: 0 };
  const auth = createAuth({ database: counted(database, count), baseUrl: "https://app.example" });
  const check = () => auth.run(request, {}, undefined, () => Response.json(getUser()));
  // The first request of a worker also looks at the version of the tables, in the background.
  await check();
  await new Promise((resolve) => setTimeout(resolve, 100));
  count.queries = 0;
  await check();
  return count.queries;
}

async function measureJwt() {
  const { auth, request } = await signedIn({
    database: createMemoryStorage(),
    secret: SECRET,
    session: { strategy: jwtSessions },
  });
  return await runRounds(
    [
      ...await jwtByHand(),
      libraryCheck(auth, request),
      libraryRequest(auth, request),
      visitorCheck(auth),
    ],
    // The clock of a worker tells whole milliseconds.
    { rounds: 60, jobs: 4000 },
  );
}

/** Measures and answers with the timings. */
const worker: { fetch(request: Request, env: { DB: SqlDatabase }): Promise<Response> } = {
  async fetch(_request, env) {
    const { timings, queries } = await measureD1(env.DB);
    return Response.json({ d1: timings, queries, jwt: await measureJwt() });
  },
};

export default worker;
