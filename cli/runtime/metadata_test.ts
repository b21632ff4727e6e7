import assert from "node:assert/strict";
import { type Metadata, type ResolvedMetadata, resolveMetadata } from "./metadata.ts";

function resolve(...declared: (Metadata | undefined)[]): ResolvedMetadata {
  return resolveMetadata(
    declared.map((metadata, index) => ({ file: `app/${index}.tsx`, metadata })),
    "https://acme.example/here?q=1",
  );
}

Deno.test("resolveMetadata() completes a title by the nearest template around it", () => {
  const site = { title: { template: "%s · Acme", default: "Acme" } };
  const docs = { title: { template: "%s · Docs", default: "Docs" } };
  assert.equal(resolve(site).title, "Acme");
  assert.equal(resolve(site, undefined, { title: "About" }).title, "About · Acme");
  assert.equal(resolve(site, docs).title, "Docs · Acme");
  assert.equal(resolve(site, docs, { title: "Forms" }).title, "Forms · Docs");
  assert.equal(resolve(site, { title: { absolute: "Alone" } }).title, "Alone");
  assert.equal(resolve(site, { title: "Middle" }, { title: "$& %s" }).title, "$& %s · Acme");
  assert.equal(resolve({}).title, undefined);
});

Deno.test("resolveMetadata() overrides field by field, the last first", () => {
  const { description, robots } = resolve({ description: "a", robots: "noindex" }, {
    description: "b",
  });
  assert.deepEqual({ description, robots }, { description: "b", robots: "noindex" });
});

Deno.test("resolveMetadata() makes addresses absolute, by the request or by the base", () => {
  assert.equal(resolve({ canonical: "/about?a=1" }).canonical, "https://acme.example/about?a=1");
  const { canonical, elements } = resolve({ base: "https://www.acme.example" }, {
    canonical: "/about",
    openGraph: { title: "/no/address", image: ["/a.png", "https://cdn.example/b.png"] },
    twitter: { card: "summary", image: "/a.png" },
  });
  assert.equal(canonical, "https://www.acme.example/about");
  assert.equal(
    elements,
    '<meta property="og:title" content="/no/address"/>' +
      '<meta property="og:image" content="https://www.acme.example/a.png"/>' +
      '<meta property="og:image" content="https://cdn.example/b.png"/>' +
      '<meta name="twitter:card" content="summary"/>' +
      '<meta name="twitter:image" content="https://www.acme.example/a.png"/>',
  );
});

Deno.test("resolveMetadata() refuses an address of another scheme, naming the file", () => {
  for (const canonical of ["javascript:alert(1)", "data:text/html,x", "http://["]) {
    assert.throws(
      () => resolve({}, { canonical }),
      /^TypeError: app\/1\.tsx exports metadata with the address/,
    );
  }
});

Deno.test("resolveMetadata() writes icons with what is known of them", () => {
  assert.equal(resolve({ icons: "/icon.svg" }).elements, '<link rel="icon" href="/icon.svg"/>');
  assert.equal(
    resolve({ icons: [{ href: '/"a', rel: "apple-touch-icon", sizes: "180x180" }] }).elements,
    '<link rel="apple-touch-icon" href="/&#34;a" sizes="180x180"/>',
  );
});

Deno.test("resolveMetadata() writes structured data that cannot end its element", () => {
  const data = { "@type": "Thing", name: "</script><!--<script>\u2028\u2029&amp;" };
  const { elements = "" } = resolve({ jsonLd: [data, { a: 1 }] });
  const [, first = "", second] =
    /^<script type="application\/ld\+json">([^<>&\u2028\u2029]*)<\/script><script type="application\/ld\+json">(.*)<\/script>$/
      .exec(elements) ?? [];
  assert.deepEqual(JSON.parse(first), data);
  assert.equal(second, '{"a":1}');
});
