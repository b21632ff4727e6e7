import { type ComponentType, h, options as preact, render } from "preact";
import { hydrateIslands, page, type PageElement } from "./hydrate.ts";

/** A component that is mounted, under the names that Preact's build gives its fields. */
interface Mounted {
  /** Function that renders. */
  constructor: unknown;
  /** States of its hooks. */
  __H?: { __: { __H?: unknown }[] };
}

/** A node of the tree that Preact has rendered. */
interface Node {
  type: unknown;
  props: Record<string, unknown> & { children?: unknown };
  /** Its component, if it has one. */
  __c?: Mounted;
  /** Its children. */
  __k?: (Node | null)[];
}

interface Island extends PageElement {
  __k?: Node;
  replaceChildren(): void;
}

/** Hooks into Preact by which its own development tools work. */
interface Options {
  vnode?: ((node: Node) => void) | undefined;
  unmount?: ((node: Node) => void) | undefined;
  /** Called before a component renders. */
  __r?: ((node: Node) => void) | undefined;
  /** Notes the call of a hook by a component. */
  __h?: ((component: Mounted, index: number, kind: number) => void) | undefined;
}

const browser = globalThis as unknown as {
  document: { querySelectorAll(selector: string): Iterable<Island> };
};
const options = preact as unknown as Options;
const USE_REF = 5;

class HooksChanged extends Error {}

/** Kinds of the hooks that a component has called when it rendered last. */
const kinds = new WeakMap<Mounted, number[]>();
/** Components whose function is another one now, with the hooks of the one before. */
const renewed = new Map<Mounted, readonly number[]>();
/** Mounted components by name, while an island is being renewed. */
let candidates: Map<string, Node[]> | null = null;

const { vnode, __r, __h } = options;
options.vnode = (node) => {
  if (candidates !== null && typeof node.type === "function") adopt(node.type);
  vnode?.(node);
};
options.__r = (node) => {
  kinds.set(node.__c!, []);
  __r?.(node);
};
options.__h = (component, index, kind) => {
  const before = renewed.get(component);
  if (before !== undefined && before[index] !== kind) throw new HooksChanged();
  kinds.get(component)![index] = kind;
  __h?.(component, index, kind);
};

/**
 * Hydrates the islands of one client file in development. When its script is loaded again after an
 * edit, the islands that are there get the new components: with their state where the hooks are the
 * same, anew where they are not.
 *
 * @param address Address of the script.
 * @param module What the client file exports.
 * @throws {TypeError} Outside of a browser, which has custom elements.
 *
 * @example
 * ```ts
 * import { hotIslands } from "@framework/cli/client/hot";
 * import { throws } from "node:assert/strict";
 *
 * throws(() => hotIslands(import.meta.url, { Counter: () => null }), TypeError); // this is no browser
 * ```
 */
export function hotIslands(address: string, module: Record<string, unknown>): void {
  const { pathname } = new URL(address);
  const isAgain = page.modules.has(pathname);
  hydrateIslands(address, module);
  if (!isAgain) return;
  for (const island of browser.document.querySelectorAll(`framework-island[src="${pathname}"]`)) {
    if (!page.waiting.has(island)) {
      renew(island, module[island.getAttribute("name") ?? ""] as ComponentType);
    }
  }
}

function renew(island: Island, component: ComponentType | undefined): void {
  const tree = island.__k;
  // Preact takes the root out of its props when it has been rendered without an error.
  const failed = (tree?.props.children as Node[] | null | undefined)?.[0];
  const root = failed ?? tree?.__k?.[0];
  if (component === undefined || root == null) throw new Error("The island cannot be renewed.");
  const mounted = failed === undefined ? mountedBelow(root) : [];
  const end = (): void => {
    for (const node of mounted) options.unmount?.(node);
    island.replaceChildren();
  };
  const start = (): void => {
    end();
    delete island.__k;
    render(h(component, root.props as object), island as never);
  };
  try {
    if (failed !== undefined) return start();
    candidates = Map.groupBy(mounted, ({ type }) => (type as { name: string }).name);
    try {
      render(h(component, root.props as object), island as never);
      const isShorter = [...renewed].some(([mounted, before]) =>
        before.length !== kinds.get(mounted)?.length
      );
      if (!isShorter) return;
    } catch (error) {
      if (!(error instanceof HooksChanged)) throw error;
    } finally {
      candidates = null;
      renewed.clear();
    }
    start();
  } catch (error) {
    // As an error of a component is told otherwise. Until the next edit the island is not there.
    end();
    reportError(error);
  }
}

function mountedBelow(node: Node | null): Node[] {
  if (node === null) return [];
  const below = (node.__k ?? []).flatMap(mountedBelow);
  return node.__c === undefined || typeof node.type !== "function" ? below : [node, ...below];
}

/** Puts a function in the place of the mounted one of the same name, so that Preact keeps its state. */
function adopt(type: { name: string; prototype?: { render?: unknown } }): void {
  const nodes = candidates!.get(type.name);
  if (nodes === undefined || type.name === "" || "Provider" in type || type.prototype?.render) {
    return;
  }
  // Of two functions of one name nobody knows which one this was.
  if (nodes.some((node) => node.type === type || node.type !== nodes[0]!.type)) return;
  candidates!.delete(type.name);
  for (const node of nodes) {
    const component = node.__c!;
    const before = kinds.get(component) ?? [];
    renewed.set(component, before);
    node.type = type;
    component.constructor = type;
    // Effects run again, and what was computed once is computed anew; a ref is state.
    component.__H?.__.forEach((hook, index) => {
      if (before[index] !== USE_REF) delete hook.__H;
    });
  }
}
