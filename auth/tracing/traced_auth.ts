/**
 * The library with spans: around its endpoints, its statements, its requests to providers and its mails. It is put
 * around the options and around what `createAuth()` makes, so that an application without it has no byte of it.
 *
 * @module
 */

import { createAuth } from "../app/create_auth.ts";
import { createEndpointTable } from "../app/endpoints.ts";
import type { AuthOptions } from "../app/options.ts";
import type { Settings } from "../core/contracts.ts";
import { type EndpointTable, findMethods } from "../core/dispatch.ts";
import { pathBelow } from "../core/redirect.ts";
import type { Auth } from "../session/context_auth.ts";
import { settingsOf } from "../session/settings_of.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "../storage/sql_database.ts";
import type { Storage } from "../storage/storage.ts";
import type { DeliverMail } from "../types/application.ts";
import { createTracer, trace, type Tracer } from "./tracer.ts";

/**
 * Sets the library up as `createAuth()` does, with spans around what it does. None holds a value that somebody sent, an
 * address or a token: of a statement there is the text with its placeholders, of an endpoint its route.
 *
 * | span           | around                         | attributes                                                               |
 * | -------------- | ------------------------------ | ------------------------------------------------------------------------ |
 * | `auth.request` | a request for an endpoint      | `http.request.method`, `http.route`, `http.response.status_code`         |
 * | `auth.sql`     | a statement, or a batch of them | `db.query.summary`, `db.query.text`, `db.operation.batch.size`           |
 * | `auth.fetch`   | a request to a provider        | `http.request.method`, `server.address`, `http.response.status_code`     |
 * | `auth.mail`    | a mail that is handed over     | `auth.mail.kind`                                                         |
 *
 * One that has failed has `error.type`: the error's code, or its class.
 *
 * @param source The options, or a function that makes them from the environment.
 * @param tracer Makes the spans: `createTracer()`, or on workers `tracing` of `cloudflare:workers`. Default: the
 * tracing channel "framework".
 * @throws {ConfigurationError} As `createAuth()`.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth";
 * import { createTracedAuth, type SpanMessage } from "@framework/auth/tracing";
 * import { deepEqual } from "node:assert/strict";
 * import { tracingChannel } from "node:diagnostics_channel";
 *
 * const auth = createTracedAuth({ database: createMemoryStorage() });
 * const routes: unknown[] = [];
 * tracingChannel("framework").asyncEnd.subscribe((message) => {
 *   routes.push((message as SpanMessage).attributes["http.route"]);
 * });
 * await auth.fetch(new Request("http://localhost/auth/session"));
 * deepEqual(routes, ["/auth/session"]);
 * ```
 */
export function createTracedAuth<Env = unknown>(
  source: AuthOptions | ((env: Env) => AuthOptions),
  tracer: Tracer = createTracer(),
): Auth<Env> {
  const traced = typeof source === "function"
    ? (env: Env) => traceOptions(source(env), tracer)
    : traceOptions(source, tracer);
  return traceAuth(createAuth<Env>(traced), tracer);
}

function traceOptions(options: AuthOptions, tracer: Tracer): AuthOptions {
  if (typeof options !== "object" || options === null) return options;
  const { database, deliver, fetch } = options;
  return {
    ...options,
    ...database && { database: traceDatabase(database, tracer) },
    fetch: traceFetch(fetch ?? ((input, init) => globalThis.fetch(input, init)), tracer),
    deliver: traceMails(deliver ?? ((_mail, send) => send()), tracer),
  };
}

/**
 * Adds the span `auth.request` to the endpoints of an `Auth` that was made elsewhere, as {@linkcode createTracedAuth}
 * does.
 *
 * @param auth What `createAuth()` or `composeAuth()` made.
 * @param tracer Makes the spans.
 * @returns Another `Auth`, for the adapters too.
 *
 * @example
 * ```ts
 * import { createAuth, createMemoryStorage } from "@framework/auth";
 * import { createTracer, traceAuth } from "@framework/auth/tracing";
 * import { equal } from "node:assert/strict";
 *
 * const auth = traceAuth(createAuth({ database: createMemoryStorage() }), createTracer());
 * equal((await auth.fetch(new Request("http://localhost/auth/session"))).status, 200);
 * ```
 */
export function traceAuth<Env>(auth: Auth<Env>, tracer: Tracer): Auth<Env> {
  const tables = new WeakMap<Settings, EndpointTable>();
  function routeOf(request: Request, env: Env): string | null {
    const settings = settingsOf(auth, env);
    const { pathname } = new URL(request.url);
    const path = pathBelow(pathname, settings.basePath);
    if (path === null) return null;
    let table = tables.get(settings);
    if (table === undefined) tables.set(settings, table = createEndpointTable(settings));
    const methods = findMethods(table, path);
    const [pattern = "/*"] = [...table].find(([, found]) => found === methods) ?? [];
    return settings.basePath + pattern;
  }

  function around<Answer extends Response | null>(
    request: Request,
    env: Env,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    let route: string | null;
    try {
      route = routeOf(request, env);
    } catch {
      // What is wrong with the options or the address is for the answer to say.
      route = null;
    }
    if (route === null) return answer();
    const attributes = { "http.request.method": request.method, "http.route": route };
    return trace(tracer, "auth.request", attributes, async (span) => {
      const response = await answer();
      if (response) span.setAttribute("http.response.status_code", response.status);
      return response;
    });
  }

  return {
    // The settings, for the adapters, are under a key of their own.
    ...auth,
    handle: (request, env, info) => around(request, env, () => auth.handle(request, env, info)),
    fetch: (request, env, info) => around(request, env!, () => auth.fetch(request, env, info)),
  };
}

