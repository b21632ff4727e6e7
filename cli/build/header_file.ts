import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { assetsFolder } from "../client/assets.ts";
import type { RenderedPage } from "../emulator/prerender.ts";
import { headerLimits, type HeaderRule, readHeaderRules } from "../server/header_rules.ts";
import { CliError, ExitCode } from "../terminal/exit.ts";
import { imagePolicy } from "./asset_imports.ts";

/** Rule of the build: a path, headers that are removed, and headers that are set. */
interface Rule {
  path: string;
  unset: string[];
  set: [name: string, value: string][];
}

/** Rule for all pages of a route. */
interface RouteRule extends Rule {
  covers(path: string): boolean;
  own: ReadonlySet<string>;
}

/** Headers that the platform sets for a file, or that belong to one response. */
const ofResponse = new Set(["content-type", "content-length", "transfer-encoding", "date"]);

/** Headers of a file that no rule covers. */
const ofFiles: Record<string, string> = {
  "cache-control": "public, max-age=0, must-revalidate",
  "x-content-type-options": "nosniff",
};

/** Files that are not served. */
const unserved = new Set(["_headers", "_redirects", ".assetsignore"]);

/** Path of a rule that covers what the build's own rule covers, and is not the same. */
const built = `${assetsFolder}/:file_*`;

/** Rules of built files: they are named after their content and never change. */
const ofBuild: Rule[] = [
  {
    path: `${assetsFolder}/*`,
    unset: ["cache-control", "x-content-type-options"],
    set: [
      ["cache-control", "public, max-age=31536000, immutable"],
      ["x-content-type-options", "nosniff"],
    ],
  },
  {
    path: `${assetsFolder}/*.svg`,
    unset: ["content-security-policy"],
    set: [["content-security-policy", imagePolicy]],
  },
];

/**
 * Completes `_headers` of a build, which the platform reads and does not serve: rules for the
 * prerendered pages, then those of the project, then those of built files. At most one rule of the
 * build decides on the headers of a page, whatever the order; a rule of the project adds to them,
 * or replaces them by `!`.
 *
 * @param assets Absolute path of the built static files, prerendered pages included.
 * @param pages The prerendered pages.
 * @throws {CliError} Exit code 3 for more rules, or longer lines, than the platform reads.
 */
export async function writeHeaderFile(
  assets: string,
  pages: readonly RenderedPage[],
): Promise<void> {
  const file = join(assets, "_headers");
  const text = await readFile(file, "utf8").catch(() => "");
  const own = readHeaderRules(text);
  const before = createPageRules(pages, pages.length === 0 ? [] : await listAddresses(assets));
  const behind = existsSync(join(assets, assetsFolder)) ? ofBuild : [];
  if (before.length + behind.length === 0) return;
  const lines = text.trimEnd().split("\n");
  const merged = new Set<Rule>();
  // Of two rules with one path the platform would forget the first. From the end, so that indexes stay.
  for (const { path, line, set, unset } of own.toSorted((a, b) => b.line - a.line)) {
    const rule = [...before, ...behind].find((each) => each.path === path);
    if (rule === undefined) continue;
    merged.add(rule);
    const names = new Set([...set.keys(), ...unset, ...removedBefore(own, path, line)]);
    lines.splice(line + 1, 0, ...linesOf(rule, names));
  }
  const rest = (rules: Rule[]): string[] =>
    rules.filter((rule) => !merged.has(rule)).flatMap((rule) => [rule.path, ...linesOf(rule)]);
  const count = own.length + before.length + behind.length - merged.size;
  if (count > headerLimits.rules) {
    throw refusal(
      `The build needs ${count} rules in _headers, and ${headerLimits.rules} are the limit: ` +
        `${before.length} for prerendered pages, ${own.length} of public/_headers, ${behind.length} for built files. ` +
        "One rule is enough for a route whose pages have the same headers, and whose path covers few other files.",
    );
  }
  await writeFile(file, `${[...rest(before), ...lines, ...rest(behind)].join("\n").trim()}\n`);
}

/** Names of headers that rules of the project in front of a line remove from a path. */
function removedBefore(rules: readonly HeaderRule[], path: string, line: number): string[] {
  if (!path.startsWith("/")) return [];
  const url = new URL(path, "https://host.invalid");
  return rules.flatMap((rule) => rule.line < line && rule.match(url) !== null ? rule.unset : []);
}

