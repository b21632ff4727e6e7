/**
 * Ended sessions of signed tokens in Valkey or Redis, which may forget some of them, for a stated time.
 *
 * @module
 */

import { StorageUnavailableError } from "../errors.ts";
import { optionsAt, wrongOption } from "../lib/options.ts";
import type { RevocationStore } from "../types/session.ts";
import { createValkeySender, type SendValkeyCommand } from "./valkey.ts";

/** Options for {@linkcode createValkeyRevocationStore}. */
export interface ValkeyRevocationStoreOptions {
  /**
   * Seconds for which a session that was ended may go on when the server has lost its end, 60 to 31,536,000 (a year).
   * No session goes on longer than this after its sign-in, so it is also the longest time between two sign-ins.
   */
  mayForget: number;
  /**
   * Text before each key. Default `"{revocation}:"`: what is in braces decides where a cluster has a key, and those of one
   * lookup must be in one place.
   */
  prefix?: string;
  /** Milliseconds after which a server that has not answered counts as failed, 1 to 60,000. Default 2,000. */
  timeout?: number;
}

const DAY = 24 * 60 * 60 * 1000;

// A replica may be behind, and nothing says how far. It would refuse what writes by itself; this is for all.
const PRIMARY_ALONE = `local role = redis.call('INFO', 'replication')
if not string.find(role, 'role:master', 1, true) then
  return redis.error_reply('READONLY revocations are not read from a replica')
end`;

const CLOCK = `local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)`;

/**
 * KEYS[1] is the session's; ARGV: milliseconds for which it is kept. Another process may have been given a longer time.
 */
const REVOKE = `${PRIMARY_ALONE}
local left = redis.call('PTTL', KEYS[1])
redis.call('SET', KEYS[1], '1', 'PX', string.format('%.0f', math.max(left, tonumber(ARGV[1]))))
return 1`;

/**
 * KEYS[1] is the user's; ARGV: before, milliseconds for which it is kept, id and begin of the spared session, or two empty
 * texts. A later moment that is stored already stands. A session that is over already is not spared.
 */
const REVOKE_USER = `${PRIMARY_ALONE}
${CLOCK}
local before, spared = ARGV[1], ARGV[3]
local stored = redis.call('HMGET', KEYS[1], 'before', 'spared')
if stored[1] then
  local began = tonumber(ARGV[4]) or 0
  if tonumber(stored[1]) > began and stored[2] ~= spared then spared = '' end
  if tonumber(stored[1]) > tonumber(before) then before = stored[1] end
end
redis.call('HSET', KEYS[1], 'before', before, 'spared', spared)
local kept = math.max(tonumber(before), now) - now + tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', math.max(left, kept)))
return 1`;

/**
 * KEYS: the session's and the user's; ARGV: id and begin of the session, milliseconds that a session may last, and those that
 * it may begin in the future of this clock. Whatever was lost, a session that is older than it may be is over.
 */
const IS_REVOKED = `${PRIMARY_ALONE}
${CLOCK}
local began = tonumber(ARGV[2])
if now >= began + tonumber(ARGV[3]) or began > now + tonumber(ARGV[4]) then return 1 end
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
local mark = redis.call('HMGET', KEYS[2], 'before', 'spared')
if mark[1] and tonumber(mark[1]) > began and mark[2] ~= ARGV[1] then return 1 end
return 0`;

/** KEYS[1] is the user's. */
const VALID_FROM = `${PRIMARY_ALONE}
return redis.call('HGET', KEYS[1], 'before') or '0'`;

