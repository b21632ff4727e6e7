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

Deno.test("createDocument() puts a document around a page without one", () => {
  const html = createDocument("<p>x</p>", { title: "T" });
  assert.match(html, /^<!DOCTYPE html><html lang="en"><head>.*<title>T<\/title><\/head><body><p>x/);
});

Deno.test("createDocument() keeps the doctype that a layout wrote", () => {
  const html = createDocument("<!doctype html><html><head></head></html>", {});
  assert.equal(html, "<!doctype html><html><head></head></html>");
});

Deno.test("escapeHtml() leaves no character with which an attribute or element could end", () => {
  assert.doesNotMatch(escapeHtml(`<script>"'&`), /[<>"']/);
});
