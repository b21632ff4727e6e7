import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/run_command.ts";
import { readWorkspace } from "../../scripts/workspace.ts";

interface JsDoc {
  doc?: string;
  tags?: { kind: string; doc?: string }[];
}
interface Declaration {
  kind: string;
  location: { filename: string; line: number };
  declarationKind: string;
  jsDoc?: JsDoc;
}
interface Documented {
  entry: string;
  moduleDoc: JsDoc | undefined;
  symbols: { name: string; declarations: Declaration[] }[];
}

const { members, root } = await readWorkspace();

async function readEntries(): Promise<Documented[]> {
  const files = members.flatMap(({ folder, exports }) =>
    [...new Set(Object.values(exports))].map((file) => join(root, folder, file))
  );
  const { stdout } = await run(Deno.execPath(), ["doc", "--json", "--no-check", ...files], {
    cwd: root,
  });
  const { nodes } = JSON.parse(stdout) as {
    nodes: Record<string, { module_doc?: JsDoc; symbols: Documented["symbols"] }>;
  };
  return Object.entries(nodes).map(([url, node]) => ({
    entry: relative(root, fileURLToPath(url)),
    moduleDoc: node.module_doc,
    symbols: node.symbols,
  }));
}

const entries = await readEntries();

/** Whether a symbol is declared here, and neither in a package of others nor shown with another entry. */
function isOwn({ kind, location }: Declaration): boolean {
  return kind !== "reference" && !location.filename.includes("/node_modules/");
}

Deno.test("every public entry says what it is for", () => {
  assert.equal(
    entries.length,
    members.flatMap(({ exports }) => [...new Set(Object.values(exports))]).length,
  );
  const silent = entries.filter(({ moduleDoc }) => !moduleDoc?.doc?.trim());
  assert.deepEqual(silent.map(({ entry }) => entry), []);
});

Deno.test("every public symbol says what it is", () => {
  const silent = entries.flatMap(({ entry, symbols }) =>
    symbols
      .filter(({ declarations }) => declarations.some(isOwn))
      .filter(({ declarations }) => !declarations.some(({ jsDoc }) => jsDoc?.doc?.trim()))
      .map(({ name }) => `${entry}: ${name}`)
  );
  assert.deepEqual(silent, []);
});

// What is left has its example with a sibling, such as `requireRole` with `requirePermission`.
Deno.test("two thirds of the public functions have an example, each of which runs", () => {
  const functions = entries
    .flatMap(({ symbols }) => symbols.flatMap(({ declarations }) => declarations))
    .filter((declaration) => declaration.kind === "function" && isOwn(declaration));
  const shown = functions.filter(({ jsDoc }) =>
    jsDoc?.tags?.some(({ kind }) => kind === "example")
  );
  assert.ok(functions.length > 100);
  assert.ok(3 * shown.length >= 2 * functions.length, `${shown.length} of ${functions.length}`);
});
