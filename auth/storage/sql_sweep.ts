/** The statement that removes what has ended from a table with this key. ?1 now, ?2 how many rows at most. */
export function sweepText(table: string, key: string): string {
  return `DELETE FROM ${table} WHERE (${key}) IN
(SELECT ${key} FROM ${table} WHERE expires_at <= ?1 LIMIT ?2)`;
}
