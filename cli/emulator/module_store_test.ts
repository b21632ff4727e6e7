import assert from "node:assert/strict";
import { createModuleStore, type WorkerCode } from "./module_store.ts";

const packageModule = 'export { a } from "./packages.js";';
const packages = {
  modules: { "package-0.js": packageModule },
  code: "export const a = 1;",
  map: "map of packages",
};

function worker(code: string, change: Partial<WorkerCode> = {}): WorkerCode {
  return { code, map: `map of ${code}`, packages, modules: [], objects: "", ...change };
}

/** As workerd asks for what a module imports. */
function question(path: string): Request {
  return new Request(`http://localhost/?specifier=${encodeURIComponent(`/${path}`)}`);
}

Deno.test("createModuleStore() passes on nothing before there is a version, then the last one", async () => {
  const store = createModuleStore("f");
  assert.deepEqual(await store.answer(question("f/current.js")), {
    name: "f/current.js",
    esModule: "export {};",
  });
  store.publish(worker("one"));
  const path = store.publish(worker("two"));
  assert.equal((await store.answer(question(path)))?.esModule, "two");
  const { esModule } = (await store.answer(question(store.current)))!;
  assert.ok(esModule.includes(JSON.stringify(`.${path.slice("f".length)}`)), esModule);
});

Deno.test("createModuleStore() gives a version a path of its own, beside the packages that it imports", async () => {
  const store = createModuleStore("f");
  const first = store.publish(worker("one"));
  const second = store.publish(worker("two"));
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  assert.notEqual(first, second);
  assert.equal(folder(first), folder(second));
  const code = await store.answer(question(`${folder(first)}/packages.js`));
  assert.equal(code?.esModule, packages.code);
  const third = store.publish(worker("three", { packages: { ...packages, code: "other" } }));
  assert.notEqual(folder(third), folder(first));
  assert.equal((await store.answer(question(`${folder(third)}/packages.js`)))?.esModule, "other");
  assert.notEqual(
    folder(store.publish(worker("four", { packages: null }))),
    folder(third),
    "what stands alone imports nobody's packages",
  );
});

Deno.test("createModuleStore() keeps the maps of versions that may still run, until it is cleared", () => {
  const store = createModuleStore("f");
  const first = store.publish(worker("one"));
  const second = store.publish(worker("two"));
  assert.equal(store.maps.get(first), "map of one");
  store.publish(worker("three"));
  assert.deepEqual([store.maps.has(first), store.maps.has(second)], [false, true]);
  assert.equal(store.size(), "onetwothree".length + packages.code.length + packageModule.length);
  store.clear();
  assert.equal(store.maps.size, 0);
  assert.equal(store.size(), 0);
});

// Tracks: R157
Deno.test("createModuleStore() answers nobody who does not know the folder", async () => {
  const store = createModuleStore("f");
  const path = store.publish(worker("secret"));
  for (const guess of [path.slice(1), "current.js", "", "node:fs"]) {
    assert.equal(await store.answer(question(guess)), null, guess);
  }
  assert.equal(await store.answer(new Request("http://localhost/")), null);
});

Deno.test("createModuleStore() answers the newer module registry by address", async () => {
  const store = createModuleStore("f");
  const specifier = `file:///bundle/${store.publish(worker("one"))}`;
  const asked = new Request("http://localhost/", {
    method: "POST",
    body: JSON.stringify({ type: "import", specifier }),
  });
  assert.deepEqual(await store.answer(asked), { name: specifier, esModule: "one" });
});
