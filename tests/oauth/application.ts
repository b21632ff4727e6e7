import {
  accountEndpoints,
  type Auth,
  type AuthOptions,
  createAuth,
  defaultTheme,
  sealedTokens,
} from "@framework/auth";
import { authSchema } from "@framework/auth/storage";
import { sqlite as sqliteDatabase } from "@framework/auth/sqlite";
import { DatabaseSync } from "node:sqlite";
import { slowDatabase, slowOptions, watchAnswers } from "../../auth/tests/trips.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

/** The origin of the application under test. */
export const ORIGIN = "http://localhost:8787";

/** One line of the log. */
export interface LogLine {
  level: string;
  event: string;
  fields: Record<string, unknown>;
}

/** An application under test, over a database of its own. */
export interface OAuthApplication {
  auth: Auth<unknown>;
  sqlite: DatabaseSync;
  log: LogLine[];
  /** Its clock; `shift` moves it against that of the provider, in milliseconds. */
  clock: { shift: number };
  /** A new browser. */
  visitor(): Visitor;
  /** Numbers of rows in the tables. */
  count(table: "users" | "accounts" | "sessions" | "verifications"): number;
  close(): void;
}

/**
 * Makes an application.
 *
 * @param shared The application of which this is another isolate.
 */
export function createOAuthApplication(
  options: Partial<AuthOptions>,
  shared?: Pick<OAuthApplication, "sqlite" | "clock">,
): OAuthApplication {
  const sqlite = shared?.sqlite ?? new DatabaseSync(":memory:");
  if (shared === undefined) sqlite.exec(authSchema.up);
  const log: LogLine[] = [];
  const clock = shared?.clock ?? { shift: 0 };
  function report(level: string) {
    return (event: string, fields: Record<string, unknown>): void => {
      log.push({ level, event, fields });
    };
  }
  const auth = watchAnswers(createAuth<unknown>({
    database: slowDatabase(sqliteDatabase(sqlite)),
    baseUrl: ORIGIN,
    secret: "a secret of at least thirty-two bytes",
    now: () => Date.now() + clock.shift,
    logger: { info: report("info"), warn: report("warn"), error: report("error") },
    pages: { theme: defaultTheme },
    providerTokens: sealedTokens,
    ...slowOptions(options),
    providers: [...options.providers ?? [], accountEndpoints()],
  }));
  return {
    auth,
    sqlite,
    log,
    clock,
    visitor: () => createVisitor(auth, ORIGIN),
    count: (table) => Number(sqlite.prepare(`SELECT count(*) AS n FROM ${table}`).get()!.n),
    close: () => sqlite.close(),
  };
}
