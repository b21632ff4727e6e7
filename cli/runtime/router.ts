import { parsePattern, type Segment } from "./pattern.ts";

/** Values of a path's dynamic segments: a string for `[id]`, a list for `[...rest]`. */
export type Params = Record<string, string | string[]>;

/** Query of a page's URL; a name that occurs more than once has a list. */
export type SearchParams = Record<string, string | string[]>;

/** Route that answers a path, with the values of its dynamic segments. */
export interface Match<T> {
  route: T;
  params: Params;
}

/** Node of the routing tree; its fields are tried in this order. */
interface Node<T> {
  /** Route whose pattern ends here. */
  end: Leaf<T> | null;
  /** Children by static segment, as encoded in URLs. */
  fixed: Map<string, Node<T>>;
  param: Node<T> | null;
  rest: Leaf<T> | null;
  optional: Leaf<T> | null;
}

interface Leaf<T> {
  route: T;
  /** Names of the dynamic segments, in order. */
  names: string[];
}

/**
 * Finds the route of a path. The cost depends on the length of the path, not on the number of
 * routes: routes are stored in a tree, whose branches are tried in the order of `compareSegments`.
 *
 * @param routes Of two patterns of one shape the first answers.
 * @returns A function from an encoded path (`URL.pathname`) to the most specific route that matches.
 */
export function createRouter<T extends { pattern: string }>(
  routes: readonly T[],
): (pathname: string) => Match<T> | null {
  const root = createNode<T>();
  for (const route of routes) insert(root, parsePattern(route.pattern), route);
  return (pathname) => {
    const parts = pathname === "/" ? [] : pathname.slice(1).split("/");
    const held: (string | string[])[] = [];
    const leaf = walk(root, { parts, held }, 0);
    if (leaf === null) return null;
    const params: Params = {};
    for (let index = 0; index < leaf.names.length; index++) {
      params[leaf.names[index]!] = held[index]!;
    }
    return { route: leaf.route, params };
  };
}

function createNode<T>(): Node<T> {
  return { end: null, fixed: new Map(), param: null, rest: null, optional: null };
}

function insert<T>(root: Node<T>, segments: readonly Segment[], route: T): void {
  const names: string[] = [];
  let node = root;
  for (const segment of segments) {
    if (segment.kind === "static") {
      const text = encodeURI(segment.value);
      const next = node.fixed.get(text) ?? createNode<T>();
      node.fixed.set(text, next);
      node = next;
      continue;
    }
    names.push(segment.name);
    if (segment.kind === "param") {
      node = node.param ??= createNode<T>();
    } else {
      node[segment.kind] ??= { route, names };
      return;
    }
  }
  node.end ??= { route, names };
}

interface Walk {
  /** Segments of the path. */
  parts: string[];
  /** Values of the dynamic segments so far. */
  held: (string | string[])[];
}

function walk<T>(node: Node<T>, path: Walk, index: number): Leaf<T> | null {
  const { parts, held } = path;
  const part = parts[index];
  if (part === undefined) {
    if (node.end) return node.end;
    if (node.optional) held.push([]);
    return node.optional;
  }
  const next = node.fixed.get(part);
  const found = next ? walk(next, path, index + 1) : null;
  if (found) return found;
  if (node.param && part !== "") {
    held.push(decode(part));
    const found = walk(node.param, path, index + 1);
    if (found) return found;
    held.pop();
  }
  const last = node.rest ?? node.optional;
  if (last === null || (part === "" && index === parts.length - 1)) return null;
  held.push(parts.slice(index).map(decode));
  return last;
}

/**
 * Decodes a segment. Invalid encodings, which no browser sends, are left unchanged: they match no
 * record either way. So is a NUL, where many a database and file system lets a text end.
 */
function decode(text: string): string {
  if (/%00|^[^%]*$/.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
