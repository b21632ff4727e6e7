import { errorPageKinds } from "../runtime/manifest.ts";

/** What is wrong with a file's name, and what to do about it. */
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
export const componentFiles: ReadonlySet<string> = new Set(
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
 * @param options Whether it stands in `app/auth`.
 * @returns `null` when the name is fine.
 */
export function judgeFile(name: string, options: { inAuth: boolean }): Judgement | null {
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
  if (options.inAuth) {
    if ((authFiles as readonly string[]).includes(stem) && extension !== ".ts") {
      return { problem: `is not read: this file is named ${stem}.ts`, hint: "Rename it." };
    }
  }
  return null;
}

const notSupported: Judgement = {
  problem: "has a name that this version does not support",
  hint: "Rename the file, or put it into a folder whose name begins with an underscore.",
};

/**
 * Whether a file is one by its name alone, as a provider, a queue, a durable object or a cron job is: tests, declarations
 * and files that begin with `_` are not.
 */
export function isNamedModule(name: string): boolean {
  return name.endsWith(".ts") && !name.startsWith("_") &&
    !/(_test|\.(test|spec|d))\.ts$/.test(name);
}
