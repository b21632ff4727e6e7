/**
 * Messages that are stored in the transaction of the change that they tell of, whatever operation makes the change: what
 * the request writes meanwhile is written together with them, and the database itself says whether the change is made.
 *
 * @module
 */

import { findRunningRequest } from "../lib/runtime.ts";
import type { Proof } from "./outbox_proofs.ts";
import type { SqlDatabase, SqlResult, SqlStatement, SqlValue } from "./sql_database.ts";
import { changesOf } from "./sql_executor.ts";

/** A message that a change is to store with itself. */
export interface ExpectedMessage {
  /** Ends the wait for the change. True when the message was stored with it. */
  end(): boolean;
  /** Drops a message that was stored with a change which has been taken back since, unless somebody has begun to deliver it. */
  recheck(): Promise<void>;
}

/** The part of a database that runs statements. */
export type Writer = Pick<SqlDatabase, "prepare" | "batch">;

/** The statements of messages. */
export interface MessageTexts {
  /** Stores a message, of whose columns there are eight, under a condition. */
  putWhere(condition: string): string;
  /** Makes a message due under a condition: its id, the time. */
  confirm(condition: string): string;
  /** Removes a message that was not made due: its id. */
  readonly refute: string;
}

/** A message that waits for its change. */
interface Waiting {
  /** Values of its columns. */
  values: SqlValue[];
  /** Condition that the change is made. */
  proof: Proof;
  /** Drops the message unless the change is still made. */
  recheck(): Promise<void>;
}

/** Column of the next try. */
const DUE = 6;

interface InRequest extends Waiting {
  stored: boolean;
}

const waitingIn = new WeakMap<object, Set<InRequest>>();

/** Has a message wait for its change in what a request writes. */
export function waitIn(request: object, waiting: Waiting): ExpectedMessage {
  const all = waitingIn.get(request) ?? new Set();
  waitingIn.set(request, all);
  const one: InRequest = { ...waiting, stored: false };
  all.add(one);
  return {
    end() {
      all.delete(one);
      return one.stored;
    },
    recheck: () => one.stored ? one.recheck() : Promise.resolve(),
  };
}

/** Statements of the database underneath, by those that go with messages where one waits. */
const underneath = new WeakMap<SqlStatement, SqlStatement>();

/**
 * The database, whose writes store the messages that wait in the same request. A message about a row that goes is stored
 * before and made due after: in between nobody delivers it.
 */
export function createTogether(database: Writer, texts: MessageTexts): Writer {
  function before({ values, proof }: InRequest): SqlStatement[] {
    if (!proof.gone) return [];
    const put = database.prepare(texts.putWhere(proof.exists(values.length)));
    return [put.bind(...values.with(DUE, null), ...proof.values)];
  }

  function after({ values, proof }: InRequest): SqlStatement[] {
    if (!proof.gone) {
      const put = database.prepare(texts.putWhere(proof.exists(values.length)));
      return [put.bind(...values, ...proof.values)];
    }
    const [id] = values as [SqlValue];
    return [
      database.prepare(texts.confirm(`NOT ${proof.exists(2)}`))
        .bind(id, values[DUE]!, ...proof.values),
      database.prepare(texts.refute).bind(id),
    ];
  }

  async function write(statements: readonly SqlStatement[]): Promise<SqlResult[]> {
    const own = statements.map((one) => underneath.get(one) ?? one);
    const request = findRunningRequest();
    const waiting = [...request && waitingIn.get(request) || []].filter(({ stored }) => !stored);
    if (waiting.length === 0) return await database.batch(own);
    const first = waiting.flatMap(before);
    const last = waiting.map(after);
    const results = await database.batch([...first, ...own, ...last.flat()]);
    let next = first.length + own.length;
    for (const [index, one] of waiting.entries()) {
      if (changesOf(results[next]) > 0) one.stored = true;
      next += last[index]!.length;
    }
    return results.slice(first.length, first.length + own.length);
  }

  function isAwaited(): boolean {
    const request = findRunningRequest();
    return request !== undefined && (waitingIn.get(request)?.size ?? 0) > 0;
  }

  function wrap(inner: SqlStatement): SqlStatement {
    const run = async () => isAwaited() ? (await write([inner]))[0]! : await inner.run();
    const statement: SqlStatement = {
      of: inner.of,
      bind: (...values) => wrap(inner.bind(...values)),
      first: async <T>() =>
        isAwaited()
          ? ((await write([inner]))[0]!.results[0] ?? null) as T | null
          : await inner.first<T>(),
      all: async <T>() => isAwaited() ? (await write([inner]))[0] as never : await inner.all<T>(),
      run,
    };
    underneath.set(statement, inner);
    return statement;
  }

  return {
    prepare(sql) {
      const statement = database.prepare(sql);
      return /^\s*SELECT\b/i.test(sql) ? statement : wrap(statement);
    },
    batch: write,
  };
}
