import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createTestApplication } from "../tests/application.ts";
import type { PageThemeOptions } from "../pages/theme.ts";
import { pageTheme } from "./page_theme.ts";

const GERMAN = { "accept-language": "de" };

async function show(options: PageThemeOptions, headers: Record<string, string> = {}) {
  const application = createTestApplication({ pages: { theme: pageTheme(options) } });
  const response = await application.send("/signin", { headers });
  const text = await response.text();
  application.close();
  return { response, text, policy: response.headers.get("content-security-policy")! };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `'sha256-${hash.replace(/=+$/, "")}'`;
}

// Tracks: R079, CVE-2021-32702
Deno.test("pageTheme() refuses what could leave its place in the page", () => {
  const wrong: unknown[] = [
    { colors: { brand: "red" } },
    { colors: { brand: "red}body{display:none" } },
    { colors: { brand: "</style><script>" } },
    { colors: { brand: "url(x)" } },
    { colors: { brand: "oklch(50% 0.2 260)" } },
    { colors: { brand: "#12345678" } },
    { colors: { brand: { light: "#fff" } } },
    { colors: { brands: "#fff" } },
    { radius: -1 },
    { radius: 25 },
    { radius: "1rem" },
    { font: "x;}body{display:none" },
    { font: "url(x)" },
    { font: '"Inter' },
    { font: "</style>" },
    { logo: "https://evil.example/logo.svg" },
    { logo: "//evil.example/logo.svg" },
    { logo: "/a.svg, https://evil.example/b.svg" },
    { logo: { light: "/a.svg" } },
    { links: { terms: "javascript:alert(1)" } },
    { links: { terms: "//evil.example" } },
    { links: { imprint: "/imprint" } },
    { name: "" },
    { texts: { '"><script>': {} } },
    { texts: { de: { "Sign in": 1 } } },
    { languages: [{ tag: "de", texts: { "Sign in": 1 } }] },
    { languages: [{ tag: "de-", texts: {} }] },
    { languages: [{ tag: "de", direction: "up", texts: {} }] },
    { languages: { de: {} } },
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

Deno.test("pageTheme() names a colour that is not hexadecimal, and a text that cannot be read", () => {
  assert.throws(
    () => pageTheme({ colors: { brand: "rebeccapurple" } }),
    /"pageTheme\.colors\.brand": found "rebeccapurple".*hexadecimal/,
  );
  assert.throws(
    () => pageTheme({ colors: { text: { light: "#999999", dark: "#ffffff" } } }),
    /#999999 on the card #ffffff has a contrast of 2\.85 to 1 in the light scheme/,
  );
});

// Tracks: R079, PF-g02
Deno.test("pageTheme() escapes whatever it is given, in every place of a page", async () => {
  // Ends an attribute of either kind of quotation mark, an element, and a text that is translated.
  const hostile = `"'><script>alert(1)</script><img/src=x/onerror=alert(1)>`;
  const { text } = await show({
    name: `${hostile} $& $1 {app}`,
    logo: `/x.png?${hostile}`,
    links: { help: `https://help.example/?${hostile}` },
    texts: { de: { "Sign in to {app}": `${hostile}{app}`, "Name": hostile, "Help": hostile } },
  }, GERMAN);
  assert.equal(text.match(/<img/g)?.length, 1, "the logo alone");
  assert.match(text, /<img src="\/x\.png\?&quot;&#?\w+;&gt;&lt;script&gt;[^"<>]*" alt="">/);
  assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;[^<]* \$&amp; \$1 \{app\}/);
  assert.equal(/<script>alert|onerror=alert\(1\)>/.test(text), false);
});

// Tracks: R080
Deno.test("a theme's stylesheet is in the policy by its hash, the logo as an image of the own origin", async () => {
  const { text, policy } = await show({
    logo: { light: "/light.svg", dark: "/dark.svg" },
    colors: { brand: "#0b6b4f" },
    radius: 4,
    font: '"Inter", sans-serif',
  });
  const styles = [...text.matchAll(/<style>([^]*?)<\/style>/g)].map(([, style]) => style!);
  assert.equal(styles.length, 2);
  assert.equal(
    /style-src ([^;]*);/.exec(policy)![1]!.replaceAll("='", "'"),
    (await Promise.all(styles.map(hashOf))).join(" "),
  );
  assert.match(
    styles[1]!,
    /--fill:light-dark\(#0b6b4f,#[\da-f]{6}\).*--radius:0\.25rem;--font:"Inter", sans-serif/,
  );
  assert.match(policy, /img-src 'self'/);
  assert.match(text, /<source srcset="\/dark\.svg" media="\(prefers-color-scheme: dark\)">/);
});

Deno.test("a theme's name and links stand on the page, and the first letter where there is no logo", async () => {
  const { text, policy } = await show({
    name: "élan",
    links: {
      terms: "/terms",
      privacy: "https://example.com/privacy",
      help: "mailto:help@example.com",
    },
  });
  assert.match(text, /<title>Sign in to élan<\/title>/);
  assert.match(text, /<span class="mark" aria-hidden="true">É<\/span> <bdi>élan<\/bdi>/);
  assert.match(
    text,
    /<footer class="foot">\n<a href="\/terms">Terms<\/a>\n<a href="https:\/\/example\.com\/privacy">/,
  );
  assert.doesNotMatch(policy, /img-src|'theme'/);
});

Deno.test("a theme keeps status, cookies and headers, also of errors", async () => {
  const application = createTestApplication({
    pages: { theme: pageTheme({ name: "Example", radius: 4 }) },
  });
  const missing = await application.send("/nothing");
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /<title>Error: Not found · Example<\/title>/);
  assert.match(
    missing.headers.get("content-security-policy")!,
    /style-src 'sha256-[^']+' 'sha256-/,
  );
  const refused = await application.send("/signin/credentials", {
    fields: { name: "ada", password: "wrong" },
  });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("cache-control"), "no-store");
  const head = await application.send("/signin", { method: "HEAD" });
  assert.equal(await head.text(), "");
  assert.match(await application.signIn(), /session-token=/);
  application.close();
});

