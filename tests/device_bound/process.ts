// Serves the worker of isolate.ts over PostgreSQL, each strategy by a port: `deno run -A process.ts CONNECTION STRATEGY…`.
import { postgres } from "@framework/auth/postgres";
import { Pool } from "pg";
import worker from "./isolate.ts";
import { ORIGIN } from "./agreement.ts";

const [connectionString, ...strategies] = Deno.args as [string, ...string[]];
const DB = postgres(new Pool({ connectionString }));

for (const STRATEGY of strategies) {
  const env = { DB, AUTH_SECRET: "s".repeat(32), STRATEGY };
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    // deno-lint-ignore no-console -- where it listens
    onListen: ({ port }) => console.log(`${STRATEGY} listens on ${port}`),
  }, (request) => {
    const { pathname, search } = new URL(request.url);
    return worker.fetch(new Request(ORIGIN + pathname + search, request), env);
  });
}
