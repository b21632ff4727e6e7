import type { Platform } from "@framework/cli/project";
import type { D1Database, D1Session } from "../platform/d1.ts";
import type { ObjectNamespace } from "../platform/durable_object_namespace.ts";
import type { Exchange, Faulty } from "./faults.ts";

/** Does an exchange, or has it fail. */
export type ExchangeHandler = <Double, T>(
  exchange: Exchange<Double, T>,
  double: Double,
) => Promise<T>;

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;

/** Names of the bindings that store, by kind. */
function bindingsOf(platform: Platform) {
  return {
    databases: platform.d1Databases.map(({ binding }) => binding),
    namespaces: platform.kvNamespaces.map(({ binding }) => binding),
    buckets: platform.r2Buckets.map(({ binding }) => binding),
    queues: platform.queues.producers.map(({ binding }) => binding),
    objects: platform.durableObjects.map(({ name }) => name),
  };
}

/**
 * Replaces the bindings that store by ones whose exchanges go through a handler, where there is one at that moment.
 *
 * @param env Bindings of a context, which are replaced in place: durable objects were given the same object.
 * @param given Names of bindings that the test passed, which stay as they are.
 * @param current Returns the handler of the running code; undefined for that of the test itself.
 * @returns What was replaced.
 */
export function replaceBindings(
  env: Record<string, unknown>,
  { platform, given, current }: {
    platform: Platform;
    given: object;
    current(): ExchangeHandler | undefined;
  },
): Faulty[] {
  const replaced: Faulty[] = [];
  function replace<Double>(
    names: readonly string[],
    wrap: (double: Double, pass: Pass<Double>) => unknown,
    error: (operation: string) => Error,
    mayBeStale = false,
  ): void {
    for (const binding of names) {
      if (Object.hasOwn(given, binding) || env[binding] === undefined) continue;
      replaced.push({ name: binding, mayBeStale });
      const double = env[binding] as Double;
      env[binding] = wrap(double, ({ operation, detail = () => "", ...exchange }) => {
        const handler = current();
        if (handler === undefined) return exchange.run(double);
        const full = { binding, operation, detail, isCall: false, mayBeStale: false, ...exchange };
        return handler({ ...full, error: () => error(operation) }, double);
      });
    }
  }
  const names = bindingsOf(platform);
  replace(
    names.databases,
    passDatabase,
    () => new Error("D1_ERROR: Network connection lost."),
    true,
  );
  replace<Methods>(
    names.namespaces,
    (double, pass) => passMethods(double, pass, ["get", "getWithMetadata", "list"]),
    (operation) => new Error(`KV ${kvVerb(operation)} failed: 503 Service Unavailable`),
    true,
  );
  replace<Methods>(
    names.buckets,
    passMethods,
    (operation) =>
      new Error(`${operation}: We encountered an internal error. Please try again. (10001)`),
  );
  replace<Methods>(
    names.queues,
    // Of the test alone: the platform's queues have no such method.
    ({ take, ...double }, pass) => ({ ...passMethods(double, pass), take }),
    (operation) => new Error(`Queue ${operation} failed: Service Unavailable`),
  );
  replace(
    names.objects,
    passNamespace,
    () => Object.assign(new Error("Network connection lost."), { retryable: true, remote: false }),
  );
  return replaced;
}

function kvVerb(operation: string): string {
  return operation === "getWithMetadata" ? "GET" : operation.toUpperCase();
}

/** Passes an exchange with a double on. */
export type Pass<Double> = <T>(
  exchange:
    & Pick<Exchange<Double, T>, "operation" | "run">
    & Partial<Pick<Exchange<Double, T>, "detail" | "isCall" | "mayBeStale">>,
) => Promise<T>;

/** Methods that ask nobody. */
const SYNCHRONOUS = ["resumeMultipartUpload"];

function passMethods(double: Methods, pass: Pass<Methods>, stale: readonly string[] = []): Methods {
  return Object.fromEntries(
    Object.entries(double).map(([operation, method]) => [
      operation,
      SYNCHRONOUS.includes(operation) ? method : (...args: never[]) =>
        pass({
          operation,
          detail: () => String(args[0] ?? ""),
          mayBeStale: stale.includes(operation),
          run: (target) => target[operation]!(...args),
        }),
    ]),
  );
}

