/**
 * The library's statements as MariaDB has them.
 *
 * What MariaDB has no words for is written in its own, and nothing else: a statement that an application wrote for
 * MariaDB stays as it is.
 *
 * @module
 */

import type { SqlResult, SqlValue } from "./sql_database.ts";
import type { Ask, CompiledStatement } from "./server_database.ts";
import { UPDATE_KNOWN_USER } from "./statements.ts";

/** Columns with a name that MariaDB keeps for itself, by the table of the statement. */
const RESERVED: readonly [table: RegExp, column: RegExp][] = [
  [/\b(?:rate_limits|auth_schema)\b/, /\b(key)\b/g],
  // A word of its own where the driver allows spaces between a function and its parenthesis.
  [/\baudit_seals\b/, /\b(count)\b(?!\s*\()/g],
];

/** Constructs of the library's statements, and the same in MariaDB. */
const WORDS: readonly [standard: RegExp, own: string][] = [
  [/\bCAST\((\?\d+) AS (?:TEXT|BIGINT)\)/g, "$1"],
  [/([\w.]+) IS NOT DISTINCT FROM (\?\d+)/g, "$1 <=> $2"],
  [/([\w.]+) IS DISTINCT FROM (\?\d+)/g, "NOT ($1 <=> $2)"],
  // It compares pairs, and goes through the whole index for it.
  [
    /\((\w+), (\w+)\) >= \((\?\d+), (\?\d+)\) AND \(\1, \2\) < \(\3, (\?\d+)\)/g,
    "$1 = $3 AND $2 >= $4 AND $2 < $5",
  ],
  [
    /\(([\w.]+), ([\w.]+)\) < \((\?\d+), (\?\d+)\)/g,
    "$1 <= $3 AND ($1 < $3 OR $2 < $4)",
  ],
  // What has no default is an error even where nothing is inserted.
  [
    /^INSERT INTO passkeys \(id\)\s+SELECT (\?\d+)/,
    `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, device_type, backed_up, created_at)
SELECT $1, NULL, 0, 0, 0, 0, 0, 0`,
  ],
  // Without PIPES_AS_CONCAT it is OR.
  [/(substr\([^()]*\)) \|\| (substr\([^()]*\))/g, "CONCAT($1, $2)"],
  [/(CASE\b[\s\S]*?\bEND) \|\| ([\w.]+)/g, "CONCAT($1, $2)"],
];

// Texts, in which a backslash escapes, quoted names, and comments: nothing in them is changed.
const QUOTED =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** Text before a name: there is no text in its place. */
const BEFORE_NAME = /(?:\.|\b(?:FROM|INTO|UPDATE|JOIN)\s+)$/i;

/** One statement in MariaDB's words, with the place of each value in the order of `?`; null for `?` as it came. */
interface Text {
  readonly text: string;
  readonly places: readonly number[] | null;
}

/** The outcome of one statement, before it is that of the library's. */
export interface MariadbAnswer {
  /** Rows, or none. */
  rows: unknown[];
  /** Rows that were changed or, of an update, found. */
  changes: number;
  /** Value of `LAST_INSERT_ID()`. */
  insertId: number;
}

/** Runs one part, with values of its own or those of the statement. */
type Run = (part: Text, own?: SqlValue[]) => Promise<MariadbAnswer>;

function toResult({ rows, changes, insertId }: MariadbAnswer): SqlResult {
  return { results: rows, meta: { changes, last_row_id: insertId } };
}

// Strict, whatever the server is set to: a value that does not fit must be an error, and never another value.
const MODE = "SET STATEMENT sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES') FOR ";

// The conditions of each column read what the others were before.
const SIMULTANEOUS =
  "SET STATEMENT sql_mode = CONCAT(@@sql_mode, ',STRICT_TRANS_TABLES,SIMULTANEOUS_ASSIGNMENT') FOR ";

// Who waits for a lock on a table keeps everybody behind it waiting, too: better to try again.
const PATIENT = "SET STATEMENT lock_wait_timeout = 2 FOR ";

/** The statement with a time limit for the server, in milliseconds. */
export function limitedText(text: string, limit: number): string {
  return text.replace(
    /^SET STATEMENT (?=sql_mode)/,
    `SET STATEMENT max_statement_time = ${limit / 1000}, `,
  );
}

function settingsOf(sql: string): string {
  if (sql === UPDATE_KNOWN_USER) return SIMULTANEOUS;
  if (/^\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE)\b/i.test(sql)) return MODE;
  return /^\s*(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|UNIQUE|TRIGGER)\b/i.test(sql) ? PATIENT : "";
}

/** The values of an `INSERT`, as they stand in it, by their columns. */
function itemsOf(columns: string, source: string): Record<string, string> {
  const items = /^(?:VALUES\s*\((.*)\)|SELECT ([\s\S]*?)(?:\s+(?:FROM|WHERE)\b[\s\S]*)?)$/
    .exec(source.trim());
  const values = (items?.[1] ?? items?.[2] ?? "").split(/,\s*/);
  return Object.fromEntries(columns.split(/,\s*/).map((column, at) => [column, values[at] ?? ""]));
}

