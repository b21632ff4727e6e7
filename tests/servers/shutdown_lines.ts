import assert from "node:assert/strict";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/workspace.ts";

/** The lines of docs/databases.md that end a server of Node, and those for `Deno.serve()`. */
export async function shutdownLines(): Promise<{ node: string; deno: string }> {
  const guide = await Deno.readTextFile(join(repositoryRoot, "docs", "databases.md"));
  const blocks = [...guide.matchAll(/```ts ignore\n([\s\S]*?)```/g)].map(([, block]) => block!);
  const [node, deno, ...more] = blocks.filter((block) => block.includes("SIGTERM"));
  assert.ok(node !== undefined && deno !== undefined);
  assert.deepEqual(more, []);
  return { node, deno };
}
