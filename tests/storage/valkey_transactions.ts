// Rows in Valkey or Redis that change together: what they were read as is compared where they are written.
import { StorageUnavailableError } from "@framework/auth/storage";

/** The part of a client of Valkey that is needed here: that of `iovalkey` and `ioredis`. */
export interface ValkeyClient {
  mget(keys: string[]): Promise<(string | null)[]>;
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>;
  zrangebyscore(
    key: string,
    from: string,
    to: number,
    limit: "LIMIT",
    offset: number,
    count: number,
  ): Promise<string[]>;
}

/** Makes one exchange with the server. */
export type Trip = <T>(work: () => T | Promise<T>) => Promise<T>;

/** A write: the row, null to remove it, and the moment from which a sweep may do so. */
interface Write {
  row: unknown;
  endsAt: number | undefined;
}

// All keys are in one slot of a cluster, since one script names several of them.
const PREFIX = "{auth}:";
const ENDS = `${PREFIX}ends`;

/**
 * Writes rows if all that was read is as it was. Of each key: what was read ("" for nothing), whether it is written,
 * the new text ("" removes it), and its end ("" for none).
 */
const COMMIT = `
for i = 2, #KEYS do
  if (redis.call("GET", KEYS[i]) or "") ~= ARGV[(i - 2) * 4 + 1] then return 0 end
end
for i = 2, #KEYS do
  local isWritten, text, ends = ARGV[(i - 2) * 4 + 2], ARGV[(i - 2) * 4 + 3], ARGV[(i - 2) * 4 + 4]
  if isWritten == "1" then
    if text == "" then redis.call("DEL", KEYS[i]) else redis.call("SET", KEYS[i], text) end
    if ends == "" then redis.call("ZREM", KEYS[1], KEYS[i]) else redis.call("ZADD", KEYS[1], ends, KEYS[i]) end
  end
end
return 1`;

/** Names the row of a table with these values as its key. */
export function keyOf(table: string, ...values: (string | null)[]): string {
  return `${PREFIX}${table}:${JSON.stringify(values)}`;
}

/** One try of an operation: it sees its own writes, and nobody else does before the commit. */
export class Transaction {
  readonly #read = new Map<string, string>();
  readonly #written = new Map<string, Write>();
  readonly #client: ValkeyClient;
  readonly #trip: Trip;

  constructor(client: ValkeyClient, trip: Trip) {
    this.#client = client;
    this.#trip = trip;
  }

  async get<Row>(key: string): Promise<Row | null> {
    if (this.#written.has(key)) return this.#written.get(key)!.row as Row | null;
    let text = this.#read.get(key);
    if (text === undefined) {
      [text] = (await this.#trip(() => this.#client.mget([key]))).map((one) => one ?? "");
      this.#read.set(key, text!);
    }
    return text === "" ? null : JSON.parse(text!) as Row;
  }

  /**
   * Writes a row that was read, or removes it.
   *
   * @param row The row; null removes it.
   * @param endsAt When a sweep may remove it, in milliseconds since 1970. Default: never.
   */
  async set(key: string, row: unknown, endsAt?: number): Promise<void> {
    await this.get(key);
    this.#written.set(key, { row, endsAt });
  }

  /** Names of what belongs to something, such as the sessions of a user. */
  async list(key: string): Promise<string[]> {
    return await this.get<string[]>(key) ?? [];
  }

  async add(key: string, name: string): Promise<void> {
    const names = await this.list(key);
    if (!names.includes(name)) await this.set(key, [...names, name]);
  }

  async remove(key: string, name: string): Promise<void> {
    const names = await this.list(key);
    const others = names.filter((one) => one !== name);
    if (others.length < names.length) await this.set(key, others.length === 0 ? null : others);
  }

  /** Tells if all that was read is as it was. */
  async isCurrent(): Promise<boolean> {
    this.#written.clear();
    return await this.commit();
  }

  /** Writes what was set; false, and nothing written, when something that was read has changed since. */
  async commit(): Promise<boolean> {
    const keys = [...this.#read.keys()];
    // One row is read as it was at one moment.
    if (this.#written.size === 0 && keys.length < 2) return true;
    const values: (string | number)[] = [];
    for (const key of keys) {
      const write = this.#written.get(key);
      const isRemoved = (write?.row ?? null) === null;
      values.push(
        this.#read.get(key)!,
        write === undefined ? 0 : 1,
        isRemoved ? "" : JSON.stringify(write!.row),
        isRemoved ? "" : write!.endsAt ?? "",
      );
    }
    const work = () => this.#client.eval(COMMIT, keys.length + 1, ENDS, ...keys, ...values);
    return await this.#trip(work) === 1;
  }
}

/** Runs operations, each as a whole or not at all. */
export interface Transactions {
  /** Runs an operation, again where another was faster. It must do nothing but read and write by what it is given. */
  run<T>(work: (within: Transaction) => Promise<T>): Promise<T>;
  /** Keys of the rows that ended first, up to a moment. */
  ended(now: number, limit: number): Promise<string[]>;
}

/** Makes {@linkcode Transactions} over a client, which stays the application's to end. */
export function createTransactions(client: ValkeyClient, trip: Trip): Transactions {
  const asked: Trip = async (work) => {
    try {
      return await trip(work);
    } catch (cause) {
      if (cause instanceof StorageUnavailableError) throw cause;
      throw new StorageUnavailableError("Valkey did not answer", { cause });
    }
  };
  return {
    async run(work) {
      for (;;) {
        const within = new Transaction(client, asked);
        try {
          const result = await work(within);
          if (await within.commit()) return result;
        } catch (error) {
          // What was read at several moments may fit together in no way: a refusal holds if nothing has changed since.
          if (error instanceof StorageUnavailableError || await within.isCurrent()) throw error;
        }
      }
    },
    ended: (now, limit) => asked(() => client.zrangebyscore(ENDS, "-inf", now, "LIMIT", 0, limit)),
  };
}