const INSERTION =
  /^(INSERT INTO (\S+)\s*\(([^)]*)\)\s*([\s\S]*?))\s*\bON CONFLICT(?:\s*\(([^)]*)\))?\s+DO\s+(?:NOTHING|UPDATE SET\s+([\s\S]*?))(?:\s+WHERE\s+([\s\S]*?))?(?:\s+RETURNING\s+([\s\S]*))?$/;

const UPDATE =
  /^UPDATE (\S+) SET\s[\s\S]*?\bWHERE ((?:\w+ = \?\d+(?: AND )?){1,9})[\s\S]*?(?=\s+RETURNING)/;

// Transactions that the server takes back are tried again.
const DEADLOCK = 1213;

/** Tells that a row is there already: by its primary key, or by any. */
function isDuplicate(error: unknown, byPrimary: boolean): boolean {
  const { errno, message } = error as { errno?: unknown; message: string };
  return errno === 1062 && (!byPrimary || message.endsWith("'PRIMARY'"));
}

/** Primary keys of the tables that are not called `id`. */
export const KEYS: ReadonlyMap<string, string> = new Map([
  ["verifications", "purpose, hash"],
  ["rate_limits", "`key`"],
  ["revocations", "kind, id"],
  ["known_browsers", "id_hash"],
  ["trusted_browsers", "id_hash"],
  ["session_factors", "session_id"],
  ["pending_sign_ups", "token_hash"],
  ["audit_seals", "hour"],
  ["accounts", "provider, provider_account_id"],
  ["audit_people", "entry_id, part"],
  ["password_hashes", "user_id"],
  ["second_factors", "user_id"],
  ["recovery_codes", "hash"],
  ["tenant_members", "tenant_id, user_id"],
  ["user_roles", "role, user_id"],
  ["auth_outbox", "id, destination"],
]);

// A sweep as the dialect writes it, and a removal of all but the newest rows. What goes is found by a statement of its
// own, which waits for nobody: within the removal it would wait for what others store at the same time.
const SWEEP = /^DELETE (FROM \w+ WHERE (\w+) <= \?1 ORDER BY \2 LIMIT \?2)(?: RETURNING id)?$/;
const KEEP =
  /^DELETE FROM (\w+) WHERE [^()]*\s+AND (\w+) NOT IN\s*\(SELECT \2 (FROM \1\s+WHERE [^()]*) LIMIT (\?\d+)\)$/;

// Of what is too much at once; the next time the others go.
const MOST_DROPPED = 500;

/** The statement that finds the rows which another removes; null for any other one. */
function findingOf(bare: string): string | null {
  const sweep = SWEEP.exec(bare);
  if (sweep !== null) return `${sweep[1]} FOR UPDATE SKIP LOCKED`;
  const keep = KEEP.exec(bare);
  return keep && `${keep[3]} LIMIT ${MOST_DROPPED} OFFSET ${keep[4]}`;
}

// Of one statement: with thousands of alternatives the server thinks for minutes.
const MOST_KEYS = 128;

/** The condition that a row is one of `count`. */
function isOneOf(columns: readonly string[], count: number): string {
  const [first, second] = columns;
  return second === undefined
    ? `${first} IN (${Array(count).fill("?").join(", ")})`
    : Array(count).fill(`${first} = ? AND ${second} = ?`).join(" OR ");
}

