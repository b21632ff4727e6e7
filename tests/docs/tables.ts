import assert from "node:assert/strict";
import { readDocument } from "./markdown.ts";

/** Cells of a table: by the name of the row, then by that of the column. */
export type Table = Record<string, Record<string, string>>;

/**
 * Reads a table of a document.
 *
 * @param file Path of the document in the repository.
 * @param column A column that this table alone has.
 */
export async function readTable(file: string, column: string): Promise<Table> {
  const cellsOf = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim());
  const lines = (await readDocument(file)).split("\n");
  const head = lines.findIndex((line) => line.startsWith("|") && cellsOf(line).includes(column));
  assert.notEqual(head, -1, `${file} has no table with the column ${column}`);
  const [, ...columns] = cellsOf(lines[head]!);
  const end = lines.findIndex((line, index) => index > head && !line.startsWith("|"));
  return Object.fromEntries(
    lines.slice(head + 2, end).map(cellsOf).map(([row, ...cells]) => [
      row!,
      Object.fromEntries(cells.map((cell, index) => [columns[index]!, cell])),
    ]),
  );
}

/** Holds that one column of a table says what the tests do; rows that are left out are empty. */
export function holdColumn(table: Table, column: string, wanted: Record<string, string>): void {
  const found = Object.fromEntries(
    Object.entries(table).map(([row, cells]) => [row, cells[column]]),
  );
  const rows = Object.keys(table).map((row) => [row, wanted[row] ?? ""]);
  assert.deepEqual(found, { ...Object.fromEntries(rows), ...wanted });
}