/** Adds the span `auth.fetch` to requests to providers. */
export function traceFetch(
  fetch: typeof globalThis.fetch,
  tracer: Tracer,
): typeof globalThis.fetch {
  return (input, init) => {
    // Read, not made: a request that is made here would take the body from the one that is sent.
    const { method = "GET", url = String(input) } = input instanceof Request ? input : {};
    const attributes = {
      "http.request.method": init?.method ?? method,
      "server.address": new URL(url).hostname,
    };
    return trace(tracer, "auth.fetch", attributes, async (span) => {
      const response = await fetch(input, init);
      span.setAttribute("http.response.status_code", response.status);
      return response;
    });
  };
}

/**
 * Adds the span `auth.mail` to every mail, for the option `deliver`.
 *
 * @param deliver Delivers the mails.
 * @param tracer Makes the spans.
 *
 * @example
 * ```ts
 * import { createTracer, traceMails } from "@framework/auth/tracing";
 * import { deepEqual } from "node:assert/strict";
 *
 * const sent: string[] = [];
 * const deliver = traceMails((mail) => {
 *   sent.push(mail.identifier);
 *   return Promise.resolve();
 * }, createTracer());
 * const text = { subject: "Sign in", html: "", text: "" };
 * const link = { url: "", token: "", expires: new Date(), ends: false };
 * await deliver(
 *   { identifier: "ada@example.com", from: "", ...link, ...text },
 *   () => Promise.resolve(),
 * );
 * deepEqual(sent, ["ada@example.com"]);
 * ```
 */
export function traceMails(deliver: DeliverMail, tracer: Tracer): DeliverMail {
  return (mail, send) =>
    trace(
      tracer,
      "auth.mail",
      { "auth.mail.kind": mail.kind ?? "sign-in" },
      () => deliver(mail, send),
    );
}

/**
 * Adds the span `auth.sql` to every statement of a SQL database.
 *
 * @param database The database: a D1 binding, or what `sqlite()`, `postgres()` and the like return.
 * @param tracer Makes the spans.
 * @returns Another database, for the option `database`. A storage that is none comes back as it is.
 *
 * @example
 * ```ts
 * import { createMemoryStorage } from "@framework/auth";
 * import { createTracer, traceDatabase } from "@framework/auth/tracing";
 * import { equal } from "node:assert/strict";
 *
 * const storage = createMemoryStorage(); // no SQL database
 * equal(traceDatabase(storage, createTracer()), storage);
 * ```
 */
export function traceDatabase<T extends SqlDatabase | Storage>(database: T, tracer: Tracer): T {
  if (!("prepare" in database && "batch" in database)) return database;
  const { direct, dialect, readNow, migrate } = database;
  const traced: SqlDatabase = {
    ...direct && { direct: traceDatabase(direct, tracer) },
    ...dialect && { dialect },
    prepare: (sql) => new TracedStatement(tracer, sql, database.prepare(sql)),
    ...readNow && {
      readNow: <Row>(sql: string, ...values: SqlValue[]) =>
        traceSql(tracer, sql, () => database.readNow!<Row>(sql, ...values)),
    },
    batch: (statements, options) =>
      trace(
        tracer,
        "auth.sql",
        { "db.query.summary": "BATCH", "db.operation.batch.size": statements.length },
        () => database.batch(statements.map(plain), options),
      ),
    ...migrate && { migrate: () => database.migrate!() },
  };
  return traced as T;
}

function plain(statement: SqlStatement): SqlStatement {
  return statement instanceof TracedStatement ? statement.statement : statement;
}

class TracedStatement implements SqlStatement {
  readonly of: unknown;

  constructor(
    private readonly tracer: Tracer,
    private readonly sql: string,
    readonly statement: SqlStatement,
  ) {
    this.of = statement.of;
  }

  bind(...values: SqlValue[]): SqlStatement {
    return new TracedStatement(this.tracer, this.sql, this.statement.bind(...values));
  }

  first<Row>(): Promise<Row | null> {
    return traceSql(this.tracer, this.sql, () => this.statement.first<Row>());
  }

  all<Row>(): Promise<SqlResult<Row>> {
    return traceSql(this.tracer, this.sql, () => this.statement.all<Row>());
  }

  run(): Promise<SqlResult> {
    return traceSql(this.tracer, this.sql, () => this.statement.run());
  }
}

const TABLE = /\b(?:from|into|update|table)\s+"?(\w+)/i;

function traceSql<T>(tracer: Tracer, sql: string, work: () => T): T {
  const [verb = ""] = /\w+/.exec(sql) ?? [];
  const [, table] = TABLE.exec(sql) ?? [];
  const summary = table === undefined ? verb : `${verb} ${table}`;
  return trace(
    tracer,
    "auth.sql",
    { "db.query.summary": summary, "db.query.text": sql },
    work,
  );
}
