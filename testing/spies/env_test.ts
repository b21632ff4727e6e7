import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { expect } from "../deno.ts";
import { createMockContext } from "./context.ts";
import { createMockEnv } from "./env.ts";
import { createMockLoaderArgs } from "./loader_args.ts";

const cwd = fileURLToPath(new URL("../context/fixtures/project/", import.meta.url));

Deno.test("createMockEnv() mocks any binding in a folder without a project", async () => {
  const env = createMockEnv({ cwd: tmpdir() });
  env.MAILER.send.mockResolvedValue("sent");
  assert.equal(await env.MAILER.send(), "sent");
  assert.equal(env.MAILER, env.MAILER);
  assert.equal(await Promise.resolve(env), env);
  assert.match(inspect(env), /MAILER/);
  expect(env).toEqual(env);
});

Deno.test("createMockEnv() works with what the platform file names, each environment for itself", async () => {
  const [one, two] = [createMockEnv({ cwd }), createMockEnv({ cwd })];
  assert.equal(one.GREETING, "hello");
  await one.CACHE.put("a", "1");
  assert.deepEqual([await one.CACHE.get("a"), await two.CACHE.get("a")], ["1", null]);
  await one.DB.prepare("INSERT INTO items (name) VALUES ('x')").run();
  assert.equal(await one.DB.prepare("SELECT count(*) AS n FROM items").first("n"), 1);
  assert.equal(await two.DB.prepare("SELECT count(*) AS n FROM items").first("n"), 0);
  one.UPSTREAM.fetch.mockResolvedValue("mocked");
  assert.equal(await one.UPSTREAM.fetch(), "mocked");
});

Deno.test("createMockEnv() lets what a test passes win, and keeps it as it is", () => {
  const own = { get: () => "own" };
  const env = createMockEnv({ cwd, env: { CACHE: own, GREETING: "hi" } });
  assert.equal(env.CACHE, own);
  assert.equal(env.GREETING, "hi");
});

Deno.test("createMockEnv() throws for unknown names when strict, and lists what there is", () => {
  const env = createMockEnv({ cwd, strict: true });
  assert.throws(() => env.CACHES, {
    code: "UNKNOWN_BINDING",
    message: /CACHE, COUNTER, DB.*UPSTREAM/,
  });
  assert.equal(env.LEVEL, 3);
  const bare = createMockEnv({ cwd: tmpdir(), strict: true });
  assert.throws(() => bare.DB, { code: "UNKNOWN_BINDING", message: /Declared are: none/ });
});

Deno.test("createMockEnv() says what is wrong with the platform file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-env-"));
  try {
    await writeFile(join(folder, "wrangler.jsonc"), "{ name: }");
    assert.throws(() => createMockEnv({ cwd: folder }), {
      code: "PROJECT",
      message: /wrangler\.jsonc:1/,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("createMockContext() uses a mock environment as it is, with bindings that appear on first use", async () => {
  const env = createMockEnv({ cwd });
  const context = createMockContext({ cwd, env });
  assert.equal(context.env, env);
  await context.db.insertInto("items").values({ name: "x" }).execute();
  assert.equal(await env.DB.prepare("SELECT name FROM items").first("name"), "x");
});

Deno.test("createMockContext() asks for a database when the platform file has none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mock-env-"));
  try {
    await writeFile(
      join(folder, "wrangler.jsonc"),
      '{ "name": "a", "compatibility_date": "2026-07-30", "compatibility_flags": ["nodejs_compat"] }',
    );
    const { db } = createMockContext({ cwd: folder });
    await assert.rejects(db.selectFrom("items").selectAll().execute(), { code: "NO_DATABASE" });
  } finally {
    await rm(folder, { recursive: true });
  }
});

Deno.test("createMockLoaderArgs() passes parameters, request, environment and user on", async () => {
  const request = new Request("http://localhost/items/1");
  const { params, searchParams, request: given, context } = createMockLoaderArgs({
    cwd,
    params: { id: "1" },
    searchParams: { page: 2 },
    request,
    context: { env: { KEY: "x" }, auth: { getUser: () => Promise.resolve({ id: "ada" }) } },
  });
  assert.deepEqual([params, searchParams], [{ id: "1" }, { page: 2 }]);
  assert.equal(context.params, params);
  assert.equal(given, request);
  assert.deepEqual([context.env.KEY, context.env.GREETING], ["x", "hello"]);
  assert.equal((await context.auth.getUser())?.id, "ada");
  const rest = createMockLoaderArgs({ cwd });
  assert.equal(rest.request.url, "http://localhost/");
  assert.deepEqual(rest.searchParams, {});
  assert.deepEqual(await rest.context.db.selectFrom("items").selectAll().execute(), []);
});
