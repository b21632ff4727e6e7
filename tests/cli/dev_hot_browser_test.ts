import assert from "node:assert/strict";
import { isEventStream, launchBrowser, PATIENCE } from "../support/browser.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

const counter = `"use client";
import { useEffect, useMemo, useRef, useState } from "hono/jsx";
import { label } from "../_labels.ts";

function Inner() {
  const [count, setCount] = useState(0);
  return <button type="button" class="inner" onClick={() => setCount(count + 1)}>inner {count}</button>;
}

export function Counter({ start, children }: { start: number; children?: unknown }) {
  const [count, setCount] = useState(start);
  const renders = useRef(0);
  renders.current++;
  const text = useMemo(() => "first", []);
  useEffect(() => {
    document.body.dataset.effect = (document.body.dataset.effect ?? "") + "a";
    return () => { document.body.dataset.effect += "-"; };
  }, []);
  return (
    <div class="counter">
      <button type="button" class="more" onClick={() => setCount(count + 1)}>{label} {count}</button>
      <p class="text">{text}</p>
      <p class="renders">{renders.current}</p>
      <input name="typed" />
      <Inner />
      {children}
    </div>
  );
}
`;

const files = {
  "app/page.tsx": `import { Counter } from "./_components/counter.tsx";
import { Other } from "./_components/other.tsx";
import { both } from "./_both.ts";
import "./page.css";
export default () => (
  <main>
    <link rel="stylesheet" href="/styles.css" />
    <p id="server">{both}</p>
    <input name="outside" />
    <Counter start={3}><em>From the server</em></Counter>
    <Other />
  </main>
);`,
  "app/page.css": "#server { color: rgb(4, 5, 6) }",
  "public/styles.css": "em { color: rgb(4, 5, 6) }",
  "app/_labels.ts": 'export const label = "More";',
  "app/_both.ts": 'export const both = "both one";',
  "app/_components/counter.tsx": counter,
  "app/_components/other.tsx": `"use client";
import { useState } from "hono/jsx";
import { label } from "../_labels.ts";
import { both } from "../_both.ts";
export function Other() {
  const [count, setCount] = useState(0);
  return <button type="button" class="other" onClick={() => setCount(count + 1)}>{label}, other {count}{both.slice(0, 0)}</button>;
}
`,
};

