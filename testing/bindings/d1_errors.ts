// Result codes of SQLite, https://sqlite.org/rescode.html
const PRIMARY: Record<number, string> = {
  1: "ERROR",
  2: "INTERNAL",
  3: "PERM",
  4: "ABORT",
  5: "BUSY",
  6: "LOCKED",
  7: "NOMEM",
  8: "READONLY",
  9: "INTERRUPT",
  10: "IOERR",
  11: "CORRUPT",
  12: "NOTFOUND",
  13: "FULL",
  14: "CANTOPEN",
  17: "SCHEMA",
  18: "TOOBIG",
  19: "CONSTRAINT",
  20: "MISMATCH",
  21: "MISUSE",
  23: "AUTH",
  25: "RANGE",
};

const CONSTRAINT: Record<number, string> = {
  1: "CHECK",
  2: "COMMITHOOK",
  3: "FOREIGNKEY",
  4: "FUNCTION",
  5: "NOTNULL",
  6: "PRIMARYKEY",
  7: "TRIGGER",
  8: "UNIQUE",
  9: "VTAB",
  10: "ROWID",
  11: "PINNED",
  12: "DATATYPE",
};

/** The text after which D1 names the code: `UNIQUE constraint failed: t.a: SQLITE_CONSTRAINT (…)`. */
export function sqliteMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error ? Reflect.get(error, "errcode") : undefined;
  if (typeof code !== "number") return message;
  const primary = PRIMARY[code & 0xff];
  if (primary === undefined) return message;
  const extended = primary === "CONSTRAINT" ? CONSTRAINT[code >> 8] : undefined;
  const suffix = extended === undefined ? "" : ` (extended: SQLITE_CONSTRAINT_${extended})`;
  return `${message}: SQLITE_${primary}${suffix}`;
}

/** The error that D1 throws: a prefixed message, and the same without the prefix as its cause. */
export function d1Error(prefix: string, message: string): Error {
  return new Error(`${prefix}: ${message}`, { cause: new Error(message) });
}
