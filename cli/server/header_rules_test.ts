import assert from "node:assert/strict";
import { parseHeaderRules } from "./header_rules.ts";

const rules = parseHeaderRules(`
# Of everything
/*
  X-Frame-Options: DENY
  Link: </a.css>; rel=preload

/files/:name/raw
  ! X-Frame-Options
  content-disposition: attachment; filename="a: b"
/_framework/*
  ! Cache-Control
  Cache-Control: public, max-age=31536000, immutable
/a.b
  Link: </b.css>; rel=preload
not a path
`);

Deno.test.each([
  ["/", { "x-frame-options": "DENY", link: "</a.css>; rel=preload", "cache-control": "no-cache" }],
  ["/files/x/raw", {
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
    "content-disposition": 'attachment; filename="a: b"',
  }],
  ["/files/x/y/raw", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
  }],
  ["/_framework/a.js", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "public, max-age=31536000, immutable",
  }],
  ["/a.b", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload, </b.css>; rel=preload",
    "cache-control": "no-cache",
  }],
  ["/aXb", {
    "x-frame-options": "DENY",
    link: "</a.css>; rel=preload",
    "cache-control": "no-cache",
  }],
])("the headers of %s are those of all rules that cover it", (path, expected) => {
  const headers = new Headers({ "cache-control": "no-cache" });
  rules(path, headers);
  assert.deepEqual(Object.fromEntries(headers), expected);
});
