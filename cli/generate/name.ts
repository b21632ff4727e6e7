import { checkSegments, formatPattern, readFolder, type Segment } from "../runtime/pattern.ts";
import { CliError } from "../terminal/exit.ts";

const maxFolders = 20;
const maxLength = 100;

/** A place in the route tree. */
export interface RouteName {
  /** Names of the folders below the application folder, such as `users` and `[id]`. */
  folders: string[];
  segments: Segment[];
  /** Pattern such as `/users/:id`. */
  pattern: string;
}

/** A component, and the place of its file. */
export interface ComponentName {
  /** Folders below `_components`. */
  folders: string[];
  /** Name such as `UserCard`. */
  name: string;
  /** File name such as `user_card`. */
  stem: string;
}

/**
 * Reads the name of a route: folders such as `users/[id]`, or a pattern such as `/users/:id`.
 *
 * Refuses a name that no folder can have, and does not repair it: a name with `..` or `;` was meant to be something
 * else, and may have been meant to leave the folder or to end up as code.
 *
 * @param text What the user typed; `/` is the root.
 * @throws {CliError} Exit code 1.
 */
export function readRouteName(text: string): RouteName {
  const folders = split(text).map(asFolder);
  const segments: Segment[] = [];
  for (const folder of folders) {
    const meaning = readFolder(folder);
    if (meaning.kind === "invalid") throw refuse(folder, meaning.reason);
    if (meaning.kind === "private") {
      throw refuse(folder, "a folder that begins with an underscore is not routed");
    }
    if (meaning.kind === "static" && !/^(?!\.+$)[A-Za-z0-9.~][\w.~-]*$/.test(folder)) {
      throw refuse(folder, "use letters, digits, dashes, underscores and dots");
    }
    if (meaning.kind === "group" && !/^\([\w-]+\)$/.test(folder)) {
      throw refuse(folder, "a group's name consists of letters, digits, dashes and underscores");
    }
    if (meaning.kind !== "group") segments.push(meaning);
  }
  if (folders.includes("node_modules") || folders.slice(0, 2).join("/") === "auth/providers") {
    throw refuse(folders.join("/"), "pages in this folder are not routed");
  }
  const mistake = checkSegments(segments);
  if (mistake !== null) throw refuse(text, mistake);
  return { folders, segments, pattern: formatPattern(segments) };
}

/**
 * Reads the name of a component: `UserCard`, `user-card`, `forms/user_card`.
 *
 * @param text What the user typed.
 * @throws {CliError} Exit code 1.
 */
export function readComponentName(text: string): ComponentName {
  const parts = split(text);
  for (const part of parts) {
    if (!/^[A-Za-z][\w-]*$/.test(part)) {
      throw refuse(part, "use letters, digits, dashes and underscores, such as UserCard");
    }
  }
  const last = parts.pop();
  if (last === undefined) throw refuse(text, "a component needs a name, such as UserCard");
  const words = wordsOf(last);
  return { folders: parts, name: toPascal(words), stem: words.join("_").toLowerCase() };
}

/**
 * Reads the name of a queue, a cron job, a durable object or a set of seeds.
 *
 * @param text What the user typed.
 * @param what What it names, for the message.
 * @param example A name that can be used.
 * @throws {CliError} Exit code 1.
 */
export function readWorkName(text: string, what: string, example: string): string {
  const isClass = /^[A-Z]/.test(example);
  const allowed = isClass ? /^[A-Za-z][\w-]{0,62}$/ : /^[a-z][a-z0-9_-]{0,62}$/;
  if (allowed.test(text)) return text;
  throw new CliError(`${JSON.stringify(text.slice(0, 80))} cannot be used as ${what}.`, {
    hint: `Use ${isClass ? "" : "lower-case "}letters, digits and dashes, such as ${example}.`,
  });
}

/** Splits `user-card`, `UserCard` and `HTTPStatus` into words. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}

/** Joins words as the name of a component. */
export function toPascal(words: readonly string[]): string {
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join("");
}

function split(text: string): string[] {
  const parts = text.replace(/^\//, "").replace(/\/$/, "").split("/");
  if (parts.length === 1 && parts[0] === "") return [];
  const long = parts.find((part) => part.length > maxLength);
  if (parts.length > maxFolders || long !== undefined) {
    throw refuse(
      `${text.slice(0, 40)}…`,
      `a name has at most ${maxFolders} parts of ${maxLength} characters`,
    );
  }
  if (parts.includes("")) throw refuse(text, "a part between two slashes is empty");
  return parts;
}

/** Converts `:id`, `:path*` and `:path*?` to folder names. */
function asFolder(part: string): string {
  const match = /^:([^*?]*)(\*\??)?$/.exec(part);
  if (match === null) return part;
  const [, name = "", ending] = match;
  if (ending === undefined) return `[${name}]`;
  return ending === "*" ? `[...${name}]` : `[[...${name}]]`;
}

function refuse(name: string, reason: string): CliError {
  return new CliError(`${JSON.stringify(name)} cannot be used as a name: ${reason}.`, {
    hint: "Write folders such as users/[id], or a pattern such as /users/:id.",
  });
}
