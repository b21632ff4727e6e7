import { type Dirent, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { hasClientDirective } from "../client/assets.ts";
import { errorPageKinds } from "../runtime/manifest.ts";
import { suggest } from "../terminal/suggestion.ts";
import { childPath } from "../tools/paths.ts";

/** A mistake in a file's name and how to correct it. */
export interface Judgement {
  /** Continuation of a sentence that begins with the file's path. */
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
/** Files of the route tree that contain a server-rendered component. */
const componentFiles: ReadonlySet<string> = new Set(
  ["page", "layout", ...components].map((name) => `${name}.tsx`),
);
/** Names with a meaning in other frameworks; ignoring them silently would look like a defect. */
const unsupported = new Set(["global-error", "template", "default"]);
/** Kind of a file of `app/auth`; providers have their own folder. */
export type AuthFile = "config" | "callbacks" | "events" | "rbac" | "tenant";

/** Files of `app/auth`, besides the providers. */
export const authFiles: readonly AuthFile[] = ["config", "callbacks", "events", "rbac", "tenant"];

const scriptName = /^(.+?)(\.(?:[cm]?[jt]s|[jt]sx))$/;

/**
 * Explains why a file of the route tree would be ignored although its name suggests a meaning.
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
      problem: `is not read: a ${stem} must be named ${stem}${right}`,
      hint: `Rename it to ${stem}${right}.`,
    };
  }
  if (components.has(stem) && extension === ".jsx") {
    return { problem: `is not read: this file must be named ${stem}.tsx`, hint: "Rename it." };
  }
  if (unsupported.has(stem) && (extension === ".tsx" || extension === ".jsx")) {
    return notSupported;
  }
  return options.inAuth && extension !== ""
    ? judgeAuthFile(name, stem, options.siblings ?? [])
    : null;
}

/**
 * Common alternative names for files of `app/auth`. Beside a file with the right name, such a file
 * may be a part of it.
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

/**
 * Explains why a file of `app/auth` would be ignored: a file that decides who may sign in must not
 * be ignored silently.
 */
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
      problem: "is not read: each provider is a separate file, app/auth/providers/<id>.ts",
      hint: "Move it there, or prefix its name with an underscore if another file imports it.",
    }
    : {
      problem: `is not read: this file must be named ${meant}.ts`,
      hint: "Rename it, or prefix its name with an underscore if another file imports it.",
    };
}

/**
 * Explains why a folder of `app/auth` would be ignored although its name suggests providers.
 *
 * @param name The folder's name.
 * @param files Names of the files in it.
 * @returns `null` when the name is fine.
 */
export function judgeAuthFolder(name: string, files: readonly string[]): Judgement | null {
  if (name === "providers" || suggest(name, ["providers"]) === undefined) return null;
  const routed = new Set(["route.ts", "middleware.ts"]);
  if (!files.some((file) => isNamedModule(file) && !routed.has(file))) return null;
  return { problem: "is not read: this folder must be named providers", hint: "Rename it." };
}

/**
 * Explains why an entry of `app/auth/providers` would be ignored.
 *
 * @param name Its name.
 * @param options Whether it is a folder.
 * @returns `null` for a provider, and for what is none by its name.
 */
export function judgeProvider(name: string, options: { isFolder: boolean }): Judgement | null {
  if (name.startsWith("_") || name.startsWith(".") || name === "node_modules") return null;
  const hint = "Rename it, or prefix its name with an underscore if another file imports it.";
  if (options.isFolder) {
    return { problem: `is not read: a provider is a file, providers/${name}.ts`, hint };
  }
  const [, stem = "", extension = ""] = scriptName.exec(name) ?? [];
  if (extension === "" || extension === ".ts" || /[._](test|spec|d)$/.test(stem)) return null;
  return { problem: `is not read: this file must be named ${stem}.ts`, hint };
}

const notSupported: Judgement = {
  problem: "has a name that this version does not support",
  hint: "Rename the file, or move it to a folder whose name begins with an underscore.",
};

/**
 * Returns true for files that are recognized by name alone, such as providers, queues, durable
 * objects and cron jobs. Tests, declarations and files that begin with `_` are not.
 */
export function isNamedModule(name: string): boolean {
  return name.endsWith(".ts") && !name.startsWith("_") &&
    !/(_test|\.(test|spec|d))\.ts$/.test(name);
}

/** Lists a folder; the returned list is shared and must not be changed. */
export type FolderEntries = (path: string) => readonly Dirent[];

/**
 * Creates a cached view of folders for one scan. Synchronous, because reading a folder takes
 * microseconds and a thousand promises would take longer than all reads.
 */
export function createFolderEntries(): FolderEntries {
  const known = new Map<string, readonly Dirent[]>();
  return (path) => {
    const entries = known.get(path) ?? readdirSync(path, { withFileTypes: true });
    known.set(path, entries);
    return entries;
  };
}

/** Returns the entries of a folder that may not exist. */
export function entriesIfAny(entries: FolderEntries, path: string): readonly Dirent[] {
  try {
    return entries(path);
  } catch {
    return [];
  }
}

/** Files that run without a request for a path. */
export interface BackgroundFiles {
  /** Absolute paths of the files of `app/queues`, by queue name, which is the file's name. */
  queues: Record<string, string>;
  /** Absolute paths of the files of `app/objects`. */
  objects: string[];
  /** Absolute paths of the files of `app/cron`. */
  cron: string[];
}

/**
 * Finds the queues, durable objects and cron jobs of an application, by file names only.
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
 * Finds the providers in `app/auth/providers`, by file names only.
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
 * Finds the files whose components also run in the browser, anywhere in an application's folder.
 *
 * @param appDir Absolute path of the application's folder.
 * @param entries Lists folders.
 * @returns Absolute paths, in the same order on every machine.
 */
export function scanClients(appDir: string, entries: FolderEntries): string[] {
  const found: string[] = [];
  function read(folder: string, isPrivate: boolean): void {
    for (const entry of entriesIfAny(entries, folder)) {
      const { name } = entry;
      const path = childPath(folder, name);
      if (entry.isDirectory()) {
        if (name !== "node_modules") read(path, isPrivate || name.startsWith("_"));
        continue;
      }
      // In a private folder no name has a meaning.
      const mayBe = isComponent(name) && (isPrivate || !componentFiles.has(name));
      if (mayBe && hasClientDirective(textOf(path))) found.push(path);
    }
  }
  read(appDir, false);
  return found.sort();
}

function isComponent(name: string): boolean {
  return /\.[jt]sx$/.test(name) && !/(_test|\.(test|spec))\.[jt]sx$/.test(name);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
