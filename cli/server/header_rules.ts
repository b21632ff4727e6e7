/** Changes the headers of the response to a request by the rules that cover its address. */
export type HeaderRules = (url: URL, headers: Headers) => void;

/** A rule of a `_headers` file. */
export interface HeaderRule {
  /** Path as it is compared: encoded, with `*` and `:name`; with `https://` and a host where it has one. */
  path: string;
  /** Returns what `*` (as `splat`) and `:name` stand for in an address; null for one that the rule does not cover. */
  match(url: URL): Record<string, string> | null;
  /** Values by the header's name in lower case; several of one name are one, separated by commas. */
  set: Map<string, string>;
  /** Names of headers that are removed first, in lower case. */
  unset: string[];
  /** Index of its line with the path. */
  line: number;
}

/** Limits of Workers: what exceeds them is ignored there. */
export const headerLimits = { rules: 100, line: 2_000 };

/**
 * Reads a `_headers` file as Workers do: lines with a path, in which `*` stands for anything and `:name` for one segment,
 * each followed by lines that set a header or, with `!`, remove it. Lines that Workers ignore are ignored; of two
 * rules with the same path the last one counts, in the place of the first.
 *
 * @param text Content of the file.
 */
export function readHeaderRules(text: string): HeaderRule[] {
  const rules = new Map<string, HeaderRule>();
  let rule: HeaderRule | null = null;
  let count = 0;
  const end = (): void => {
    if (rule === null || rule.set.size + rule.unset.length === 0) return;
    rules.set(rule.path, rule);
    count++;
  };
  for (const [index, line] of text.split("\n").map((each) => each.trim()).entries()) {
    if (line === "" || line.startsWith("#") || line.length > headerLimits.line) continue;
    if (/^(?:[^\s]+:\/\/|\/)/.test(line)) {
      end();
      if (count >= headerLimits.rules) return [...rules.values()];
      rule = createRule(line, index);
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === -1) {
      if (line.startsWith("! ")) rule?.unset.push(line.slice(2).toLowerCase());
      continue;
    }
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "" || name.includes(" ") || value === "") continue;
    const before = rule?.set.get(name);
    rule?.set.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  end();
  return [...rules.values()];
}

/**
 * Creates the function that applies a `_headers` file. Rules apply in the order of the file; a header that two rules set
 * has both values, unless the second removes it first.
 *
 * @param text Content of the file.
 */
export function parseHeaderRules(text: string): HeaderRules {
  const rules = readHeaderRules(text);
  return (url, headers) => {
    // The first rule replaces the server's own header, and the next ones add to it.
    const own = new Set<string>();
    for (const { match, set, unset } of rules) {
      const parts = match(url);
      if (parts === null) continue;
      for (const name of unset) headers.delete(name);
      for (const [name, text] of set) {
        const value = Object.entries(parts).reduce(
          (filled, [part, found]) => filled.replaceAll(`:${part}`, () => found),
          text,
        );
        if (own.has(name)) headers.append(name, value);
        else headers.set(name, value);
        own.add(name);
      }
    }
  };
}

/** Creates the rule of a path or an address; null for one that Workers refuse. */
export function createRule(text: string, line: number): HeaderRule | null {
  const [, host = "", rest] = /^(?:https:\/\/+([^/]+))?(?:\/|$)(.*)$/.exec(text) ?? [];
  if (rest === undefined || /:\d+$/.test(host)) return null;
  const { pathname } = new URL(`relative://host/${rest}`);
  const origin = host === "" ? "" : `https://${host}`;
  const pattern = createPattern(origin, pathname);
  if (pattern === null) return null;
  return {
    path: origin + pathname,
    match(url) {
      const address = origin === "" ? url.pathname : `https://${url.hostname}${url.pathname}`;
      const found = pattern.exec(address);
      return found && { ...found.groups };
    },
    set: new Map(),
    unset: [],
    line,
  };
}

/** Placeholder for a part of an address. */
const PART = /(\*|:[A-Za-z]\w*)/;

function createPattern(origin: string, path: string): RegExp | null {
  const names = (origin + path).split(PART).filter((_, index) => index % 2 === 1);
  // Workers ignore rules with such names, which they would confuse.
  const isConfused = names.some((name, index) =>
    names.slice(index + 1).some((later) => later.startsWith(name))
  );
  if (isConfused || (names.includes("*") && names.includes(":splat"))) return null;
  return new RegExp(`^${patternOf(origin, "[^/.]+")}${patternOf(path, "[^/]+")}$`);
}

function patternOf(text: string, segment: string): string {
  return text.split(PART).map((part) => {
    if (part === "*") return "(?<splat>.*)";
    return /^:[A-Za-z]/.test(part)
      ? `(?<${part.slice(1)}>${segment})`
      : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  }).join("");
}
