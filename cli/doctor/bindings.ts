import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseEnv } from "node:util";
import { appPath } from "../app/entry.ts";
import { type Token, tokenize } from "../app/tokens.ts";
import { bindingName } from "../build/background_check.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { formatInline, type ListAddition } from "../tools/jsonc_edit.ts";
import { childPath, displayPath } from "../tools/paths.ts";
import { type Finding, problem, warning } from "./checks.ts";

/** A name of the environment that the code uses and nothing declares. */
export interface MissingBinding {
  name: string;
  /** Place of its use, such as `app/page.tsx:3`. */
  place: string;
  /** The entry that the platform file lacks; null when the code does not tell the kind of binding. */
  addition: ListAddition | null;
}

type Kind = "database" | "keyValue" | "bucket" | "queue" | "object";

/** Methods that only one kind of binding has. `send` belongs to queues and to mail. */
const METHODS: Record<string, Kind> = {
  prepare: "database",
  getWithMetadata: "keyValue",
  createMultipartUpload: "bucket",
  sendBatch: "queue",
  idFromName: "object",
  getByName: "object",
  newUniqueId: "object",
};

interface Use {
  name: string;
  place: string;
  kind: Kind | undefined;
}

/**
 * Finds the bindings, variables and secrets that the application needs and that neither the platform
 * file nor `.dev.vars` declares: the database of the migrations, and names that the code reads as
 * `env.NAME`. Reads such as `env?.NAME` and `env.NAME?.send()` need none.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns Each name once, with its first place.
 */
export function findMissingBindings(config: ProjectConfig, platform: Platform): MissingBinding[] {
  const declared = declaredNames(config.root, platform);
  const uses = [...readMigrationsUse(config, platform), ...readUses(config)];
  const found = new Map<string, Use>();
  for (const use of uses) {
    if (declared.has(use.name)) continue;
    const known = found.get(use.name);
    if (known === undefined) found.set(use.name, { ...use });
    else known.kind ??= use.kind;
  }
  const queues = queueNames(config.appDir);
  return [...found.values()].map(({ name, place, kind }) => {
    const queue = queues.find((each) => bindingName(each) === name);
    return { name, place, addition: additionFor(name, kind, { platform, queue }) };
  });
}

/**
 * Says which bindings are missing.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @param handled Names that another finding is about.
 */
export function examineMissingBindings(
  config: ProjectConfig,
  platform: Platform,
  handled: ReadonlySet<string>,
): Finding[] {
  const file = basename(platform.file);
  const missing = findMissingBindings(config, platform).filter(({ name }) => !handled.has(name));
  const known = missing.filter(({ addition }) => addition !== null);
  const unknown = missing.filter(({ addition }) => addition === null);
  return [
    ...(known.length === 0 ? [] : [problem(
      "missing bindings",
      known.map(({ name, place }) => `${place} needs ${name}, which ${file} does not declare`)
        .join("\n"),
      [
        ...known.map(({ addition }) =>
          `Add to ${addition!.path.join(".")} of ${file}: ${formatInline(addition!.item)}`
        ),
        "Or run `framework doctor --fix`, which writes what is to be added.",
      ].join("\n"),
    )]),
    ...(unknown.length === 0 ? [] : [warning(
      "missing variables",
      unknown.map(({ name, place }) => `${place} needs ${name}, which nothing declares`)
        .join("\n"),
      `Set a secret in .dev.vars, a variable in vars of ${file}, or the binding in ${file}.`,
    )]),
  ];
}

/** Returns the names of the bindings among entries of the platform file. */
export function bindingsOf(additions: readonly ListAddition[]): Set<string> {
  return new Set(additions.flatMap(({ item }) => {
    const { binding, name } = Object(item) as { binding?: unknown; name?: unknown };
    return [binding, name].filter((each) => typeof each === "string");
  }));
}

