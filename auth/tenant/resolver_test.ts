import fc from "fast-check";
import assert from "node:assert/strict";
import { NO_SLUGS } from "../tests/tenant_cases.ts";
import { createMemoryTenantStorage } from "./memory.ts";
import { createTenantResolver, type TenantResolverOptions } from "./resolver.ts";
import type { TenantStorage } from "../types/tenant.ts";

/** Tenants whose slugs are these; the id of each is "id-<slug>". */
async function tenants(...slugs: string[]): Promise<TenantStorage> {
  const storage = createMemoryTenantStorage();
  for (const slug of slugs) await storage.create({ id: `id-${slug}`, slug, name: slug });
  return storage;
}

async function slugOf(
  options: TenantResolverOptions,
  url: string,
  headers: Record<string, string> = {},
): Promise<string | null> {
  const storage = await tenants("acme", "base", "a", "www", "0");
  const tenant = await createTenantResolver(storage, options).resolve(
    new Request(url, { headers }),
  );
  return tenant?.slug ?? null;
}

// Tracks: R137, Tenant confusion (ours)
Deno.test("createTenantResolver() compares hosts label by label", async () => {
  const subdomain = { strategy: "subdomain", baseDomain: "base.example" } as const;
  const rows: [string, string | null][] = [
    ["https://acme.base.example/", "acme"],
    ["https://acme.base.example:8443/x?y", "acme"],
    ["https://ACME.Base.EXAMPLE/", "acme"],
    ["http://0.base.example/", "0"],
    ["https://www.base.example/", "www"],
    ["https://base.example/", null],
    ["https://other.base.example/", null],
    ["https://evilbase.example/", null],
    ["https://acme.evilbase.example/", null],
    ["https://acmebase.example/", null],
    ["https://a.acme.base.example/", null],
    ["https://acme.a.base.example/", null],
    ["https://acme.base.example./", null],
    ["https://acme..base.example/", null],
    ["https://.base.example/", null],
    ["https://acme.base.example.evil.example/", null],
    ["https://evil.example/acme.base.example", null],
    ["https://evil.example/?acme.base.example#acme.base.example", null],
    ["https://xn--acme-.base.example/", null],
    ["https://асме.base.example/", null],
    ["https://ａｃｍｅ.base.example/", "acme"],
    ["https://acme。base.example/", "acme"],
    ["https://acme_.base.example/", null],
    ["https://127.0.0.1/", null],
    ["https://[::1]/", null],
    ["http://localhost/", null],
  ];
  for (const [url, expected] of rows) {
    if (!URL.canParse(url)) continue;
    assert.equal(await slugOf(subdomain, url), expected, url);
  }
  assert.equal(await slugOf({ ...subdomain, baseDomain: "Base.Example" }, rows[0]![0]), "acme");
  const local = { strategy: "subdomain", baseDomain: "localhost" } as const;
  assert.equal(await slugOf(local, "http://acme.localhost:8787/"), "acme");
  assert.equal(await slugOf(local, "http://localhost:8787/"), null);
});

// Tracks: R137
Deno.test("createTenantResolver() reads no host but the request's own", async () => {
  const subdomain = { strategy: "subdomain", baseDomain: "base.example" } as const;
  const headers = {
    host: "acme.base.example",
    "x-forwarded-host": "acme.base.example",
    forwarded: "host=acme.base.example",
    "x-tenant-id": "acme",
    cookie: "tenant=acme",
  };
  assert.equal(await slugOf(subdomain, "https://other.example/t/acme", headers), null);
  // What a request says by another strategy's means is nothing.
  assert.equal(await slugOf({ strategy: "path" }, "https://acme.base.example/", headers), null);
  const byHeader = { strategy: "header", headerName: "X-Org" } as const;
  assert.equal(await slugOf(byHeader, "https://acme.base.example/t/acme", headers), null);
});

// Tracks: R138
Deno.test("createTenantResolver() takes the one whole segment after the prefix", async () => {
  const rows: [string, string | null, string?][] = [
    ["/t/acme", "acme"],
    ["/t/acme/", "acme"],
    ["/t/acme/x/t/base", "acme"],
    ["/t/acme?tenant=base#/t/base", "acme"],
    ["/t/acme//base", "acme"],
    ["/t/base/../acme", "acme"],
    ["/t/./acme", "acme"],
    ["/t/%2e%2e/t/acme", "acme"],
    ["/t", null],
    ["/t/", null],
    ["/t//acme", null],
    ["//t/acme", null],
    ["/tt/acme", null],
    ["/x/t/acme", null],
    ["/T/acme", null],
    ["/t/ACME", null],
    ["/t/acme2", null],
    ["/t/acm%65", null],
    ["/%74/acme", null],
    ["/t%2facme", null],
    ["/t/acme%2f", null],
    ["/t/acme%2fbase", null],
    ["/t/acme%00", null],
    ["/t/acme;a", null],
    ["/t/acme.", null],
    ["/t/..%2facme", null],
    ["/t/id-acme", null],
    ["/org/acme/x", "acme", "/org"],
    ["/o/r/acme", "acme", "/o/r/"],
    ["/acme/x", "acme", "/"],
    ["/t/acme", null, "/"],
  ];
  for (const [path, expected, pathPrefix = "/t/"] of rows) {
    const url = `https://app.example${path}`;
    assert.equal(await slugOf({ strategy: "path", pathPrefix }, url), expected, path);
  }
});