function linesOf({ path, unset, set }: Rule, without: ReadonlySet<string> = new Set()): string[] {
  const values = set.map(([name, value]) => [name, `  ${name}: ${value}`] as const);
  const long = values.find(([, line]) => line.trim().length > headerLimits.line)?.[0];
  if (long !== undefined) {
    throw refusal(`${path} has a header ${long} of more than ${headerLimits.line} characters.`);
  }
  return [
    ...unset.filter((name) => !without.has(name)).map((name) => `  ! ${name}`),
    ...values.filter(([name]) => !without.has(name)).map(([, line]) => line),
  ];
}

function refusal(problem: string): CliError {
  return new CliError(problem, { exitCode: ExitCode.build });
}

/**
 * Returns a rule for each route whose pages have the same headers, where that makes fewer rules than
 * one for each page, and a rule for each other page. What a route's rule covers beside its pages has a
 * rule that takes the headers away again.
 */
function createPageRules(pages: readonly RenderedPage[], files: readonly string[]): Rule[] {
  const byPath = new Map(pages.map((page) => [canonical(page.path), page]));
  const addresses = [...new Set([...byPath.keys(), ...files, built])];
  const routes = [...Map.groupBy(byPath, ([, { pattern }]) => pattern)].flatMap(
    ([pattern, own]) => createRouteRule(pattern, new Map(own), addresses),
  );
  const single = addresses.flatMap((path): Rule[] => {
    const covering = routes.filter((rule) => rule.covers(path));
    if (covering.length === 1 && covering[0]!.own.has(path)) return [];
    const page = byPath.get(path);
    if (page === undefined && covering.length === 0) return [];
    const unset = [...new Set(covering.flatMap(({ set }) => set.map(([name]) => name)))];
    const defaults = Object.entries(ofFiles).filter(([name]) => unset.includes(name));
    return [{ path, unset, set: page === undefined ? defaults : headersOf(page) }];
  });
  return [...routes, ...single];
}

function createRouteRule(
  pattern: string,
  pages: ReadonlyMap<string, RenderedPage>,
  addresses: readonly string[],
): RouteRule[] {
  const [set = [], ...others] = [...pages.values()].map(headersOf);
  const isSame = others.every((each) => JSON.stringify(each) === JSON.stringify(set));
  // The platform fills in what the path's "*" and ":p0_" stand for.
  if (!isSame || set.some(([, value]) => /:(?:splat|p\d+_)/.test(value))) return [];
  const path = rulePath(pattern);
  const [rule] = readHeaderRules(`${path}\n  ! x`);
  const covers = (each: string): boolean =>
    rule?.match(new URL(each, "https://host.invalid")) != null;
  const foreign = addresses.filter((each) => covers(each) && !pages.has(each));
  const cannotBeNamed = foreign.some((each) => each.includes("*") && each !== built);
  if (cannotBeNamed || 1 + foreign.length >= pages.size) return [];
  return [{ path, unset: [], set, covers, own: new Set(pages.keys()) }];
}

function headersOf({ headers }: RenderedPage): [name: string, value: string][] {
  return headers.filter(([name]) => !ofResponse.has(name));
}

/**
 * Returns the path of a rule. Names of parameters may be what a rule cannot name, and one with a name of
 * its own is no rule of the project.
 */
function rulePath(pattern: string): string {
  return pattern.split("/").map((part, index) => {
    if (!part.startsWith(":")) return encodeURIComponent(part);
    return `:p${index}_${/\*\??$/.test(part) ? "*" : ""}`;
  }).join("/");
}

/** Returns a path in the one spelling that the platform serves; it redirects the others. */
function canonical(path: string): string {
  return path.split("/").map((part) => encodeURIComponent(decodeURIComponent(part))).join("/");
}

/** Lists the addresses of the files of a build, but for those that it has made. */
async function listAddresses(assets: string): Promise<string[]> {
  const entries = await readdir(assets, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(assets, join(parentPath, name)).split(sep).join("/"))
    .filter((name) => !unserved.has(name) && !`/${name}`.startsWith(`${assetsFolder}/`));
  return names.map((name) =>
    `/${name.split("/").map(encodeURIComponent).join("/")}`.replace(
      /(?<=\/)index\.html$|\.html$/,
      "",
    )
  );
}
