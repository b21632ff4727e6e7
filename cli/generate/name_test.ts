import assert from "node:assert/strict";
import { CliError } from "../terminal/exit.ts";
import { readComponentName, readRouteName } from "./name.ts";

Deno.test.each([
  ["/", [], "/"],
  ["users", ["users"], "/users"],
  ["/users/:id/", ["users", "[id]"], "/users/:id"],
  ["users/[id]/edit", ["users", "[id]", "edit"], "/users/:id/edit"],
  ["docs/:path*", ["docs", "[...path]"], "/docs/:path*"],
  ["docs/[[...path]]", ["docs", "[[...path]]"], "/docs/:path*?"],
  ["/docs/:path*?", ["docs", "[[...path]]"], "/docs/:path*?"],
  ["(shop)/cart", ["(shop)", "cart"], "/cart"],
  [".well-known/a.json", [".well-known", "a.json"], "/.well-known/a.json"],
])("readRouteName() reads %s", (text, folders, pattern) => {
  const name = readRouteName(text);
  assert.deepEqual([name.folders, name.pattern], [folders, pattern]);
});

// Tracks: R158
Deno.test("readRouteName() refuses what would leave the folder, become code, or not be routed", () => {
  const refused = [
    "../../x",
    "a/../b",
    "..",
    ".",
    "a/./b",
    "a;b",
    "größe",
    "x".repeat(300),
    "a/".repeat(300),
    "a//b",
    "//host",
    "a\\b",
    "a\0b",
    "a\nb",
    "a b",
    "a`b",
    'a"b',
    "${a}",
    "C:",
    "[id",
    "[a;b]",
    ":a;b",
    ":",
    "[__proto__]/[__proto__]",
    "[id]/[id]",
    "[...a]/b",
    "_private",
    "@slot",
    "(.)a",
    "(a b)",
    "node_modules",
    "auth/providers/x",
    "--force",
  ];
  for (const text of refused) assert.throws(() => readRouteName(text), CliError, text);
});

Deno.test.each([
  ["UserCard", [], "UserCard", "user_card"],
  ["user-card", [], "UserCard", "user_card"],
  ["forms/text_field", ["forms"], "TextField", "text_field"],
  ["HTTPStatus", [], "HttpStatus", "http_status"],
])("readComponentName() reads %s", (text, folders, name, stem) => {
  assert.deepEqual(readComponentName(text), { folders, name, stem });
});

// Tracks: R158
Deno.test("readComponentName() refuses what is no name of a component", () => {
  const refused = [
    "",
    "/",
    "../x",
    "1st",
    "a;b",
    "größe",
    "[id]",
    "a.b",
    "x".repeat(300),
    "a/../b",
  ];
  for (const text of refused) assert.throws(() => readComponentName(text), CliError, text);
});
