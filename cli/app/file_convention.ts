import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { hasClientDirective } from "../client/assets.ts";
import { errorPageKinds } from "../runtime/manifest.ts";
import { suggest } from "../terminal/suggest.ts";
import { childPath } from "../tools/paths.ts";

/** A mistake in a file's name, with its remedy. */
export interface Judgement {
  /** Continues a sentence that begins with the file's path. */
  problem: string;
  hint: string;
}

const read: Record<string, string> = {
  page: ".tsx",
  layout: ".tsx",
  route: ".ts",
  middleware: ".ts",
};
const components = new Set<string>([...errorPageKinds, "loading"]);
/** Files of the route tree that hold a component, which the server renders. */
const componentFiles: ReadonlySet<string> = new Set(
  ["page", "layout", ...components].map((name) => `${name}.tsx`),
);
/** Names that have a meaning in other frameworks: ignoring them in silence would look like a defect. */
const unsupported = new Set(["global-error", "template", "default"]);
/** A file of `app/auth` by what it holds; providers have a folder of their own. */
export type AuthFile = "config" | "callbacks" | "events" | "rbac" | "tenant";

/** The files of `app/auth`, besides the providers. */
export const authFiles: readonly AuthFile[] = ["config", "callbacks", "events", "rbac", "tenant"];

const scriptName = /^(.+?)(\.(?:[cm]?[jt]s|[jt]sx))$/;

/**
 * Says why a file of the route tree would be ignored although its name promises a meaning.
 *
 * @param name The file's name.
 * @param options Whether it stands in `app/auth`, and the names of the files beside it.
 * @returns `null` when the name is fine.
 */
export function judgeFile(
  name: string,
  options: { inAuth: boolean; siblings?: readonly string[] },
): Judgement | null {
  const [, stem = "", extension = ""] = scriptName.exec(name) ?? [];
  const right = Object.hasOwn(read, stem) ? read[stem] : undefined;
  if (right !== undefined && extension !== right) {
    return {
      problem: `is not read: a ${stem} is named ${stem}${right}`,
      hint: `Rename it to ${stem}${right}.`,
    };
  }
  if (components.has(stem) && extension === ".jsx") {
    return { problem: `is not read: this file is named ${stem}.tsx`, hint: "Rename it." };
  }
  if (unsupported.has(stem) && (extension === ".tsx" || extension === ".jsx")) {
    return notSupported;
  }
  return options.inAuth && extension !== ""
    ? judgeAuthFile(name, stem, options.siblings ?? [])
    : null;
}

/**
 * Common other names of the files of `app/auth`. Where there is the right one, such a file may be a
 * part of it.
 */
const otherNames: Record<string, AuthFile> = {
  auth: "config",
  configuration: "config",
  settings: "config",
  options: "config",
  hooks: "callbacks",
  listeners: "events",
  permissions: "rbac",
  roles: "rbac",
  role: "rbac",
  tenancy: "tenant",
};

/** A file that is meant to decide who may sign in must not be ignored in silence. */
function judgeAuthFile(
  name: string,
  stem: string,
  siblings: readonly string[],
): Judgement | null {
  if (name === `${stem}.ts` && (authFiles as readonly string[]).includes(stem)) return null;
  if (/[._](test|spec|d)$/.test(stem) || stem.startsWith("_")) return null;
  const lower = stem.toLowerCase();
  const other = Object.hasOwn(otherNames, lower) ? otherNames[lower] : undefined;
  const near = suggest(stem, [...authFiles, "providers"]);
  const meant = near ?? (siblings.includes(`${other}.ts`) ? undefined : other);
  if (meant === undefined) return null;
  return meant === "providers"
    ? {
      problem: "is not read: each provider is a file of its own, app/auth/providers/<id>.ts",
      hint: "Move it there, or begin its name with an underscore if something else imports it.",
    }
    : {
      problem: `is not read: this file is named ${meant}.ts`,
      hint: "Rename it, or begin its name with an underscore if something else imports it.",
    };
}

/**
 * Says why a folder of `app/auth` would be ignored although its name promises providers.
 *
 * @param name The folder's name.
 * @param files Names of the files in it.
 * @returns `null` when the name is fine.
 */
export function judgeAuthFolder(name: string, files: readonly string[]): Judgement | null {
  if (name === "providers" || suggest(name, ["providers"]) === undefined) return null;
  const routed = new Set(["route.ts", "middleware.ts"]);
  if (!files.some((file) => isNamedModule(file) && !routed.has(file))) return null;
  return { problem: "is not read: this folder is named providers", hint: "Rename it." };
}

