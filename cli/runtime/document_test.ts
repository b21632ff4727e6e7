import assert from "node:assert/strict";
import { createDocument, escapeHtml } from "./document.ts";

Deno.test("createDocument() puts title and description into the head that a layout rendered", () => {
  assert.equal(
    createDocument("<html><head><meta charset=utf-8></head><body>x</body></html>", {
      title: "A & B",
      description: 'say "hi"',
    }),
    '<!DOCTYPE html><html><head><meta charset=utf-8><title>A &#38; B</title><meta name="description" ' +
      'content="say &#34;hi&#34;"/></head><body>x</body></html>',
  );
});

Deno.test("createDocument() replaces what the layout wrote, and nothing in the body", () => {
  const html = createDocument(
    "<html><head><title>Old</title></head><body><svg><title>Icon</title></svg></body></html>",
    { title: "$& new" },
  );
  assert.ok(html.includes("<head><title>$&#38; new</title></head>"));
  assert.ok(html.includes("<svg><title>Icon</title></svg>"));
});

Deno.test("createDocument() writes what search engines and others ask for", () => {
  assert.equal(
    createDocument('<html><head><meta name="robots" content="all"></head></html>', {
      robots: "noindex",
      canonical: "/a?b=1&c",
      elements: '<meta property="og:title" content="x"/>',
    }),
    '<!DOCTYPE html><html><head><meta name="robots" content="noindex"/>' +
      '<link rel="canonical" href="/a?b=1&#38;c"/><meta property="og:title" content="x"/></head></html>',
  );
});

Deno.test("createDocument() puts a document around a page without one", () => {
  const html = createDocument("<p>x</p>", { title: "T" });
  assert.match(html, /^<!DOCTYPE html><html lang="en"><head>.*<title>T<\/title><\/head><body><p>x/);
});

Deno.test("createDocument() adds the head that a layout left out", () => {
  assert.equal(
    createDocument('<html lang="de"><body>x</body></html>', { title: "T" }, "<link/>"),
    '<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"/><title>T</title><link/></head><body>x</body></html>',
  );
});

Deno.test("createDocument() keeps the doctype that a layout wrote", () => {
  const html = createDocument("<!doctype html><html><head></head></html>", {});
  assert.equal(html, "<!doctype html><html><head></head></html>");
});

Deno.test("escapeHtml() leaves no character with which an attribute or element could end", () => {
  assert.doesNotMatch(escapeHtml(`<script>"'&`), /[<>"']/);
});
