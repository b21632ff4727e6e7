import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { pageResponse } from "./page.ts";
import { markup } from "../lib/html.ts";

// Tracks: R080
Deno.test("pageResponse() allows by its policy exactly the stylesheet that the page has", async () => {
  const response = pageResponse({ title: "Title", body: markup`<p>Body</p>` });
  const text = await response.text();
  const [, style] = /<style>([^]*?)<\/style>/.exec(text)!;
  const hash = createHash("sha256").update(style!).digest("base64");
  const policy = response.headers.get("content-security-policy")!;
  assert.ok(
    policy.includes(`style-src 'sha256-${hash}'`),
    `core/page.ts must say PAGE_STYLE_HASH = "sha256-${hash}"`,
  );
  assert.equal(text.split("<style").length, 2);
});

Deno.test("pageResponse() begins with the doctype and has title, heading and language", async () => {
  const text = await pageResponse({ title: "A & B", body: markup`<p>Body</p>` }).text();
  assert.ok(text.startsWith('<!doctype html>\n<html lang="en">'));
  assert.match(text, /<title>A &amp; B<\/title>/);
  assert.match(text, /<main>\n<h1>A &amp; B<\/h1>\n<p>Body<\/p>\n<\/main>/);
});
