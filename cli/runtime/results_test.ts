import assert from "node:assert/strict";
import { data, notFound, redirect } from "./results.ts";

Deno.test("notFound() throws an error whose message is Not found", () => {
  assert.throws(() => notFound(), { message: "Not found", status: 404, code: "NOT_FOUND" });
});

Deno.test("redirect() sends the browser on with GET, and refuses a status that is no redirect", () => {
  assert.equal(redirect("/x").status, 303);
  assert.equal(redirect("/x", 308).status, 308);
  assert.throws(() => redirect("/x", 200), RangeError);
});

// Tracks: R077, A-18
Deno.test("redirect() refuses what reads as a path and leads a browser to another site", () => {
  const refused = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    " //evil.example",
    "https:evil.example",
    "http:evil.example",
    "https:\\\\evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "mailto:ada@example.com",
    "https://",
  ];
  for (const location of refused) {
    assert.throws(() => redirect(location), { code: "BAD_REQUEST", status: 400 }, location);
  }
  const kept = [
    "/",
    "/posts?page=2#last",
    "?page=2",
    "#last",
    "edit",
    "../",
    "",
    "/a//b",
    "/x?next=//evil.example",
    "https://pay.example/checkout?id=1",
    "HTTP://pay.example",
  ];
  for (const location of kept) assert.equal(redirect(location).headers.get("location"), location);
});

Deno.test("data() keeps value, status and headers", () => {
  const result = data({ a: 1 }, { status: 422, headers: { "x-a": "b" } });
  assert.deepEqual([result.value, result.status], [{ a: 1 }, 422]);
  assert.equal(result.headers.get("x-a"), "b");
  assert.equal(data(1).status, 200);
});

Deno.test("redirect() encodes what no header can hold, and leaves what is encoded as it is", () => {
  const sent: [location: string, header: string][] = [
    ["/日本", "/%E6%97%A5%E6%9C%AC"],
    ["/käse?von=münchen#ü", "/k%C3%A4se?von=m%C3%BCnchen#%C3%BC"],
    ["/a%20b/%C3%A9é", "/a%20b/%C3%A9%C3%A9"],
    ["/two words", "/two%20words"],
    ["?seite=ä", "?seite=%C3%A4"],
    ["/\ud800", "/%EF%BF%BD"],
    ["/\u{1F511}", "/%F0%9F%94%91"],
    ["https://münchen.example/straße", "https://xn--mnchen-3ya.example/stra%C3%9Fe"],
  ];
  for (const [location, header] of sent) {
    assert.equal(redirect(location).headers.get("location"), header);
  }
});

Deno.test("redirect() refuses a location with a control character", () => {
  for (const control of ["\r\nset-cookie: a=b", "\n", "\t", "\0", "\x7f"]) {
    for (const location of [`/ok${control}x`, `https://app.example/ok${control}x`]) {
      assert.throws(() => redirect(location), { code: "BAD_REQUEST", status: 400 });
    }
  }
});
