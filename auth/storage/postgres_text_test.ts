import assert from "node:assert/strict";
import { toPostgresText } from "./postgres.ts";

Deno.test("toPostgresText() changes places for values and nothing else", () => {
  const texts: [string, string][] = [
    ["SELECT ?1, ?12 FROM t WHERE a = ?1", "SELECT $1, $12 FROM t WHERE a = $1"],
    ["SELECT '?1', 'it''s ?2', ?3", "SELECT '?1', 'it''s ?2', $3"],
    ['SELECT "?1", "a""?2", ?3', 'SELECT "?1", "a""?2", $3'],
    ["SELECT ?1 -- ?2\n, ?3", "SELECT $1 -- ?2\n, $3"],
    ["SELECT /* ?1 ' */ ?2", "SELECT /* ?1 ' */ $2"],
    ["SELECT $$ ?1 ' $$, ?2", "SELECT $$ ?1 ' $$, $2"],
    ["SELECT $x$ ?1 $$ ?1 $x$, ?2", "SELECT $x$ ?1 $$ ?1 $x$, $2"],
    ["SELECT E'it\\'s ?1', e'\\\\', '?2', ?3", "SELECT E'it\\'s ?1', e'\\\\', '?2', $3"],
    ["SELECT date'\\', ?1, '?2'", "SELECT date'\\', $1, '?2'"],
    ["SELECT a ? 'b', $1", "SELECT a ? 'b', $1"],
  ];
  for (const [given, expected] of texts) assert.equal(toPostgresText(given), expected);
});