Deno.test("framework dev renews client components in open pages, with their state", {
  sanitizeOps: false,
  sanitizeResources: false,
}, async (test) => {
  await using app = await createFixtureApp(files);
  const child = startFramework(app.root, "dev", "--port", "0");
  const [, origin] = await child.waitFor(/ready at (http:\S+)/);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    const text = (selector: string): Promise<string | null> => page.textContent(selector);
    const becomes = (selector: string, expected: string): Promise<unknown> =>
      until(() => text(selector), (found) => found === expected, PATIENCE);
    // A function that polls in the page would break its policy.
    const holds = (condition: string): Promise<unknown> =>
      until(() => page.evaluate(condition), (found) => found === true, PATIENCE);
    const isSame = (): Promise<unknown> => page.evaluate("globalThis.isMarked === true");
    const edit = (from: string, to: string): Promise<void> => {
      current = current.replace(from, to);
      return app.write("app/_components/counter.tsx", current);
    };
    let current = counter;
    const open = async (): Promise<void> => {
      const listens = page.waitForResponse(isEventStream);
      await page.goto(origin!);
      await listens;
      await holds("document.body.dataset.effect === 'a'");
      await page.evaluate("globalThis.isMarked = true");
      await page.click(".more");
      await page.click(".inner");
      await page.click(".inner");
      await page.click(".other");
      await page.fill("[name=typed]", "in the island");
      await page.fill("[name=outside]", "outside");
    };
    await open();
    assert.equal(await text(".more"), "More 4");

    await test.step("state, typed text and what the server rendered stay", async () => {
      await edit('<p class="text">{text}</p>', '<p class="text">edited {text}</p>');
      await becomes(".text", "edited first");
      assert.equal(await text(".more"), "More 4");
      assert.equal(await text(".inner"), "inner 2");
      assert.equal(await text(".other"), "More, other 1");
      assert.equal(await text("em"), "From the server");
      assert.equal(await page.inputValue("[name=typed]"), "in the island");
      assert.equal(await page.inputValue("[name=outside]"), "outside");
      assert.ok(Number(await text(".renders")) > 2, "the ref is the same");
      assert.ok(await isSame());
      await page.click(".more");
      assert.equal(await text(".more"), "More 5");
    });

    await test.step("effects run anew, after those of before were undone; memos are computed anew", async () => {
      await holds("document.body.dataset.effect === 'a-a'");
      await edit('+ "a"', '+ "b"');
      await edit('"first"', '"second"');
      await becomes(".text", "edited second");
      await holds("document.body.dataset.effect === 'a-a-b'");
      assert.equal(await text(".more"), "More 5");
    });

    await test.step("a component inside of another one", async () => {
      await edit(">inner {count}<", ">nested {count}<");
      await becomes(".inner", "nested 2");
      assert.equal(await text(".more"), "More 5");
    });

    await test.step("a module that only client components import", async () => {
      await app.write("app/_labels.ts", 'export const label = "Plus";');
      await becomes(".more", "Plus 5");
      await becomes(".other", "Plus, other 1");
      assert.equal(await page.inputValue("[name=typed]"), "in the island");
      assert.ok(await isSame());
    });

    for (
      const [what, path, selector] of [
        ["an imported stylesheet", "app/page.css", "#server"],
        ["a stylesheet of public/", "public/styles.css", "em"],
      ] as const
    ) {
      await test.step(`${what} is swapped under the page`, async () => {
        const color = `getComputedStyle(document.querySelector("${selector}")).color`;
        await holds(`${color} === "rgb(4, 5, 6)"`);
        await app.write(path, `${selector} { color: rgb(7, 8, 9) }`);
        await holds(`${color} === "rgb(7, 8, 9)"`);
        assert.equal(await page.inputValue("[name=typed]"), "in the island");
        assert.ok(await isSame());
      });
    }

    await test.step("with other hooks, that island alone starts again", async () => {
      await edit("const renders = useRef(0);", "const renders = useRef(0); useState(1);");
      await becomes(".more", "Plus 3");
      assert.equal(await text(".inner"), "nested 0");
      assert.equal(await text("em"), "From the server");
      assert.equal(await text(".other"), "Plus, other 1");
      assert.equal(await page.inputValue("[name=outside]"), "outside");
      // The effect of the component that is gone was undone.
      await holds("/-b$/.test(document.body.dataset.effect)");
      await page.click(".more");
      await edit("useRef(0); useState(1);", "useRef(0);");
      await becomes(".more", "Plus 3");
      assert.ok(await isSame());
      await page.click(".more");
      assert.equal(await text(".more"), "Plus 4");
    });

    await test.step("an error is told, and the next edit mends the island", async () => {
      await edit(
        "renders.current++;",
        'renders.current++; if ("document" in globalThis) throw new Error("torn");',
      );
      await page.waitForSelector("#framework-browser-error");
      await child.waitFor(
        /\/ failed in the browser\. Error: torn\n {4}at .*Counter.* \(app\/_components\/counter\.tsx:13:/,
      );
      await edit(' if ("document" in globalThis) throw new Error("torn");', "");
      await page.locator("#framework-browser-error").waitFor({ state: "detached" });
      await becomes(".more", "Plus 3");
      assert.equal(await text(".other"), "Plus, other 1");
      assert.ok(await isSame());
    });

    await test.step("what the server renders too loads the page again", async () => {
      await app.write("app/_both.ts", 'export const both = "both two";');
      await becomes("#server", "both two");
      assert.equal(await isSame(), false);
      assert.equal(await text(".more"), "Plus 3");
    });

    await test.step("what does not build is shown in place of the page, until it is mended", async () => {
      await app.write("app/page.tsx", "export default () => <p>;");
      await page.waitForSelector("text=The application has a problem");
      await app.write("app/page.tsx", "export default () => <p>mended</p>;");
      await page.waitForSelector("text=mended");
    });
  } finally {
    await browser.close();
    await child.stop();
  }
});
