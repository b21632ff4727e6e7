import assert from "node:assert/strict";
import { robots } from "./robots.ts";

Deno.test("robots() writes a group for each rule, and the sitemaps", async () => {
  const response = robots({
    rules: [
      { disallow: ["/admin", "/ä?x=*$"], allow: "/admin/public" },
      { userAgent: ["GPTBot", "CCBot"], disallow: "/" },
      { userAgent: "Bingbot" },
    ],
    sitemap: ["https://acme.example/a.xml", new URL("https://acme.example/b.xml")],
  });
  assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(
    await response.text(),
    "User-agent: *\nAllow: /admin/public\nDisallow: /admin\nDisallow: /%C3%A4?x=*$\n\n" +
      "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n" +
      "User-agent: Bingbot\nDisallow:\n\n" +
      "Sitemap: https://acme.example/a.xml\nSitemap: https://acme.example/b.xml\n",
  );
  assert.equal(await robots().text(), "User-agent: *\nDisallow:\n");
});

Deno.test("robots() refuses what would be read as another rule", () => {
  for (const path of ["/a\nAllow: /", "/a b", "admin", "/a#b", "", "/a\0"]) {
    assert.throws(() => robots({ rules: { disallow: path } }), /was given the path/);
  }
  for (const userAgent of ["a b", "a\nDisallow: /", ""]) {
    assert.throws(() => robots({ rules: { userAgent } }), /was given the userAgent/);
  }
  for (const sitemap of ["/sitemap.xml", "javascript:1"]) {
    assert.throws(() => robots({ sitemap }), /was given the sitemap/);
  }
});