/**
 * A revocation store in Valkey (or Redis from 6.2), which several servers share, for applications whose sessions are signed
 * tokens and whose database is far away or missing. Each operation is one script by the clock of the server.
 *
 * Valkey acknowledges what it may lose: a failover to a replica forgets the last moments, a restart without persistence
 * everything. So a session whose end was lost goes on, and `mayForget` says for how long at most: the store counts every
 * session as ended that began longer ago, however often its token was renewed. Give `session.absoluteMaxAge` the same value,
 * so that such a session has expired by the application's own rules too. Where an ended session must never go on, use
 * {@linkcode createSqlRevocationStore}.
 *
 * What counts once is not kept here: there is no `claim()`, so `deviceBoundJwt()` refuses this store. A replica is not asked.
 * A server that does not answer in time is a {@linkcode StorageUnavailableError}: nobody is signed in, and no session counts as
 * ended, until it does.
 *
 * @param send Sends a command by the client of your choice, over one connection or to a cluster.
 * @param options `mayForget` in seconds, which has no default; `prefix` of the keys, default `"{revocation}:"`; `timeout` in
 * milliseconds, default 2,000.
 * @throws {ConfigurationError} When `send` is not a function, `mayForget` is missing, or an option is wrong.
 *
 * @example
 * ```ts
 * import { createAuth, jwtSessions } from "@framework/auth";
 * import { createValkeyRevocationStore } from "@framework/auth/storage";
 * import { equal } from "node:assert/strict";
 *
 * // In the place of a server; with the package redis it is (command) => client.sendCommand(command).
 * const send = (_command: string[]) => Promise.resolve(0);
 *
 * const mayForget = 12 * 60 * 60; // people sign in once a day
 * const revocation = createValkeyRevocationStore(send, { mayForget });
 * export const auth = createAuth<{ AUTH_SECRET: string }>((env) => ({
 *   secret: env.AUTH_SECRET,
 *   session: { strategy: jwtSessions, revocation, absoluteMaxAge: mayForget },
 * }));
 * equal(await revocation.isRevoked({ id: "s1", userId: "ada", startedAt: Date.now() }), false);
 * ```
 */
export function createValkeyRevocationStore(
  send: SendValkeyCommand,
  options: ValkeyRevocationStoreOptions,
): RevocationStore {
  const { mayForget, prefix = "{revocation}:", timeout } = optionsAt(options, "options", [
    "mayForget",
    "prefix",
    "timeout",
  ]) as Partial<ValkeyRevocationStoreOptions>;
  const ask = createValkeySender(send, prefix, timeout);
  if (!Number.isInteger(mayForget) || mayForget! < 60 || mayForget! > 31_536_000) {
    throw wrongOption(
      "mayForget",
      mayForget,
      "the seconds for which an ended session may go on when Valkey has lost its end, 60 to 31,536,000: no session lasts " +
        "longer. Where none may, use createSqlRevocationStore(database)",
    );
  }
  const life = mayForget! * 1000;
  // One that begins a day ahead of the server's clock is over that much later. Of those further ahead none counts.
  const kept = String(life + DAY);
  const sessionKey = (id: string) => `${prefix}session:${id}`;
  const userKey = (id: string) => `${prefix}user:${id}`;

  /** Runs a script, whose answer is a whole number. */
  async function run(
    operation: string,
    script: string,
    { keys, values = [] }: { keys: string[]; values?: string[] },
  ): Promise<number> {
    const command = ["EVAL", script, String(keys.length), ...keys, ...values];
    const told = await ask(operation, command);
    // Clients tell texts as bytes where they are asked to, and integers that are large as texts or bigints.
    const answer = told instanceof Uint8Array ? new TextDecoder().decode(told) : told;
    const number = typeof answer === "string" && /^\d+$/.test(answer) || typeof answer === "bigint"
      ? Number(answer)
      : answer;
    // As of a connection that is in a transaction, where it is decided later or never.
    if (!Number.isSafeInteger(number)) {
      throw new StorageUnavailableError(`Cannot ${operation}: Valkey answered something else`);
    }
    return number as number;
  }

  return {
    async revoke(sessionId) {
      await run("revoke the session", REVOKE, { keys: [sessionKey(sessionId)], values: [kept] });
    },
    async revokeUser(userId, { before, except }) {
      const spared = except === undefined ? ["", ""] : [except.id, String(except.startedAt)];
      await run("revoke the sessions of the user", REVOKE_USER, {
        keys: [userKey(userId)],
        values: [String(before), kept, ...spared],
      });
    },
    async isRevoked({ id, userId, startedAt }) {
      const answer = await run("read the revocations", IS_REVOKED, {
        keys: [sessionKey(id), userKey(userId)],
        values: [id, String(startedAt), String(life), String(DAY)],
      });
      return answer !== 0;
    },
    validFrom(userId) {
      return run("read the revocations", VALID_FROM, { keys: [userKey(userId)] });
    },
  };
}
