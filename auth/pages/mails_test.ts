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

Deno.test("every mail names the site, in its subject and at the head of its text", () => {
  for (const [name, write] of Object.entries(MAILS)) {
    const named = write({ ...DEFAULT_LOOK, name: "Globex" });
    assert.match(named.subject, /Globex/, name);
    assert.ok(named.text.startsWith("Globex\n\n"), name);
    const { subject, text } = write(DEFAULT_LOOK);
    assert.doesNotMatch(subject, /[:{}]/, name);
    if (name !== "sign_in_code") assert.ok(text.startsWith(`${subject}\n\n`), name);
  }
  const mail = MAILS.password_changed!({ ...DEFAULT_LOOK, name: "Globex" });
  assert.equal(mail.subject, "Globex: Your password has changed");
});

Deno.test("the text of a mail speaks of no button, and has its link once", () => {
  for (const [name, write] of Object.entries(MAILS)) {
    const { text } = write(DEFAULT_LOOK);
    assert.doesNotMatch(text, /button/i, name);
    assert.equal(text.split(/callback\/email\?token=/).length, 2, name);
  }
  const { text } = MAILS.verification!(DEFAULT_LOOK);
  assert.match(text, /\nOpen this link to confirm that this address is yours:\nhttps:\S+\n\n/);
});

Deno.test("beside the subject of a mail about a change stands what it says, not a question", () => {
  for (const [name, write] of Object.entries(MAILS)) {
    if (!/^(?:second_factor|passkey|automatic|password|new_device)/.test(name)) continue;
    const { html, text } = write(DEFAULT_LOOK);
    const [, preview] = /<div style="display:none[^"]*">([^<]+)</.exec(html)!;
    assert.notEqual(preview, "Was that you?", name);
    assert.ok(text.includes(preview!), `${name}: ${preview}`);
  }
});

Deno.test("an invitation says to which team of which site, by whom, and why its reader gets it", () => {
  const { subject, text } = MAILS.invitation!({ ...DEFAULT_LOOK, name: "Globex" });
  assert.equal(subject, "Join Acme Ltd on Globex");
  assert.match(text, /\nAda Lovelace invites you to join Acme Ltd on Globex\.\n/);
  assert.match(text, /You get this email because ada@example\.com was invited\./);
  assert.match(
    MAILS.invitation_unnamed!(DEFAULT_LOOK).text,
    /\nYou are invited to join Acme Ltd\.\n/,
  );
});

Deno.test("the mail about a cancelled request asks nothing, and says what follows for either reader", () => {
  const { text } = MAILS.second_factor_recovery_cancelled!(DEFAULT_LOOK);
  assert.doesNotMatch(text, /\?\s/);
  assert.match(text, /still takes your second step/);
  assert.match(text, /If you did not ask for it, somebody knows your password: choose a new one\./);
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
