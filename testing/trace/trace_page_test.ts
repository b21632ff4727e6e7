import assert from "node:assert/strict";
import { DOMParser } from "linkedom";
import { tracePage } from "./trace_page.ts";

/** Part of a parsed page that is used here. */
interface Element {
  id: string;
  textContent: string;
  firstElementChild: Element;
  lastElementChild: Element;
  getAttribute(name: string): string | null;
}

function parse(html: string) {
  const document = new DOMParser().parseFromString(html, "text/html");
  return {
    all: (selector: string): Element[] =>
      [...document.querySelectorAll(selector)] as unknown as Element[],
  };
}

Deno.test("tracePage() shows texts as texts, and needs no other file", () => {
  const attack = `</pre><script>alert(1)</script><img src=x onerror="alert(1)">&amp;`;
  const html = tracePage({
    name: attack,
    failure: attack,
    entries: [
      { at: 1.4, kind: "request", title: attack, detail: attack, milliseconds: 2.04 },
      { at: 3, kind: "storage", title: "DB first", detail: () => attack, isFailure: true },
      { at: 4, kind: "screenshot", title: attack, image: Uint8Array.of(1, 2, 3) },
    ],
  });
  const { all } = parse(html);
  assert.equal(all("script").length, 0);
  assert.equal(all("h1")[0]!.textContent, attack);
  assert.deepEqual(all("pre").map((pre) => pre.textContent), [
    attack,
    attack,
    attack,
  ]);
  const [image, ...others] = all("img");
  assert.equal(others.length, 0);
  assert.equal(image!.getAttribute("src"), "data:image/png;base64,AQID");
  assert.equal(image!.getAttribute("alt"), attack);
  assert.equal(image!.getAttribute("onerror"), null);
  assert.deepEqual(
    all("li").map((row) => row.firstElementChild.textContent),
    ["+1 ms", "+3 ms", "+4 ms"],
  );
  assert.equal(all("li")[0]!.lastElementChild.textContent, "2.0 ms");
  assert.doesNotMatch(html, /https?:/);
});

Deno.test("tracePage() offers the kinds that there are, each with a rule that hides it", () => {
  const html = tracePage({ name: "a", entries: [{ at: 0, kind: "mail", title: "reset" }] });
  const { all } = parse(html);
  const boxes = all("input").map((box) => box.id);
  assert.deepEqual(boxes, ["mail"]);
  assert.match(html, /body:has\(#mail:not\(:checked\)\) li\.mail \{ display: none; \}/);
  assert.equal(all(".failure").length, 0);
});
