import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseEnv } from "node:util";
import { appPath } from "../app/entry.ts";
import { sourceFiles } from "../app/source_files.ts";
import { type Token, tokenize } from "../app/tokens.ts";
import { bindingName } from "../build/background_check.ts";
import type { ProjectConfig } from "../config/load.ts";
import type { Platform } from "../platform/wrangler_file.ts";
import type { JsonValue } from "../tools/jsonc.ts";
import { formatInline, type ListAddition } from "../tools/jsonc_edit.ts";
import { displayPath } from "../tools/paths.ts";
import { type Finding, problem, warning } from "./checks.ts";

/** A name of the environment that the code uses and nothing declares. */
export interface MissingBinding {
  name: string;
  /** Place of its use, such as `app/page.tsx:3`. */
  place: string;
  /** The entry that the platform file lacks; null when the code does not tell the kind of binding. */
  addition: ListAddition | null;
  /** Entries of which one is right, where the code leaves that open; empty where it does not. */
  choices: readonly ListAddition[];
}

/** `store` is a bucket or a key-value namespace: both have the methods that were called. */
type Kind = "database" | "keyValue" | "bucket" | "store" | "queue" | "object";

/** Methods that only one kind of binding has. `send` belongs to queues and to mail. */
const METHODS: Record<string, Kind> = {
  prepare: "database",
  getWithMetadata: "keyValue",
  createMultipartUpload: "bucket",
  resumeMultipartUpload: "bucket",
  head: "bucket",
  get: "store",
  put: "store",
  list: "store",
  delete: "store",
  sendBatch: "queue",
  idFromName: "object",
  getByName: "object",
  newUniqueId: "object",
};

/** Options of those methods that only one of the two has. */
const OPTIONS: [Kind, RegExp][] = [
  ["bucket", /^(?:httpMetadata|customMetadata|onlyIf|storageClass|md5|sha\d+)$/],
  ["keyValue", /^(?:expirationTtl|expiration|cacheTtl|metadata)$/],
];

/** Names that people give to one of the two. */
const NAMES: [Kind, RegExp][] = [
  [
    "bucket",
    /(?:^|_)(?:R2|BUCKET|FILES?|UPLOADS?|IMAGES?|PHOTOS?|PICTURES?|AVATARS?|MEDIA|ATTACHMENTS?|DOCUMENTS?|BACKUPS?)(?:_|$)/,
  ],
  ["keyValue", /(?:^|_)(?:KV|CACHE|FLAGS|SETTINGS|SESSIONS)(?:_|$)/],
];

interface Use {
  name: string;
  place: string;
  kind: Kind | undefined;
}

/**
 * Finds the bindings, variables and secrets that the application needs and that neither the platform
 * file nor `.dev.vars` declares: the database of the migrations and of `context.db`, and names that the code reads as
 * `env.NAME`. Reads such as `env?.NAME` and `env.NAME?.send()` need none.
 *
 * @param config The project.
 * @param platform The platform's file.
 * @returns Each name once, with its first place.
 */
export function findMissingBindings(config: ProjectConfig, platform: Platform): MissingBinding[] {
  const declared = declaredNames(config.root, platform);
  // The server has it by DATABASE_URL, and no entry of the platform file.
  if (config.dialect === "postgres") declared.add(config.database);
  const uses = [
    ...readMigrationsUse(config, platform),
    ...readDatabaseUses(config, platform),
    ...readUses(config),
  ];
  const found = new Map<string, Use>();
  for (const use of uses) {
    if (declared.has(use.name)) continue;
    const known = found.get(use.name);
    if (known === undefined) found.set(use.name, { ...use });
    else if (known.kind === undefined || known.kind === "store") {
      known.kind = use.kind ?? known.kind;
    }
  }
  const queues = queueNames(config.appDir);
  return [...found.values()].map(({ name, place, kind: used }) => {
    const queue = queues.find((each) => bindingName(each) === name);
    const kind = used === "store" ? NAMES.find(([, names]) => names.test(name))?.[0] ?? used : used;
    const entry = (kind: Kind | undefined) => additionFor(name, kind, { platform, queue });
    const choices = kind === "store" && queue === undefined
      ? [entry("bucket")!, entry("keyValue")!]
      : [];
    return { name, place, addition: entry(kind), choices };
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
  const isBinding = ({ addition, choices }: MissingBinding) =>
    addition !== null || choices.length > 0;
  const known = missing.filter(isBinding);
  const unknown = missing.filter((each) => !isBinding(each));
  const written = known.flatMap(({ addition }) => addition ?? []);
  const toAdd = ({ path, item }: ListAddition) =>
    `to ${path.join(".")} of ${file}: ${formatInline(item)}`;
  return [
    ...(known.length === 0 ? [] : [problem(
      "missing bindings",
      known.map(({ name, place }) => `${place} needs ${name}, which ${file} does not declare`)
        .join("\n"),
      [
        ...written.map((addition) => `Add ${toAdd(addition)}`),
        ...(written.length === 0
          ? []
          : ["Or run `framework doctor --fix`, which writes what is to be added."]),
        ...known.flatMap(({ choices: [bucket, namespace] }) =>
          bucket && namespace
            ? [`Add, for files, ${toAdd(bucket)}\nor, for small values, ${toAdd(namespace)}`]
            : []
        ),
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
      // Which of two stores it is, the class of a durable object, and the value of a variable, only the developer knows.
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
  { database, dialect, migrationsDir, root }: ProjectConfig,
  { d1Databases }: Platform,
): Use[] {
  if (dialect !== "sqlite" || d1Databases.length > 0 || !existsSync(migrationsDir)) return [];
  const first = readdirSync(migrationsDir).filter((name) => name.endsWith(".sql")).sort()[0];
  if (first === undefined) return [];
  const place = displayPath(root, join(migrationsDir, first));
  return [{ name: database, place, kind: "database" }];
}

/** Finds the uses of `context.db`, when the platform file declares no database at all. */
function readDatabaseUses(
  { appDir, database, dialect }: ProjectConfig,
  { d1Databases }: Platform,
): Use[] {
  if (dialect !== "sqlite" || d1Databases.length > 0) return [];
  return sourceFiles(appDir).flatMap((file): Use[] => {
    const source = readFileSync(file, "utf8");
    if (!/\bcontext\s*\.\s*db\b/.test(source)) return [];
    const tokens = tokenize(source, { jsx: file.endsWith("x") }) ?? [];
    const found = tokens.find(({ text }, index) =>
      text === "context" && tokens[index + 1]?.text === "." && tokens[index + 2]?.text === "db"
    );
    if (found === undefined) return [];
    const place = placeOf(appPath(appDir, file), source, found.at);
    return [{ name: database, place, kind: "database" }];
  });
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
      const kind = isCall(after) ? kindOf(after[1]!, tokens.slice(index + 4)) : undefined;
      return [{ name, place: placeOf(appPath(appDir, file), source, at), kind }];
    });
  });
}

/** The kind of binding that has a method, by its options where two kinds have it. */
function kindOf(method: string, behind: readonly Token[]): Kind | undefined {
  const kind = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (kind !== "store") return kind;
  let depth = 1;
  for (const { text } of behind) {
    if ("([{".includes(text)) depth++;
    else if (")]}".includes(text) && --depth === 0) break;
    const one = OPTIONS.find(([, names]) => names.test(text));
    if (one !== undefined) return one[0];
  }
  return kind;
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
