import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cssModuleExports, cssModuleName, importedSource, moduleSource } from "./asset_imports.ts";

Deno.test("cssModuleExports() lists classes and animations, and nothing of values and comments", () => {
  const css = `@import "./other.module.css";
    /* .comment { } */
    .card, .card:hover > .inner.wide:not(.off) { margin: .5em; background: url(a.png) }
    .a { color: ".string { }"; &.nested { top: 1.5px } .deep & { top: 0 } }
    @media (min-width: 30.5em) { .media { left: 0 } }
    @keyframes spin { from { top: 0 } 50.5% { top: 1px } }
    @layer base.sub { .layered {} }
    :global(.outer) .sm\\:flex {} .über-1 {} #id {}`;
  assert.deepEqual(cssModuleExports(css).sort(), [
    "a",
    "card",
    "deep",
    "inner",
    "layered",
    "media",
    "nested",
    "off",
    "sm:flex",
    "spin",
    "wide",
    "über-1",
  ]);
});

Deno.test("cssModuleName() tells files of one name apart, and is an identifier", () => {
  const names = ["app/a/3-card.module.css", "app/b/3-card.module.css"].map((path) =>
    cssModuleName(join("/project", path), "/project")
  );
  assert.notEqual(names[0], names[1]);
  for (const name of names) assert.match(name, /^_3_card_[0-9a-f]{6}\.module\.css$/);
  assert.equal(cssModuleName("/elsewhere/app/a/3-card.module.css", "/elsewhere"), names[0]);
});

Deno.test("moduleSource() exports names that are no identifiers, and none twice", async () => {
  const source = moduleSource([["a-b", 1], ["delete", "2"], ["__proto__", 3], ["default", 4]]);
  const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  assert.deepEqual([module["a-b"], module.delete, module.default.default], [1, "2", 4]);
  assert.equal(Object.getPrototypeOf(module.default), Object.prototype);
});

Deno.test("importedSource() takes an address from the project's folder, and texts as they are", async () => {
  const root = await mkdtemp(join(tmpdir(), "imported "));
  try {
    await writeFile(join(root, "package.json"), "{}");
    for (const name of ["my logo.PNG", "a.md", "a.css", "a.json", "a.ts"]) {
      await writeFile(join(root, name), name === "a.json" ? '["`</script>"]' : "a `text`");
    }
    const sourceOf = (name: string): string | null => importedSource(join(root, name));
    assert.equal(sourceOf("my logo.PNG"), 'export default "/my logo.PNG";');
    assert.equal(sourceOf("a.md"), 'export default "a `text`";');
    assert.equal(sourceOf("a.css"), "export default {};");
    assert.equal(sourceOf("a.json"), 'export default ["`</script>"];');
    assert.equal(sourceOf("a.ts"), null);
  } finally {
    await rm(root, { recursive: true });
  }
});
