import { CliError } from "../terminal/exit.ts";

const MAX_LENGTH = 80;

/**
 * Makes the part of a file name that describes a migration: `Add Users` and `AddUsers` become `add_users`.
 *
 * Anything but letters, digits, spaces, dashes and underscores is refused, not replaced: a name that holds
 * `/`, `..` or `;` was meant to be something else, and may have been meant to leave the folder.
 *
 * @param name What the user typed.
 * @throws {CliError} Exit code 1 when nothing usable or something forbidden is in it.
 */
export function slugMigrationName(name: string): string {
  const forbidden = /[^A-Za-z0-9 _-]/u.exec(name)?.[0];
  if (forbidden !== undefined) {
    throw refuse(`A migration's name cannot hold ${JSON.stringify(forbidden)}.`);
  }
  const slug = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[ _-]+/g, "_")
    .replace(/^_|_$/g, "");
  if (slug === "") throw refuse("A migration needs a name.");
  if (slug.length > MAX_LENGTH) {
    throw refuse(`A migration's name has at most ${MAX_LENGTH} characters, found ${slug.length}.`);
  }
  return slug;
}

function refuse(message: string): CliError {
  return new CliError(message, {
    hint: "Use letters, digits and underscores, for example `framework migrate create add_posts`.",
  });
}
