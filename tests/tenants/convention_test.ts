import { defineAuthConfig } from "@framework/auth/convention";
import { composeAuth } from "@framework/auth/convention";
import { defineTenancy, getTenant, requireTenant } from "@framework/auth/tenant";
import { createApplication, type LoaderArgs } from "@framework/cli/runtime";
import { loadManifest, scanApp } from "@framework/cli/project";
import assert from "node:assert/strict";
import { join } from "node:path";
import { createD1Double } from "../../auth/tests/d1_double.ts";

const modules: Record<string, Record<string, unknown>> = {
  "auth/tenant.ts": { default: defineTenancy(() => ({ strategy: "path" as const })) },
  "t/[slug]/page.tsx": {
    loader: async ({ context }: LoaderArgs) => [
      requireTenant().name,
      (await context.auth.tenant())?.slug,
    ],
    default: ({ data }: { data: string[] }) => data.join(" "),
  },
  "t/[slug]/route/route.ts": { session: false, GET: () => ({ tenant: getTenant()?.slug ?? null }) },
  "t/[slug]/middleware.ts": {
    middleware: async (_request: Request, next: () => Promise<Response>) => {
      const tenant = getTenant();
      const response = await next();
      response.headers.set("x-tenant", tenant?.slug ?? "none");
      return response;
    },
  },
};

Deno.test("app/auth/tenant.ts makes the tenant known to loaders, routes and middleware", async () => {
  const root = await Deno.makeTempDir();
  const app = join(root, "app");
  for (const file of Object.keys(modules)) {
    await Deno.mkdir(join(app, file, ".."), { recursive: true });
    await Deno.writeTextFile(join(app, file), "");
  }
  const manifest = await loadManifest(await scanApp(app), {
    database: "DB",
    importModule: (file) => Promise.resolve(modules[file.slice(app.length + 1)]!),
  });
  const database = createD1Double();
  database.sqlite.exec(
    "INSERT INTO tenants VALUES ('t1', 'acme', 'Acme Ltd', '{}', NULL, 0, 0)",
  );
  const ignore = () => {};
  const { worker } = createApplication(manifest, {
    logger: { info: ignore, warn: ignore, error: ignore },
  });
  async function get(path: string): Promise<[number, string | null, string]> {
    const request = new Request(`http://localhost${path}`);
    const response = await worker.fetch(request, { DB: database });
    return [response.status, response.headers.get("x-tenant"), await response.text()];
  }
  const [status, tenant, text] = await get("/t/acme");
  assert.deepEqual([status, tenant], [200, "acme"]);
  assert.match(text, /Acme Ltd acme/);
  assert.deepEqual(await get("/t/acme/route"), [200, "acme", '{"tenant":"acme"}']);
  assert.deepEqual(await get("/t/other/route"), [200, "none", '{"tenant":null}']);
  assert.equal((await get("/t/other"))[0], 404);
  database.close();
  await Deno.remove(root, { recursive: true });
});

Deno.test("composeAuth() says where tenants belong, and what their file must export", async () => {
  const database = createD1Double();
  const parts = { providers: {}, database: () => database };
  const request = new Request("http://localhost/");
  const next = () => new Response();
  const misplaced = defineAuthConfig({ tenancy: {} } as never);
  await assert.rejects(
    composeAuth({ ...parts, config: misplaced }).run(request, {}, undefined, next),
    /app\/auth\/tenant\.ts/,
  );
  await assert.rejects(
    composeAuth({ ...parts, tenant: { strategy: "path" } }).run(request, {}, undefined, next),
    /what defineTenancy\(\) returns/,
  );
  database.close();
});

Deno.test("defineTenancy() throws a ConfigurationError at once for options that are wrong", async () => {
  for (const wrong of [{}, { strategy: "subdomain" }, { strategy: "path", tenants: [] }, null]) {
    assert.throws(() => defineTenancy(wrong as never), { code: "CONFIGURATION" });
  }
  const { createAuth, createMemoryStorage } = await import("@framework/auth");
  const tenancy = defineTenancy({ strategy: "path" });
  assert.throws(
    () => createAuth({ database: createMemoryStorage(), tenancy }),
    /defineTenancy\(\{ storage/,
  );
});