Deno.test("pageTheme() picks the language that the visitor would rather read", async () => {
  const texts = { "de": { "Sign in": "B" }, "pt-BR": { "Sign in": "C" }, "fr": { "Sign in": "D" } };
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
    const { text, response } = await show({ texts, language: "fr" }, headers);
    assert.ok(text.includes(`<html lang="${language}">`), String(accepted));
    assert.match(response.headers.get("vary")!, /Accept-Language/);
  }
});

Deno.test("the application chooses the language by the request, and the browser where it does not", async () => {
  const options: PageThemeOptions = {
    texts: { de: { "Sign in": "Anmelden" } },
    languages: [{ tag: "ar", direction: "rtl", texts: {} as never }],
    language: (request) => /lang=(\w+)/.exec(request.headers.get("cookie") ?? "")?.[1],
  };
  assert.match((await show(options, { cookie: "lang=de" })).text, /<html lang="de">[^]*Anmelden/);
  assert.match((await show(options, { cookie: "lang=ar" })).text, /<html lang="ar" dir="rtl">/);
  assert.match((await show(options, { cookie: "lang=xx" })).text, /<html lang="en">/);
  assert.match((await show(options, GERMAN)).text, /<html lang="de">/);
});

// Tracks: AU-14
Deno.test("a theme translates how long to wait", async () => {
  const application = createTestApplication({
    pages: {
      theme: pageTheme({
        texts: { de: { "You can try again in {time}.": "Wieder in {time}." } },
      }),
    },
    rateLimit: { login: { limit: 1, window: 900 } },
  });
  const attempt = () =>
    application.send("/signin/credentials", {
      fields: { name: "ada", password: "wrong" },
      headers: GERMAN,
    });
  await attempt();
  assert.match(await (await attempt()).text(), /Wieder in <b>15 Minuten<\/b>\./);
  application.close();
});
