import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { pageResponse } from "../core/page.ts";
import { createTestApplication } from "../tests/application.ts";
import { pageTheme, type PageThemeOptions } from "./theme.ts";
import { createTranslate, translatePage } from "./language.ts";
import type { Theme } from "../core/contracts.ts";
import { markup } from "../lib/html.ts";

const REQUEST = new Request("https://app.example/", { headers: { "accept-language": "de" } });

// Tracks: R079, CVE-2021-32702
Deno.test("pageTheme() refuses what could leave its place in the page", () => {
  const wrong: unknown[] = [
    { colors: { accent: "red}body{display:none" } },
    { colors: { accent: "</style><script>" } },
    { colors: { accent: "url(x)" } },
    { colors: { accent: { light: "#fff" } } },
    { colors: { accents: "#fff" } },
    { logo: "https://evil.example/logo.svg" },
    { logo: "//evil.example/logo.svg" },
    { name: "" },
    { messages: { '"><script>': {} } },
    { messages: { de: { "Sign in": 1 } } },
    { language: "de" },
    { Name: "x" },
    null,
  ];
  for (const options of wrong) {
    assert.throws(() => pageTheme(options as PageThemeOptions), ConfigurationError);
  }
  assert.throws(
    () => createTestApplication({ pages: { theme: { name: "x" } as never } }),
    /pageTheme\(/,
  );
});

// Tracks: R079
function dressOf(options: PageThemeOptions): NonNullable<Theme["dress"]> {
  return (pageTheme(options).definition as Theme).dress!;
}

Deno.test("pageTheme() escapes name and translations", async () => {
  const dress = dressOf({
    name: "<b>$& $1",
    messages: { de: { "Sign in": "<script>alert(1)</script>", "Hello {name}": "Hallo {name}" } },
  });
  const body = markup`<p>Sign in</p><p>Hello ${"<i>"}</p><input placeholder="Sign in">`;
  const text = await (await dress(pageResponse({ title: "Sign in", body }), REQUEST)).text();
  assert.equal(/<script|<b>|<i>/.test(text), false);
  assert.match(text, /<p class="brand">&lt;b&gt;\$&amp; \$1<\/p>/);
  assert.match(text, /<p>Hallo &lt;i&gt;<\/p>/);
  assert.match(text, /placeholder="&lt;script&gt;/);
});

// Tracks: R079, PF-g02
Deno.test("pageTheme() escapes whatever it is given, in every place of a page", async () => {
  // Ends an attribute of either kind of quotation mark, an element, and a text that is translated.
  const hostile = `"'><script>alert(1)</script><img/src=x/onerror=alert(1)>`;
  const dress = dressOf({
    name: hostile,
    logo: `/x.png?${hostile}`,
    messages: { de: { "Sign in": hostile, "Hello {name}": `${hostile}{name}` } },
  });
  const body = markup`<p title="Sign in">Sign in</p><p>Hello ${hostile}</p>`;
  const text = await (await dress(pageResponse({ title: "Sign in", body }), REQUEST)).text();
  assert.equal(text.match(/<img/g)?.length, 1, "the logo alone");
  assert.match(text, /<img src="\/x\.png\?&quot;&#?\w+;&gt;&lt;script&gt;[^"<>]*" alt="">/);
  assert.equal(/<script|onerror=alert\(1\)>/.test(text), false);
});

Deno.test("pageTheme() leaves the application's own responses as they are", async () => {
  const dress = dressOf({ name: "Example" });
  for (const headers of [{}, { "content-security-policy": "default-src 'self'" }]) {
    const response = new Response("<title>Own</title>", { headers });
    assert.equal(await dress(response, REQUEST), response);
  }
});

Deno.test("a theme keeps status, cookies and headers, also of errors", async () => {
  const application = createTestApplication({ pages: { theme: pageTheme({ name: "Example" }) } });
  const missing = await application.send("/nothing");
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /<title>Not found · Example<\/title>/);
  const refused = await application.send("/signin/credentials", {
    fields: { name: "ada", password: "wrong" },
  });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("cache-control"), "no-store");
  assert.match(
    refused.headers.get("content-security-policy")!,
    /style-src 'sha256-[^']+' 'sha256-/,
  );
  const head = await application.send("/signin", { method: "HEAD" });
  assert.equal(await head.text(), "");
  assert.match(await application.signIn(), /session-token=/);
  application.close();
});

Deno.test("pageTheme() picks the language that the visitor would rather read", async () => {
  const messages = { "de": { A: "B" }, "pt-BR": { A: "C" }, "fr": { A: "D" } };
  const dress = dressOf({ messages, language: "fr" });
  const cases: [string | null, string][] = [
    [null, "fr"],
    ["*", "fr"],
    ["de-AT,en;q=0.5", "de"],
    ["en;q=0.5, de;q=0.9", "de"],
    ["en-GB", "en"],
    ["pt-br", "pt-BR"],
    ["pt", "fr"],
    ["de;q=0, es", "fr"],
    ["x".repeat(10_000), "fr"],
  ];
  for (const [accepted, language] of cases) {
    const headers: Record<string, string> = accepted === null
      ? {}
      : { "accept-language": accepted };
    const request = new Request("https://app.example/", { headers });
    const page = await dress(pageResponse({ title: "A", body: markup`` }), request);
    assert.ok((await page.text()).includes(`<html lang="${language}">`), String(accepted));
  }
});

Deno.test("translatePage() changes whole texts only, and none in scripts and styles", () => {
  const translate = createTranslate({ "Name": "Nom", "a.c": "x" });
  const page = "<p> Name </p><p>Name x</p><style>Name</style><b title='Name'>abc</b>";
  assert.equal(
    translatePage(page, translate),
    "<p> Nom </p><p>Name x</p><style>Name</style><b title='Name'>abc</b>",
  );
});

// Tracks: AU-14
Deno.test("a theme translates how long to wait", async () => {
  const theme = pageTheme({
    messages: {
      de: {
        "There have been too many attempts. Try again in {minutes} minutes.":
          "Zu viele Versuche. Wieder in {minutes} Minuten.",
      },
    },
  });
  const application = createTestApplication({
    pages: { theme },
    rateLimit: { login: { limit: 1, window: 900 } },
  });
  const attempt = () =>
    application.send("/signin/credentials", {
      fields: { name: "ada", password: "wrong" },
      headers: { "accept-language": "de" },
    });
  await attempt();
  assert.match(await (await attempt()).text(), /Zu viele Versuche\. Wieder in 15 Minuten\./);
  application.close();
});
