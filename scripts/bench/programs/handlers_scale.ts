import {
  endSession,
  getUser,
  issueOneTimeToken,
  issueSession,
  redeemOneTimeToken,
} from "@framework/auth";
import { postgres } from "@framework/auth/postgres";
import { sqlite } from "@framework/auth/sqlite";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { SqlDatabase } from "@framework/auth/storage";
import type { Handlers } from "../serve_handler.ts";
import type { Handler } from "./handlers.ts";
import { scaleAuth } from "./scale.ts";

const PURPOSE = "bench";

/** The user who signs in beside the load. */
export const USER = "u1";

/**
 * A server with a page for whoever is signed in; `/begin` signs somebody in and issues a single-use token, `/end` ends the
 * session, `/redeem` uses the token.
 */
function serve(database: SqlDatabase): Handler {
  const auth = scaleAuth(database);
  const paths: Record<string, (url: URL) => Response | Promise<Response>> = {
    "/check": () => new Response(getUser()?.id, { status: getUser() === null ? 401 : 200 }),
    async "/begin"() {
      const token = await issueOneTimeToken(PURPOSE, USER);
      const { cookies } = await issueSession(auth, USER, {});
      return Response.json({ token, cookie: cookies[0]!.split(";")[0]! });
    },
    async "/end"() {
      await endSession();
      return new Response();
    },
    async "/redeem"({ searchParams }) {
      const redeemed = await redeemOneTimeToken(PURPOSE, searchParams.get("token")!);
      return new Response(null, { status: redeemed?.userId === USER ? 200 : 409 });
    },
  };
  return {
    cookie: "",
    fetch(request) {
      const url = new URL(request.url);
      return auth.run(request, {}, undefined, () => paths[url.pathname]!(url));
    },
  };
}

/** By the kind of the database, whose place is in `BENCH_DATABASE`. */
export const handlers: Handlers = {
  SQLite: () => Promise.resolve(serve(sqlite(new DatabaseSync(process.env.BENCH_DATABASE!)))),
  PostgreSQL() {
    const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE!, max: 8 });
    return Promise.resolve(serve(postgres(pool)));
  },
};
