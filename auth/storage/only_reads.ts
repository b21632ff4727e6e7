// What may stand before a parenthesis in a statement that changes nothing. Any other function may be the
// application's own, or one like nextval().
const HARMLESS =
  /* @__PURE__ */ "abs|all|and|any|as|avg|by|case|cast|char_length|coalesce|concat|count|date|datetime|distinct|else|exists|extract|filter|from|group_concat|hex|ifnull|iif|in|instr|join|json|json_array_length|json_extract|julianday|length|like|limit|lower|ltrim|max|min|not|now|nullif|on|or|over|partition|replace|round|rtrim|select|string_agg|strftime|substr|substring|sum|then|to_char|total|trim|typeof|union|upper|using|values|when|where"
    .split("|");

const CALLS = /\b([a-z_][\w$]*)"?\s*\(/gi;

/**
 * Tells whether a statement changes nothing, so that it may be run twice. In doubt it says no: for one that begins
 * with another word than SELECT, makes a table, locks rows, or calls a function that is not known.
 */
export function onlyReads(sql: string): boolean {
  // A text may hold anything; what it holds does nothing.
  const bare = sql.replace(/'(?:[^']|'')*'/g, "''");
  if (
    !/^\s*SELECT\b/i.test(bare) ||
    /\bINTO\b|\bFOR\s+(?:NO\s+KEY\s+)?(?:UPDATE|SHARE)\b|;\s*\S/i.test(bare)
  ) {
    return false;
  }
  return [...bare.matchAll(CALLS)].every(([, name]) => HARMLESS.includes(name!.toLowerCase()));
}
