import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers";
import type { AuthOptions } from "../app/options.ts";
import type { RequestInfo } from "../core/client_address.ts";
import type { Auth } from "../session/context_auth.ts";
import type { SqlDatabase, SqlResult, SqlStatement } from "../storage/sql_database.ts";
import { executorGroup } from "../storage/sql_executor.ts";

/** Calls of a storage that a request has begun and that have not come back. */
const underWay = new AsyncLocalStorage<Set<{ call: string }>>();

/** Number of calls of any storage that have not returned. */
let open = 0;

const READS = /^(?:SELECT |validFrom$|(?:find|get|is|list|read)[A-Z])/;

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Waits until everything has happened that waits for a storage alone, in the background too. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = open === 0 ? quiet + 1 : 0) await turn();
}

/**
 * Makes a call as long as one across a network is: the event loop turns before it is made, more often for
 * what writes than for what reads, so that whatever does not wait for a write is overtaken by the next read.
 *
 * @param call Which one, to be named.
 */
export async function travel<T>(call: string, work: () => T | Promise<T>): Promise<T> {
  const trip = { call };
  const trips = underWay.getStore();
  trips?.add(trip);
  open++;
  try {
    for (let turns = READS.test(call) ? 1 : 4; turns > 0; turns--) await turn();
    return await work();
  } finally {
    open--;
    trips?.delete(trip);
  }
}

/** The same port, every method of which takes as long as a call across a network. */
export function slowly<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      // It asks nobody: what it gives does.
      if (name === "group" && typeof value === "function") {
        return (wanted: unknown) => {
          const operations = value.call(target, wanted);
          // The executor is no port: most of what it does is at once.
          return operations && wanted !== executorGroup ? slowly(operations) : operations;
        };
      }
      // What prepares a statement asks nobody either.
      return typeof value === "function" && typeof name === "string" && !name.startsWith("prepare")
        ? (...given: unknown[]) => travel(name, () => value.apply(target, given))
        : value;
    },
  });
}

interface SlowStatement extends SqlStatement {
  inner: SqlStatement;
}

/**
 * A database in front of another one, every round trip of which takes as long as one across a network.
 *
 * @param departed Called when a round trip begins.
 */
export function slowDatabase(database: SqlDatabase, departed: () => void = () => {}): SqlDatabase {
  function travelTo<T>(call: string, work: () => T | Promise<T>): Promise<T> {
    departed();
    return travel(call, work);
  }

  function wrap(sql: string, inner: SqlStatement): SlowStatement {
    return {
      inner,
      bind: (...values) => wrap(sql, inner.bind(...values)),
      first: <T>() => travelTo(sql, () => inner.first<T>()),
      all: <T>() => travelTo(sql, () => inner.all<T>()),
      run: () => travelTo(sql, () => inner.run()),
    };
  }
  return {
    ...(database.dialect !== undefined && { dialect: database.dialect }),
    prepare: (sql) => wrap(sql, database.prepare(sql)),
    batch: (statements): Promise<SqlResult[]> =>
      travelTo(
        "batch",
        () => database.batch((statements as SlowStatement[]).map(({ inner }) => inner)),
      ),
  };
}

/** The options with storages of their own as slow as a database across a network is. */
export function slowOptions<Options extends Partial<AuthOptions>>(options: Options): Options {
  const { database, session, rateLimit } = options;
  const slow: Partial<AuthOptions> = { ...options };
  if (database && "readSession" in database) slow.database = slowly(database);
  if (session?.revocation) {
    slow.session = { ...session, revocation: slowly(session.revocation) };
  }
  if (rateLimit && rateLimit.storage) {
    slow.rateLimit = { ...rateLimit, storage: slowly(rateLimit.storage) };
  }
  return slow as Options;
}

/**
 * Makes an application fail that answers while a call of its storage is under way that it has not handed to
 * `waitUntil`: one that nobody waits for may fail without a word, and be overtaken by the next request.
 */
export function watchAnswers<Env>(auth: Auth<Env>): Auth<Env> {
  const { handle, run } = auth;

  async function watch(
    info: RequestInfo | undefined,
    answer: (info: RequestInfo) => Promise<Response | null>,
  ): Promise<Response | null> {
    const trips = new Set<{ call: string }>();
    let background = 0;
    const watched: RequestInfo = {
      ...info,
      waitUntil(work) {
        background++;
        const ended = () => void background--;
        work.then(ended, ended);
        info?.waitUntil?.(work);
      },
    };
    const response = await underWay.run(trips, () => answer(watched));
    // An error ends the wait for what else was under way, and what is in the background may take its time.
    if (trips.size > 0 && background === 0 && (response?.status ?? 0) < 500) {
      throw new Error(
        `Answered while these were under way: ${[...trips].map(({ call }) => call).join("; ")}`,
      );
    }
    return response;
  }

  return Object.assign(
    auth,
    {
      handle: (request, env, info) => watch(info, (watched) => handle(request, env, watched)),
      run: async (request, env, info, next) =>
        (await watch(info, (watched) => run(request, env, watched, next)))!,
    } satisfies Pick<Auth<Env>, "handle" | "run">,
  );
}