function additionFor(
  name: string,
  kind: Kind | undefined,
  { platform, queue }: { platform: Platform; queue: string | undefined },
): ListAddition | null {
  const kebab = name.toLowerCase().replaceAll("_", "-");
  if (queue !== undefined && (kind === undefined || kind === "queue")) {
    return { path: ["queues", "producers"], item: { binding: name, queue } };
  }
  switch (kind) {
    case "database":
      return {
        path: ["d1_databases"],
        item: {
          binding: name,
          "database_name": platform.d1Databases.length === 0
            ? platform.name
            : `${platform.name}-${kebab}`,
        },
      };
    case "keyValue":
      return { path: ["kv_namespaces"], item: { binding: name } };
    case "bucket":
      return {
        path: ["r2_buckets"],
        item: { binding: name, "bucket_name": `${platform.name}-${kebab}` },
      };
    case "queue":
      return { path: ["queues", "producers"], item: { binding: name, queue: kebab } };
    default:
      // The class of a durable object, and the value of a variable, only the developer knows.
      return null;
  }
}

/** Returns the names that the top level of the platform file and `.dev.vars` declare. */
function declaredNames(root: string, { raw, vars }: Platform): Set<string> {
  const names = new Set(Object.keys(vars));
  const { env: _, ...top } = raw;
  collect(top);
  for (const file of [".dev.vars", ".dev.vars.example"]) {
    const path = join(root, file);
    if (!existsSync(path)) continue;
    const text = readFileSync(path, "utf8");
    for (const name of Object.keys(parseEnv(text))) names.add(name);
    // An optional name is commented out.
    for (const [, name] of text.matchAll(/^#\s*([A-Za-z_]\w*)=/gm)) names.add(name!);
  }
  return names;

  function collect(value: JsonValue): void {
    if (Array.isArray(value)) {
      for (const item of value) typeof item === "string" ? names.add(item) : collect(item);
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        const isName = key === "binding" || key === "name";
        if (isName && typeof inner === "string") names.add(inner);
        else collect(inner);
      }
    }
  }
}

/** Returns the database of the migrations, when the platform file declares none at all. */
function readMigrationsUse(
  { database, migrationsDir, root }: ProjectConfig,
  { d1Databases }: Platform,
): Use[] {
  if (d1Databases.length > 0 || !existsSync(migrationsDir)) return [];
  const first = readdirSync(migrationsDir).filter((name) => name.endsWith(".sql")).sort()[0];
  if (first === undefined) return [];
  const place = displayPath(root, join(migrationsDir, first));
  return [{ name: database, place, kind: "database" }];
}

/** Finds the reads of the form `env.NAME` in the application's files. */
function readUses({ appDir }: ProjectConfig): Use[] {
  return sourceFiles(appDir).flatMap((file) => {
    const source = readFileSync(file, "utf8");
    // Most files have none, and need no tokens.
    if (!/\benv\s*\.\s*[A-Z]/.test(source)) return [];
    const tokens = tokenize(source, { jsx: file.endsWith("x") }) ?? [];
    return tokens.flatMap(({ text: name, at }, index): Use[] => {
      const before = tokens.slice(Math.max(0, index - 4), index).map(({ text }) => text);
      if (!isBindingName(name) || before.at(-1) !== "." || before.at(-2) !== "env") return [];
      // `import.meta.env` and `process.env` are other environments.
      if (before.at(-3) === "." && ["meta", "process", "Deno"].includes(before.at(-4)!)) return [];
      const after = tokens.slice(index + 1, index + 4).map(({ text }) => text);
      if (after[0] === "?") return [];
      const kind = isCall(after) ? METHODS[after[1]!] : undefined;
      return [{ name, place: placeOf(appPath(appDir, file), source, at), kind }];
    });
  });
}

function isCall([dot, , open]: Token["text"][]): boolean {
  return dot === "." && (open === "(" || open === "<");
}

function isBindingName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name);
}

function placeOf(path: string, source: string, at: number): string {
  return `${path}:${source.slice(0, at).split("\n").length}`;
}

function queueNames(appDir: string): string[] {
  const folder = join(appDir, "queues");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.startsWith("_"))
    .map((name) => basename(name, ".ts"));
}

function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = childPath(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sourceFiles(path);
    const isSource = /\.[jt]sx?$/.test(entry.name) && !/[._](test|spec|d)\.\w+$/.test(entry.name);
    return isSource ? [path] : [];
  });
}
