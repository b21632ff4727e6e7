import assert from "node:assert/strict";
import { sitemap, sitemapIndex } from "./sitemap.ts";

const base = "https://acme.example";

Deno.test("sitemap() lists absolute, escaped addresses with dates and languages", async () => {
  const response = sitemap([
    "/",
    { url: "/a?b=1&c='<x>\"", lastModified: new Date(0), languages: { de: "/de/a&b" } },
    { url: "https://other.example/ä", lastModified: "2026-07" },
  ], { base });
  assert.equal(response.headers.get("content-type"), "application/xml; charset=utf-8");
  assert.equal(
    await response.text(),
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">\n' +
      "<url><loc>https://acme.example/</loc></url>\n" +
      "<url><loc>https://acme.example/a?b=1&#38;c=%27%3Cx%3E%22</loc>" +
      "<lastmod>1970-01-01T00:00:00.000Z</lastmod>" +
      '<xhtml:link rel="alternate" hreflang="de" href="https://acme.example/de/a&#38;b"/></url>\n' +
      "<url><loc>https://other.example/%C3%A4</loc><lastmod>2026-07</lastmod></url>\n" +
      "</urlset>\n",
  );
});

Deno.test("sitemap() refuses what search engines would", () => {
  const [most] = [Array.from({ length: 50_000 }, (_, index) => `/${index}`)];
  assert.equal(sitemap(most, { base }).status, 200);
  assert.throws(() => sitemap([...most, "/"], { base }), {
    name: "RangeError",
    message: /50001 entries, and 50,000 are the limit.*sitemapIndex\(\)/,
  });
  const long = Array.from({ length: 30_000 }, (_, index) => `/${"x".repeat(1_800)}${index}`);
  assert.throws(() => sitemap(long, { base }), /bytes, and 52,428,800 are the limit/);
  assert.throws(() => sitemap([`/${"x".repeat(2_048)}`], { base }), /fewer than 2,048/);
  assert.throws(() => sitemap(["javascript:1"], { base }), /no path and no URL of http or https/);
  assert.throws(() => sitemap(["/"], { base: "acme" }), TypeError);
  for (const lastModified of ["yesterday", new Date(NaN), "2026-07-30</lastmod>"]) {
    assert.throws(() => sitemap([{ url: "/", lastModified }], { base }), /has the date/);
  }
});

Deno.test("sitemapIndex() lists sitemaps", async () => {
  assert.match(
    await sitemapIndex(["/1", { url: "/2", lastModified: "2026-07-30" }], { base }).text(),
    /<sitemapindex xmlns="[^"]+">\n<sitemap><loc>https:\/\/acme\.example\/1<\/loc><\/sitemap>\n<sitemap>.*<lastmod>2026-07-30<\/lastmod><\/sitemap>\n<\/sitemapindex>\n$/,
  );
});
