import assert from "node:assert/strict";
import { errorPage } from "./error_page.ts";

Deno.test("errorPage() shows the frame as text, whatever stands in the source", () => {
  const page = errorPage('app/page.tsx:1:1 <script>alert("&")</script>');
  assert.ok(page.includes("app/page.tsx:1:1 &#60;script&#62;"));
  assert.doesNotMatch(page, /<script/);
});
