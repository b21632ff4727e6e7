import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { capture, run } from "../../scripts/run_command.ts";
import { readJson, readWorkspace } from "../../scripts/workspace.ts";

interface JsDoc {
  doc?: string;
  tags?: { kind: string; doc?: string }[];
}
interface Declaration {
  kind: string;
  location: { filename: string; line: number };
  declarationKind: string;
  def?: { params?: unknown[] };
  jsDoc?: JsDoc;
}
interface Documented {
  entry: string;
  moduleDoc: JsDoc | undefined;
  symbols: { name: string; declarations: Declaration[] }[];
}

// Tests that are registered by a test of an example would be nested, so one example has them all.
const shownWithDescribe = ["it", "beforeAll", "beforeEach", "afterEach", "afterAll"];

const { members, root } = await readWorkspace();
const entryFiles = members.flatMap(({ folder, exports }) =>
  [...new Set(Object.values(exports))].map((file) => join(root, folder, file))
);

async function readEntries(): Promise<Documented[]> {
  const { stdout } = await run(Deno.execPath(), ["doc", "--json", "--no-check", ...entryFiles], {
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

/**
 * Returns true when a symbol is declared here, and neither in a package of others nor shown with
 * another entry.
 */
function isOwn({ kind, location }: Declaration): boolean {
  return kind !== "reference" && !location.filename.includes("/node_modules/");
}

Deno.test("every public entry says what it is for", () => {
  assert.equal(entries.length, entryFiles.length);
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

Deno.test("every member is described, and every type that a signature names is exported", async () => {
  // What other packages export is public there; the linter holds it for a type of ours that is hidden.
  const imports = Object.keys((await readJson(join(root, "deno.json"))).imports as object)
    .flatMap((name) => [[name, "node:events"], [`${name}/`, "node:events/"]]);
  const map = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(map, JSON.stringify({ imports: Object.fromEntries(imports) }));
  const { stderr } = await capture(
    Deno.execPath(),
    ["doc", "--lint", `--import-map=${map}`, ...entryFiles],
    { cwd: root },
  );
  await Deno.remove(map);
  const faults = stderr.split(/^(?=error\[)/m).slice(1);
  assert.deepEqual(faults.filter((fault) => !/--> .*[\\/]node_modules[\\/]/.test(fault)), []);
});

/** The declarations of the package's own, with the name of the entry and of the symbol. */
function* ownDeclarations(): Generator<{ name: string; declarations: Declaration[] }> {
  for (const { entry, symbols } of entries) {
    for (const { name, declarations } of symbols) {
      const own = declarations.filter(isOwn);
      if (own.length > 0) yield { name: `${entry}: ${name}`, declarations: own };
    }
  }
}

/** Returns true when it has an example that `deno test --doc` runs, and that fails when it is wrong. */
function showsUse(doc: JsDoc | undefined): boolean {
  return (doc?.tags ?? []).some(({ kind, doc = "" }) =>
    kind === "example" && /^```tsx?$/m.test(doc) && /node:assert\/strict"|\bexpect\(/.test(doc)
  );
}

Deno.test("every public entry shows how it is used", () => {
  const silent = entries.filter(({ moduleDoc }) => !showsUse(moduleDoc));
  assert.deepEqual(silent.map(({ entry }) => entry), []);
});

Deno.test("every public function, class and constant shows how it is used", () => {
  const kinds = ["function", "class", "variable"];
  const shown = [...ownDeclarations()].filter(({ declarations }) =>
    declarations.some(({ kind }) => kinds.includes(kind))
  );
  assert.ok(shown.length > 200);
  const silent = shown
    .filter(({ declarations }) => !declarations.some(({ jsDoc }) => showsUse(jsDoc)))
    .map(({ name }) => name);
  assert.deepEqual(silent, shownWithDescribe.map((name) => `testing/deno.ts: ${name}`));
});

Deno.test("every parameter of a public function is described", () => {
  const silent = [...ownDeclarations()].filter(({ declarations }) => {
    const functions = declarations.filter(({ kind }) => kind === "function");
    const most = Math.max(0, ...functions.map(({ def }) => def?.params?.length ?? 0));
    const described = functions.flatMap(({ jsDoc }) => jsDoc?.tags ?? [])
      .filter(({ kind }) => kind === "param");
    return described.length < most;
  });
  assert.deepEqual(silent.map(({ name }) => name), []);
});
