import assert from "node:assert/strict";
import { findChromium } from "../../scripts/chromium.ts";
import { launchBrowser } from "../support/browser.ts";
import { assertLooks } from "./check_page.ts";

/** Content of a page with a mistake, and the words of the failure. */
const MISTAKES: Record<string, [content: string, failure: RegExp]> = {
  "a colour of text": ['<p style="color: #ccc">Text</p>', /color-contrast: p /],
  "a ground": ['<div style="background: #333"><p>Text</p></div>', /color-contrast: p /],
  "what fades all in it": ['<div style="opacity: .3"><p>Text</p></div>', /color-contrast: p /],
  "a colour of a field": [
    '<label>Name <input value="Ada" style="color: #ddd"></label>',
    /color-contrast: input /,
  ],
  "a field without a name": ["<input>", /label: input /],
  "a label without text": ['<label> <input value="Ada"></label>', /label: input /],
  "a label of nothing": ['<label for="b">Name</label><input id="a" value="Ada">', /label: #a /],
  "a heading that skips a level": ["<h3>Three</h3><h2>Two</h2>", /heading-order: h3 /],
  "links too close to each other": [
    '<p style="font-size: 6px"><a href="#a">a</a><a href="#b">b</a></p>',
    /target-size: /,
  ],
  "what is wider than a phone": ['<div style="width: 900px">Text</div>', /scrolls sideways/],
};

Deno.test({
  name: "a page's check, which skips what it knows, finds each new mistake",
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const open = (content: string) =>
        page.setContent(
          '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">' +
            '<title>A page</title><body style="background: #fff; color: #000; color-scheme: light">' +
            `<main><h1>A page</h1>${content}</main>`,
        );
      await open(
        '<p>Text</p><label>Name <input value="Ada"></label><label for="a">Name</label>' +
          '<input id="a" value="Ada"><h2>Two</h2><h3>Three</h3>',
      );
      await assertLooks(page, "without a mistake");
      for (const [what, [content, failure]] of Object.entries(MISTAKES)) {
        await t.step(what, async () => {
          await open(content);
          await assert.rejects(assertLooks(page, what), failure);
        });
      }
    } finally {
      await browser.close();
    }
  },
});
