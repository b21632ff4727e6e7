import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { slugMigrationName } from "./migration_files.ts";

Deno.test.each([
  ["add_posts", "add_posts"],
  ["Add Posts", "add_posts"],
  ["AddPosts2Users", "add_posts2_users"],
  ["add--posts__", "add_posts"],
  ["  add posts ", "add_posts"],
])("slugMigrationName(%o) is %o", (name, slug) => {
  assert.equal(slugMigrationName(name), slug);
});

// Tracks: R158
Deno.test.each([
  ["../../x", 'A migration\'s name cannot hold ".".'],
  ["..\\..\\x", 'A migration\'s name cannot hold ".".'],
  ["/etc/x", 'A migration\'s name cannot hold "/".'],
  ["a;b", 'A migration\'s name cannot hold ";".'],
  ["a\nb", 'A migration\'s name cannot hold "\\n".'],
  ["a\0b", 'A migration\'s name cannot hold "\\u0000".'],
  ["größe", 'A migration\'s name cannot hold "ö".'],
  ["a🙂", 'A migration\'s name cannot hold "🙂".'],
  ["ⅷ", 'A migration\'s name cannot hold "ⅷ".'],
  ["", "A migration needs a name."],
  [" _- ", "A migration needs a name."],
  ["x".repeat(300), "A migration's name has at most 80 characters, found 300."],
])("slugMigrationName(%o) refuses", (name, message) => {
  assert.throws(
    () => slugMigrationName(name),
    (error) => error instanceof CliError && error.exitCode === 1 && error.message === message,
  );
});
