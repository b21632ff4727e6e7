/** Part of a route's path between two slashes. */
export type Segment =
  | { kind: "static"; value: string }
  | { kind: "param"; name: string }
  | { kind: "rest"; name: string }
  | { kind: "optional"; name: string };

/**
 * Meaning of a folder name: a segment, a group that adds nothing to the path, a private folder, or
 * a mistake.
 */
export type FolderMeaning = Segment | { kind: "group" } | { kind: "private" } | {
  kind: "invalid";
  reason: string;
};

const paramName = /^[A-Za-z][A-Za-z0-9_-]*$/;
/**
 * Characters that a folder's name cannot contain, because they have a meaning in a pattern or a
 * URL, or are written differently there.
 */
const forbidden = /[:*?#%\\<>"|{}^`()[\]\s\p{Cc}]/u;
const weight = { static: 1, param: 2, rest: 3, optional: 4 };

/** Reads a folder name of the route tree. */
export function readFolder(name: string): FolderMeaning {
  if (name.startsWith("_")) return { kind: "private" };
  if (/^\([^().]+\)$/.test(name)) return { kind: "group" };
  if (name.startsWith("(.")) return invalid("intercepting routes are not supported");
  if (name.startsWith("@")) return invalid("parallel routes (@name) are not supported");
  const dynamic = /^(\[\[\.\.\.|\[\.\.\.|\[)([^[\].]*)(\]\]|\])$/.exec(name);
  if (dynamic) return readDynamic(dynamic[1]!, dynamic[2]!, dynamic[3]!);
  if (forbidden.test(name)) {
    return invalid("a folder is [name], [...name], [[...name]], (group), _private or a plain name");
  }
  return { kind: "static", value: name };
}

function readDynamic(open: string, name: string, close: string): FolderMeaning {
  if (!paramName.test(name)) {
    return invalid("a parameter's name begins with a letter and goes on with letters, digits, - _");
  }
  if (open === "[[..." && close === "]]") return { kind: "optional", name };
  if (open === "[..." && close === "]") return { kind: "rest", name };
  if (open === "[" && close === "]") return { kind: "param", name };
  return invalid("its brackets do not pair");
}

function invalid(reason: string): FolderMeaning {
  return { kind: "invalid", reason };
}

/** Reason why these segments cannot stand together in one path, or null when they can. */
export function checkSegments(segments: readonly Segment[]): string | null {
  const names = new Set<string>();
  for (const [index, segment] of segments.entries()) {
    if (segment.kind === "static") continue;
    if (names.has(segment.name)) return `the parameter "${segment.name}" occurs twice in its path`;
    names.add(segment.name);
    if (segment.kind !== "param" && index < segments.length - 1) {
      return "nothing can follow a catch-all segment";
    }
  }
  return null;
}

/** The pattern as people read it: `/users/:id`, `/docs/:path*`, `/docs/:path*?`. */
export function formatPattern(segments: readonly Segment[]): string {
  return "/" + segments.map(formatSegment).join("/");
}

function formatSegment(segment: Segment): string {
  switch (segment.kind) {
    case "static":
      return segment.value;
    case "param":
      return `:${segment.name}`;
    case "rest":
      return `:${segment.name}*`;
    case "optional":
      return `:${segment.name}*?`;
  }
}

/** The pattern as folders, without the groups: `/users/[id]`, `/docs/[...path]`. */
export function formatFolders(segments: readonly Segment[]): string {
  return "/" + segments.map((segment) => {
    switch (segment.kind) {
      case "static":
        return segment.value;
      case "param":
        return `[${segment.name}]`;
      case "rest":
        return `[...${segment.name}]`;
      case "optional":
        return `[[...${segment.name}]]`;
    }
  }).join("/");
}

/** The reverse of {@linkcode formatPattern}. */
export function parsePattern(pattern: string): Segment[] {
  return pattern.split("/").filter((part) => part !== "").map((part): Segment => {
    if (!part.startsWith(":")) return { kind: "static", value: part };
    if (part.endsWith("*?")) return { kind: "optional", name: part.slice(1, -2) };
    if (part.endsWith("*")) return { kind: "rest", name: part.slice(1, -1) };
    return { kind: "param", name: part.slice(1) };
  });
}

/**
 * Decides which of two routes answers a path that both match. Compares segment by segment: static
 * before parameter before catch-all before optional catch-all, and a shorter pattern before a
 * longer one.
 */
export function compareSegments(a: readonly Segment[], b: readonly Segment[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const left = a[index];
    const right = b[index];
    const order = (left ? weight[left.kind] : 0) - (right ? weight[right.kind] : 0);
    if (order !== 0) return order;
    if (left?.kind === "static" && right?.kind === "static" && left.value !== right.value) {
      return left.value < right.value ? -1 : 1;
    }
  }
  return 0;
}

/**
 * Returns a key that is equal for two patterns exactly when neither is more specific, so that no
 * order between them would be right.
 */
export function patternShape(segments: readonly Segment[]): string {
  return "/" + segments.map((segment) => {
    if (segment.kind === "static") return segment.value;
    return segment.kind === "param" ? ":" : "*";
  }).join("/");
}
