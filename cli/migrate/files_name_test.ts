import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { slugMigrationName } from "./files.ts";

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
  ["../../x", 'A migration\'s name cannot contain ".".'],
  ["..\\..\\x", 'A migration\'s name cannot contain ".".'],
  ["/etc/x", 'A migration\'s name cannot contain "/".'],
  ["a;b", 'A migration\'s name cannot contain ";".'],
  ["a\nb", 'A migration\'s name cannot contain "\\n".'],
  ["a\0b", 'A migration\'s name cannot contain "\\u0000".'],
  ["größe", 'A migration\'s name cannot contain "ö".'],
  ["a🙂", 'A migration\'s name cannot contain "🙂".'],
  ["ⅷ", 'A migration\'s name cannot contain "ⅷ".'],
  ["", "A migration needs a name."],
  [" _- ", "A migration needs a name."],
  ["x".repeat(300), "A migration's name may have at most 80 characters, but has 300."],
])("slugMigrationName(%o) refuses", (name, message) => {
  assert.throws(
    () => slugMigrationName(name),
    (error) => error instanceof CliError && error.exitCode === 1 && error.message === message,
  );
});
