/** A text as SQL literal. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Statements as one text, each ended. */
export function joinStatements(statements: string[]): string {
  return statements.map((statement) => `${statement};\n`).join("");
}
