// What is no placeholder: texts (in E'…' a backslash escapes the quote), quoted names, comments, and texts
// between dollar signs.
const TOKENS =
  /\b[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$(?:[A-Za-z_]\w*)?\$)[\s\S]*?\1|\?(\d+)/g;

/** Writes the places for values as PostgreSQL does: `?1` becomes `$1`. */
export function toPostgresText(sql: string): string {
  return sql.replace(
    TOKENS,
    (token, _quote: string | undefined, place: string | undefined) =>
      place === undefined ? token : `$${place}`,
  );
}