/**
 * Says why an entry of `app/auth/providers` would be ignored.
 *
 * @param name Its name.
 * @param options Whether it is a folder.
 * @returns `null` for a provider, and for what is none by its name.
 */
export function judgeProvider(name: string, options: { isFolder: boolean }): Judgement | null {
  if (name.startsWith("_") || name.startsWith(".") || name === "node_modules") return null;
  const hint = "Rename it, or begin its name with an underscore if something else imports it.";
  if (options.isFolder) {
    return { problem: `is not read: a provider is a file, providers/${name}.ts`, hint };
  }
  const [, stem = "", extension = ""] = scriptName.exec(name) ?? [];
  if (extension === "" || extension === ".ts" || /[._](test|spec|d)$/.test(stem)) return null;
  return { problem: `is not read: this file is named ${stem}.ts`, hint };
}

const notSupported: Judgement = {
  problem: "has a name that this version does not support",
  hint: "Rename the file, or put it into a folder whose name begins with an underscore.",
};

/**
 * Recognizes files that count by name alone, such as providers, queues, durable objects and cron
 * jobs: tests, declarations and files that begin with `_` do not.
 */
export function isNamedModule(name: string): boolean {
  return name.endsWith(".ts") && !name.startsWith("_") &&
    !/(_test|\.(test|spec|d))\.ts$/.test(name);
}

/** Lists a folder; the same list each time, which is not to be changed. */
export type FolderEntries = (path: string) => readonly Dirent[];

/**
 * Makes a view of folders as they are now, for everything that one scan of them asks. Synchronous: of a thousand folders
 * each takes microseconds, and a thousand promises take more than all of them.
 */
export function createFolderEntries(): FolderEntries {
  const known = new Map<string, readonly Dirent[]>();
  return (path) => {
    const entries = known.get(path) ?? readdirSync(path, { withFileTypes: true });
    known.set(path, entries);
    return entries;
  };
}

/** The entries of a folder that may be missing. */
export function entriesIfAny(entries: FolderEntries, path: string): readonly Dirent[] {
  try {
    return entries(path);
  } catch {
    return [];
  }
}

/** The files that no request for a path runs. */
export interface BackgroundFiles {
  /** Absolute paths of the files of `app/queues`, by the name of the queue, which is the file's. */
  queues: Record<string, string>;
  /** Absolute paths of the files of `app/objects`. */
  objects: string[];
  /** Absolute paths of the files of `app/cron`. */
  cron: string[];
}

/**
 * Reads which queues, durable objects and cron jobs an application has. Only names are read.
 *
 * @param appDir Absolute path of the application's folder.
 * @param entries Lists folders.
 */
export function scanBackground(appDir: string, entries: FolderEntries): BackgroundFiles {
  const list = (folder: string): string[] => listModules(join(appDir, folder), entries);
  return {
    queues: Object.fromEntries(list("queues").map((file) => [basename(file, ".ts"), file])),
    objects: list("objects"),
    cron: list("cron"),
  };
}

function listModules(folder: string, entries: FolderEntries): string[] {
  return entriesIfAny(entries, folder)
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .filter(({ name }) => name !== "route.ts" && name !== "middleware.ts")
    .map(({ name }) => join(folder, name))
    .sort();
}

/**
 * Reads which providers `app/auth/providers` holds. Only names are read.
 *
 * @param folder Absolute path of that folder.
 * @param entries Lists folders.
 * @returns Absolute paths by id, which is the file's name.
 */
export function readProviders(folder: string, entries: FolderEntries): Record<string, string> {
  const names = entries(folder)
    .filter((entry) => !entry.isDirectory() && isNamedModule(entry.name))
    .map((entry) => entry.name)
    .sort();
  return Object.fromEntries(names.map((name) => [basename(name, ".ts"), join(folder, name)]));
}

/**
 * Finds the files whose components run in the browser too, wherever they stand in an application's folder.
 *
 * @param appDir Absolute path of the application's folder.
 * @param entries Lists folders.
 * @returns Absolute paths, in the same order on every machine.
 */
export function scanClients(appDir: string, entries: FolderEntries): string[] {
  const found: string[] = [];
  function read(folder: string): void {
    for (const entry of entriesIfAny(entries, folder)) {
      const { name } = entry;
      const path = childPath(folder, name);
      if (entry.isDirectory()) {
        if (name !== "node_modules") read(path);
      } else if (mayBeClient(name) && hasClientDirective(textOf(path))) found.push(path);
    }
  }
  read(appDir);
  return found.sort();
}

function mayBeClient(name: string): boolean {
  return /\.[jt]sx$/.test(name) && !/(_test|\.(test|spec))\.[jt]sx$/.test(name) &&
    !componentFiles.has(name);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
