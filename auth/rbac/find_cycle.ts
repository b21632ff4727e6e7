/** The way that is being tried, from where it began to where it is. */
interface Way {
  nodes: string[];
  /** For each node, what is still to be tried from there. */
  untried: string[][];
  /** The same nodes, for asking. */
  members: Set<string>;
}

function advance(way: Way, node: string, next: readonly string[]): void {
  way.nodes.push(node);
  way.untried.push([...next]);
  way.members.add(node);
}

/**
 * Finds a way from a node back to itself. It does not recurse, so depth costs no stack, and it goes along
 * every edge once.
 *
 * @returns The nodes on the way, the first again at the end; null when there is none.
 */
export function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  for (const start of graph.keys()) {
    if (done.has(start)) continue;
    const way: Way = { nodes: [], untried: [], members: new Set() };
    advance(way, start, graph.get(start)!);
    while (way.nodes.length > 0) {
      const next = way.untried.at(-1)!.pop();
      if (next === undefined) {
        const left = way.nodes.pop()!;
        way.untried.pop();
        way.members.delete(left);
        done.add(left);
      } else if (way.members.has(next)) {
        return [...way.nodes.slice(way.nodes.indexOf(next)), next];
      } else if (!done.has(next)) {
        advance(way, next, graph.get(next) ?? []);
      }
    }
  }
  return null;
}
