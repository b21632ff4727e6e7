/** Properties of a statement's text that the double needs before SQLite parses it. */
export interface ScannedSql {
  /** The first words of the first statement, upper case; empty when there is no statement. */
  keywords: string[];
  /** The text with every parameter written as `?`, for SQLite to number from left to right. */
  text: string;
  /** For each `?` of `text`, the index (from 0) of the bound value that it takes. */
  order: number[];
  /** Number of values to bind: the highest parameter number. */
  parameters: number;
}

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\?\d*|[:@$][\p{L}\p{N}_$]+|[\p{L}_][\p{L}\p{N}_$]*|\d[\p{L}\p{N}_.]*|;/gu;

const KEYWORDS_KEPT = 4;

/**
 * Reads words and parameters of the SQL, skipping strings, quoted names and comments.
 *
 * Named and numbered parameters are rewritten to plain `?`: versions of `node:sqlite` differ in
 * how they bind positional values to them, and D1 numbers all three kinds alike.
 */
export function scanSql(sql: string): ScannedSql {
  const keywords: string[] = [];
  const order: number[] = [];
  const names = new Map<string, number>();
  let parameters = 0;
  let ended = false;
  const text = sql.replace(TOKEN, (token) => {
    const first = token.charAt(0);
    if (token === ";") {
      ended = keywords.length > 0;
    } else if (first === "?" || first === ":" || first === "@" || first === "$") {
      let index = first === "?" && token.length > 1 ? Number(token.slice(1)) - 1 : parameters;
      if (first !== "?") {
        index = names.get(token) ?? parameters;
        names.set(token, index);
      }
      order.push(index);
      parameters = Math.max(parameters, index + 1);
      return "?";
    } else if (/[\p{L}_]/u.test(first) && !ended && keywords.length < KEYWORDS_KEPT) {
      keywords.push(token.toUpperCase());
    }
    return token;
  });
  return { keywords, text, order, parameters };
}
