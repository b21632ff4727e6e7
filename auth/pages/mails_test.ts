import assert from "node:assert/strict";
import type { Look } from "../core/contracts.ts";
import { MAILS } from "../tests/page_gallery.ts";
import { DEFAULT_LOOK } from "./frame.ts";
import { newDeviceMail, signInMail } from "./mails.ts";
import { readPageTheme } from "./theme.ts";

function lookOf(options: object): Look {
  return readPageTheme(options).look(new Request("https://app.example/"));
}

Deno.test("every mail says the same as HTML and as text, and loads nothing", () => {
  for (const [name, write] of Object.entries(MAILS)) {
    const { subject, html, text } = write({ ...DEFAULT_LOOK, name: "Acme" });
    assert.equal(/[\r\n<>]/.test(subject), false, name);
    assert.doesNotMatch(
      html,
      /<(?:script|img|link|iframe)|url\(|@import|\sclass="[^"]*var\(/,
      name,
    );
    assert.match(text, /https:\/\/acme\.example\/auth\/callback\/email\?token=\w+\n/, name);
    assert.equal(/<\w|&amp;|&#39;/.test(text), false, name);
    assert.match(html, /href="https:\/\/acme\.example\/auth\/callback\/email\?token=\w+"/, name);
    assert.match(html, /<meta name="color-scheme" content="light dark">/, name);
  }
});

// Tracks: R079
Deno.test("mails escape what they name, and no subject has a line end", () => {
  const hostile = `"><script>alert(1)</script>\r\nBcc: eve@evil.example`;
  const look = { ...DEFAULT_LOOK, name: hostile };
  const mail = newDeviceMail(look, {
    address: hostile,
    at: new Date(0),
    browser: hostile,
    account: "https://app.example/?a=1&b=2",
  });
  assert.equal(mail.html.includes("<script"), false);
  assert.equal(/[\r\n]/.test(mail.subject), false);
  assert.match(mail.html, /href="https:\/\/app\.example\/\?a=1&amp;b=2"/);
  assert.match(mail.text, /https:\/\/app\.example\/\?a=1&b=2/);
});

Deno.test("a code is in the subject and easy to read; without one the mail speaks of none", () => {
  const look = { ...DEFAULT_LOOK, name: "Acme" };
  const url = "https://app.example/l";
  const coded = signInMail(look, { url, code: "482913", seconds: 600 });
  assert.equal(coded.subject, "482 913 is your Acme code");
  assert.match(coded.text, /\n482 913\n/);
  const plain = signInMail(look, { url, seconds: 86_400 });
  assert.equal(plain.subject, "Sign in to Acme");
  assert.doesNotMatch(plain.text, /code/);
  assert.match(plain.text, /once, for 24 hours/);
});

Deno.test("mails have the theme's colours, light in each element and dark in the media query", () => {
  const look = lookOf({ name: "Acme", colors: { brand: "#0b6b4f" }, radius: 4 });
  const { html } = signInMail(look, { url: "https://app.example/l", seconds: 600 });
  assert.match(html, /bgcolor="#0b6b4f" class="f" style="border-radius:4px;background:#0b6b4f"/);
  assert.match(html, /prefers-color-scheme:dark\)\{\.page\{background:#0c0e11!important\}/);
  assert.match(html, new RegExp(`\\.f\\{background:${look.mail!.dark.fill}!important\\}`));
});

Deno.test("mails from right to left turn their text and their columns", () => {
  const look: Look = { ...DEFAULT_LOOK, language: "ar", direction: "rtl" };
  const { html } = MAILS.new_device!(look);
  assert.match(html, /<html lang="ar" dir="rtl">/);
  assert.match(html, /text-align:right/);
  assert.match(html, /padding:6px 0 6px 24px/);
});
