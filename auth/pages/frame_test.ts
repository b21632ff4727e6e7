import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Html, markup } from "../lib/html.ts";
import { DEFAULT_LOOK, duration, type Page, pageResponse, say } from "./frame.ts";

const PAGE: Page = { title: markup`${"A & B"}`, body: markup`<h1>A</h1>` };

function hashes(text: string, tag: "style" | "script"): string[] {
  return [...text.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))].map(([, inner]) =>
    `'sha256-${createHash("sha256").update(inner!).digest("base64")}'`
  );
}

// Tracks: R080
Deno.test("pageResponse() allows by its policy exactly the styles and scripts that the page has", async () => {
  const cases: [Page, number, number][] = [
    [PAGE, 1, 0],
    [{ ...PAGE, hasScript: true }, 1, 1],
    [{ ...PAGE, hasLists: true }, 2, 0],
    [
      {
        ...PAGE,
        bar: { signOut: { path: "/auth/signout", asks: false }, sections: [], links: [] },
      },
      2,
      0,
    ],
  ];
  for (const [page, styles, scripts] of cases) {
    const response = pageResponse(DEFAULT_LOOK, page);
    const text = await response.text();
    const policy = response.headers.get("content-security-policy")!;
    assert.equal(hashes(text, "style").length, styles);
    assert.equal(/style-src ([^;]*);/.exec(policy)![1], hashes(text, "style").join(" "));
    assert.equal(/script-src ([^;]*);/.exec(policy)?.[1] ?? "", hashes(text, "script").join(" "));
    assert.equal(text.match(/<script/g)?.length ?? 0, scripts);
    assert.match(policy, /^default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.doesNotMatch(text, /\sstyle="|url\(|\son\w+="/);
  }
});

Deno.test("pageResponse() begins with the doctype and has title and language", async () => {
  const text = await pageResponse(DEFAULT_LOOK, PAGE).text();
  assert.ok(text.startsWith('<!doctype html>\n<html lang="en">'));
  assert.match(text, /<title>A &amp; B<\/title>/);
  const failed = await pageResponse({ ...DEFAULT_LOOK, name: "<Acme>" }, { ...PAGE, isError: true })
    .text();
  assert.match(failed, /<title>Error: A &amp; B · &lt;Acme&gt;<\/title>/);
});

// Tracks: R079
Deno.test("say() escapes values and translations, and leaves places that it does not know", () => {
  const look = { ...DEFAULT_LOOK, translate: () => "<b> {address} {constructor} {other}" };
  const said = say(look, "You’re signed in as {address}.", { address: "<i>{other}" });
  assert.equal(said.markup, "&lt;b&gt; &lt;i&gt;{other} {constructor} {other}");
});

Deno.test("duration() is in the language of the page, and rounds up", () => {
  const german = { ...DEFAULT_LOOK, language: "de" };
  assert.equal(duration(DEFAULT_LOOK, 0.2), "1 minute");
  assert.equal(duration(DEFAULT_LOOK, 61), "2 minutes");
  assert.equal(duration(german, 900), "15 Minuten");
  assert.equal(duration(DEFAULT_LOOK, 3600), "1 hour");
  assert.equal(duration(DEFAULT_LOOK, 4500), "75 minutes");
  assert.equal(duration(german, 7200), "2 Stunden");
  assert.equal(duration(german, 30 * 86_400), "30 Tage");
});

Deno.test("a title names the application once", async () => {
  const look = { ...DEFAULT_LOOK, name: "A & B" };
  const titleOf = async (title: Html) =>
    /<title>(.*)<\/title>/.exec(await pageResponse(look, { ...PAGE, title }).text())![1];
  assert.equal(await titleOf(markup`Sign in to <bdi>${look.name}</bdi>`), "Sign in to A &amp; B");
  assert.equal(await titleOf(markup`Your account`), "Your account · A &amp; B");
  assert.equal(await titleOf(markup`<bdi>A & B Ltd</bdi>`), "A & B Ltd · A &amp; B");
});
