/** Changes the headers of a response by the rules that cover a path. */
export type HeaderRules = (path: string, headers: Headers) => void;

/**
 * Reads a `_headers` file: lines with a path, in which `*` stands for anything and `:name` for one segment, each followed
 * by indented lines that set a header or, with `!`, remove it. Rules apply in the order of the file; a header that two
 * rules set has both values, as on Workers.
 *
 * @param text Content of the file.
 */
export function parseHeaderRules(text: string): HeaderRules {
  const rules: { pattern: RegExp; changes: [name: string, value: string | null][] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    if (!/^\s/.test(line) && content.startsWith("/")) {
      rules.push({ pattern: patternOf(content), changes: [] });
      continue;
    }
    const removed = /^!\s*([\w-]+)$/.exec(content)?.[1];
    const [, name, value] = /^([\w-]+)\s*:\s*(.*)$/.exec(content) ?? [];
    const changes = rules.at(-1)?.changes;
    if (removed !== undefined) changes?.push([removed, null]);
    else if (name !== undefined) changes?.push([name, value!]);
  }
  return (path, headers) => {
    // The first rule replaces the server's own header, and the next ones add to it.
    const own = new Set<string>();
    for (
      const [name, value] of rules.flatMap((rule) => rule.pattern.test(path) ? rule.changes : [])
    ) {
      const key = name.toLowerCase();
      if (value === null) headers.delete(key);
      else if (own.has(key)) headers.append(key, value);
      else headers.set(key, value);
      if (value !== null) own.add(key);
    }
  };
}

function patternOf(path: string): RegExp {
  const source = path.split(/(\*|:[A-Za-z]\w*)/).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith(":") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${source.join("")}$`);
}