type Statement = ReturnType<D1Database["prepare"]>;

/** Statement, with what makes it again in another database. */
interface Query {
  sql: string;
  values: readonly unknown[];
  own: Statement;
  remake(database: D1Database): Statement;
}

function describe({ sql, values }: Query): string {
  return values.length === 0 ? sql : `${sql}\n-- ${values.map((value) => text(value)).join(", ")}`;
}

function text(value: unknown): string {
  return typeof value === "object" && value !== null ? "(bytes)" : JSON.stringify(value) ?? "null";
}

const WRITES = /\b(?:insert|update|delete|replace|create|drop|alter)\b/i;

/**
 * Wraps a database in the shape of D1.
 *
 * @param isStale Returns true when reads outside of a session may be answered with older data. Default: never, as D1.
 */
export function passDatabase(
  database: D1Database,
  pass: Pass<D1Database>,
  isStale: () => boolean = () => false,
): D1Database {
  // Statements that this database returned.
  const queries = new WeakMap<Statement, Query>();

  function session(
    isReplica: () => boolean,
    wrote: () => void,
  ): Pick<D1Session, "prepare" | "batch"> {
    function passQuery<T>(
      operation: string,
      list: Query[],
      run: (statements: Statement[], database: D1Database) => Promise<T>,
    ): Promise<T> {
      const isRead = list.every(({ sql }) => !WRITES.test(sql));
      if (!isRead) wrote();
      return pass({
        operation,
        detail: () => list.map(describe).join("\n"),
        mayBeStale: isRead && isReplica(),
        run: (target) =>
          run(list.map(({ own, remake }) => target === database ? own : remake(target)), target),
      });
    }

    function statement(query: Query): Statement {
      const { sql, own, remake } = query;
      const result: Statement = {
        bind: (...values) =>
          statement({
            sql,
            values,
            own: own.bind(...values),
            remake: (target) => remake(target).bind(...values),
          }),
        first: (column?: string) =>
          passQuery(
            "first",
            [query],
            ([query]) => column === undefined ? query!.first() : query!.first(column),
          ) as never,
        all: () => passQuery("all", [query], ([query]) => query!.all()) as never,
        run: () => passQuery("run", [query], ([query]) => query!.run()) as never,
        raw: (options) => passQuery("raw", [query], ([query]) => query!.raw(options)) as never,
      };
      queries.set(result, query);
      return result;
    }

    return {
      prepare: (sql) =>
        statement({
          sql: String(sql),
          values: [],
          own: database.prepare(sql),
          remake: (target) => target.prepare(sql),
        }),
      batch: (statements, ...options: unknown[]) => {
        const list = statements.map((given) =>
          // A statement of another database is refused by the double itself.
          queries.get(given) ?? { sql: "", values: [], own: given, remake: () => given }
        );
        return passQuery(
          "batch",
          list,
          // Databases other than D1 take options.
          (queries, target) => Reflect.apply(target.batch, target, [queries, ...options]),
        ) as never;
      },
    };
  }

  return {
    ...session(isStale, () => {}),
    exec: (sql) =>
      pass({ operation: "exec", detail: () => sql, run: (target) => target.exec(sql) }),
    withSession(constraint) {
      let isReplica = constraint === "first-unconstrained";
      return {
        ...database.withSession(constraint),
        ...session(() => isReplica, () => isReplica = false),
      };
    },
  };
}

function passNamespace(namespace: ObjectNamespace, pass: Pass<ObjectNamespace>): ObjectNamespace {
  const passStub = (stub: object): object =>
    new Proxy(stub, {
      get(target, property) {
        const member = Reflect.get(target, property);
        if (typeof property === "symbol" || typeof member !== "function" || property === "dup") {
          return member;
        }
        return new Proxy(member, {
          apply: (method, _stub, args) =>
            pass({
              operation: property,
              isCall: true,
              run: () => Reflect.apply(method, target, args) as Promise<unknown>,
            }),
        });
      },
    });
  return {
    ...namespace,
    get: (id) => passStub(namespace.get(id)),
    getByName: (name) => passStub(namespace.getByName(name)),
  };
}