/** Reads a statement of the library, or one that an application wrote for MariaDB. */
export function compileMariadb<Result>(
  sql: string,
  read: (result: Result) => MariadbAnswer,
): CompiledStatement<Result> {
  const quoted: string[] = [];
  let bare = sql.replace(QUOTED, (token, offset: number) => {
    const isName = token.startsWith('"') &&
      BEFORE_NAME.test(sql.slice(Math.max(0, offset - 12), offset));
    return `\0${quoted.push(isName ? `\`${token.slice(1, -1)}\`` : token) - 1}\0`;
  });
  for (const [table, column] of RESERVED) {
    if (table.test(bare)) bare = bare.replace(column, "`$1`");
  }
  for (const [standard, own] of WORDS) bare = bare.replace(standard, own);
  const settings = settingsOf(sql);

  function write(part: string): Text {
    const places: number[] = [];
    const text = part
      .replace(/\?(\d+)/g, (_, place) => (places.push(Number(place)), "?"))
      .replace(/\0(\d+)\0/g, (_, index) => quoted[index]!);
    return { text: settings + text, places: places.length > 0 ? places : null };
  }

  function compiled(
    work: (run: Run, values: SqlValue[]) => Promise<MariadbAnswer>,
    isSeveral: boolean = false,
  ): CompiledStatement<Result> {
    return {
      isSeveral,
      async execute(ask: Ask<Result>, values) {
        const run: Run = async ({ text, places }, own) =>
          read(await ask(text, own ?? places?.map((one) => values[one - 1]) ?? values));
        return toResult(await work(run, values));
      },
    };
  }

  const insertion = INSERTION.exec(bare);
  if (insertion !== null) {
    const [, whole, table, columns, source, target, changes, condition, returning] = insertion;
    // Else its columns would be those of the row that is there, too.
    const head = whole!.replace(new RegExp(`\\bFROM ${table}(?=\\s+WHERE)`), "$& AS source");
    const items = itemsOf(columns!, source!);
    const keys = (target ?? "").split(/,\s*/).filter(Boolean);
    const excluded = (part: string, value: (column: string) => string) =>
      part.replace(/\bexcluded\.(\w+)/g, (_, column) => value(column));
    if (changes !== undefined && condition === undefined) {
      const set = excluded(changes, (column) => `VALUES(${column})`);
      const end = returning === undefined ? "" : `\nRETURNING ${returning}`;
      const upsert = write(`${head}\nON DUPLICATE KEY UPDATE ${set}${end}`);
      return compiled((run) => run(upsert));
    }
    const isKey = keys.map((key) => `${key} = ${items[key]}`).join(" AND ");
    const isTaken = (error: unknown) => isDuplicate(error, keys.length > 0);
    if (changes === undefined) {
      // Known rows need no lock: a key that is taken leaves one that two may have at once, and both want more.
      const insert = write(
        isKey === "" ? head : head.replace(
          /VALUES\s*\(([^()]*)\)$/,
          `SELECT $1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${isKey})`,
        ),
      );
      return compiled(async (run) => {
        try {
          const answer = await run(insert);
          return { ...answer, rows: Array(answer.changes).fill({}) };
        } catch (error) {
          if (!isTaken(error)) throw error;
          return { rows: [], changes: 0, insertId: 0 };
        }
      });
    }
    const own = (part: string) => write(excluded(part, (column) => items[column]!));
    const insert = write(head);
    const lock = write(`SELECT 1 FROM ${table} WHERE ${isKey} FOR UPDATE`);
    const change = own(`UPDATE ${table} SET ${changes} WHERE ${isKey} AND (${condition})`);
    const select = returning && write(`SELECT ${returning} FROM ${table} WHERE ${isKey}`);
    return compiled(async (run) => {
      const { rows: known } = await run(lock);
      const answer = await run(known.length > 0 ? change : insert).catch((error) => {
        // Somebody was faster: the next try finds their row.
        throw isTaken(error) ? Object.assign(error, { errno: DEADLOCK }) : error;
      });
      return answer.changes > 0 && select ? { ...answer, rows: (await run(select)).rows } : answer;
    }, true);
  }

  const finding = findingOf(bare);
  if (finding !== null) {
    const table = /^FROM (\w+)/.exec(finding)![1]!;
    const columns = (KEYS.get(table) ?? "id").split(", ");
    const select = write(`SELECT ${columns.join(", ")} ${finding}`);
    return compiled(async (run) => {
      const { rows } = await run(select) as { rows: Record<string, SqlValue>[] };
      let changes = 0;
      for (let from = 0; from < rows.length; from += MOST_KEYS) {
        const part = rows.slice(from, from + MOST_KEYS);
        // One of a few texts, which the connection knows: the last row fills it up.
        let count = 1;
        while (count < part.length) count *= 2;
        while (part.length < count) part.push(part.at(-1)!);
        // By the key: through the whole of a small table it would wait for rows that others have locked.
        const removal = write(
          `DELETE ${table} FROM ${table} FORCE INDEX (PRIMARY) WHERE ${isOneOf(columns, count)}`,
        );
        changes += (await run(removal, part.flatMap((row) => Object.values(row)))).changes;
      }
      return { rows, changes, insertId: 0 };
    }, true);
  }

  const update = / RETURNING |\nRETURNING /.test(bare) ? UPDATE.exec(bare) : null;
  if (update !== null) {
    const [whole, table, key] = update;
    const returning = bare.slice(whole.length).replace(/^\s*RETURNING\s+/, "");
    const change = write(whole);
    const isKey = key!.replace(/ AND $/, "");
    const own = new RegExp(`\\b${returning} = \\?(\\d+)`).exec(isKey);
    const select = write(`SELECT ${returning} FROM ${table} WHERE ${isKey}`);
    return compiled(async (run, values) => {
      const answer = await run(change);
      if (answer.changes === 0) return answer;
      const { rows } = own === null
        ? await run(select)
        : { rows: [{ [returning]: values[Number(own[1]) - 1] }] };
      return { ...answer, rows };
    }, own === null);
  }

  const whole = write(bare);
  return compiled((run) => run(whole));
}