// Tracks: R139
Deno.test("createTenantResolver() reads slugs and ids from the header and the cookie", async () => {
  const url = "https://app.example/";
  const header = { strategy: "header" } as const;
  const cookie = { strategy: "cookie" } as const;
  const rows: [string, string | null][] = [
    ["acme", "acme"],
    ["id-acme", "acme"],
    ["ID-ACME", null],
    ["ACME", null],
    ["acme, base", null],
    ["acme,acme", null],
    ["acme base", null],
    ["a cme", null],
    ['"acme"', null],
    ["id-", null],
    ["*", null],
    ["acme%00", null],
  ];
  for (const [name, expected] of rows) {
    assert.equal(await slugOf(header, url, { "X-Tenant-ID": name }), expected, name);
    assert.equal(await slugOf(cookie, url, { cookie: `a=b; tenant=${name}; c=d` }), expected, name);
  }
  const own = { "x-org": "acme", cookie: "org=acme" };
  assert.equal(await slugOf({ ...header, headerName: "X-Org" }, url, own), "acme");
  assert.equal(await slugOf({ ...cookie, cookieName: "org" }, url, own), "acme");
  // A sibling host of the site can set one of them.
  assert.equal(await slugOf(cookie, url, { cookie: "tenant=acme; tenant=base" }), null);
  assert.equal(await slugOf(cookie, url, { cookie: "tenant2=acme; xtenant=acme" }), null);
});

// Tracks: R139
Deno.test("createTenantResolver() asks the storage for what can be a name and for nothing else", async () => {
  const asked: string[] = [];
  const storage = {
    ...createMemoryTenantStorage(),
    get: (id: string) => (asked.push(id), Promise.resolve(null)),
    getBySlug: (slug: string) => (asked.push(slug), Promise.resolve(null)),
  };
  const resolvers = (["header", "cookie", "path", "subdomain"] as const).map((strategy) =>
    createTenantResolver(storage, { strategy, baseDomain: "base.example" })
  );
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 700 }),
    fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
    fc.constantFrom(...NO_SLUGS),
    fc.string({ unit: fc.constantFrom(..."aA0-_.:/%%2e\\@;=, "), maxLength: 70 }),
  );
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const requests: [string, Record<string, string>][] = [
        ["https://base.example/", { "x-tenant-id": text }],
        ["https://base.example/", { cookie: `tenant=${text}` }],
        [`https://base.example/t/${text}`, {}],
        [`https://${text}.base.example/`, {}],
      ];
      for (const [url, headers] of requests) {
        let request;
        try {
          request = new Request(url, { headers });
        } catch {
          continue;
        }
        for (const resolver of resolvers) assert.equal(await resolver.resolve(request), null);
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(asked.length > 0);
  for (const one of asked) assert.match(one, /^[A-Za-z0-9_-]{1,64}$/);
});

Deno.test("createTenantResolver() requires a tenant that exists and is not suspended", async () => {
  const storage = await tenants("acme", "gone");
  const resolver = createTenantResolver(storage, { strategy: "header" });
  function named(name: string): Request {
    return new Request("https://app.example/", { headers: { "X-Tenant-ID": name } });
  }
  assert.equal((await resolver.require(named("acme"))).tenant.id, "id-acme");
  const notFound = { name: "TenantNotFoundError", code: "TENANT_NOT_FOUND", status: 404 };
  await assert.rejects(resolver.require(named("other")), notFound);
  await assert.rejects(resolver.require(new Request("https://app.example/")), notFound);
  await storage.update("id-gone", { suspended: true });
  for (const name of ["gone", "id-gone"]) {
    assert.equal(await resolver.resolve(named(name)), null);
    await assert.rejects(resolver.require(named(name)), notFound);
  }
});

Deno.test("createTenantResolver() throws a ConfigurationError for options that are wrong", () => {
  const storage = createMemoryTenantStorage();
  const wrong: object[] = [
    {},
    { strategy: "domain" },
    { strategy: "subdomain" },
    { strategy: "subdomain", baseDomain: "" },
    { strategy: "subdomain", baseDomain: ".base.example" },
    { strategy: "subdomain", baseDomain: "base.example." },
    { strategy: "subdomain", baseDomain: "https://base.example" },
    { strategy: "subdomain", baseDomain: "base.example:80" },
    { strategy: "subdomain", baseDomain: "*.base.example" },
    { strategy: "subdomain", baseDomain: "127.0.0.1" },
    { strategy: "path", pathPrefix: "t" },
    { strategy: "path", pathPrefix: "//t/" },
    { strategy: "path", pathPrefix: "/a/../t/" },
    { strategy: "path", pathPrefix: "/t/%2f/" },
    { strategy: "header", headerName: "" },
    { strategy: "header", headerName: "X Tenant" },
    { strategy: "cookie", cookieName: "a=b" },
    { strategy: "cookie", cookieName: "a;b" },
    { strategy: "path", prefix: "/t/" },
  ];
  for (const options of wrong) {
    const make = () => createTenantResolver(storage, options as TenantResolverOptions);
    assert.throws(make, { code: "CONFIGURATION" }, JSON.stringify(options));
  }
  const options = { strategy: "path" } as const;
  assert.throws(() => createTenantResolver(null as never, options), { code: "CONFIGURATION" });
  assert.throws(() => createTenantResolver(storage, null as never), { code: "CONFIGURATION" });
});
