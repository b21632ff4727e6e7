import assert from "node:assert/strict";
import * as languages from "../languages.ts";
import { knownErrorMessage } from "../core/error_response.ts";
import type { Look } from "../core/contracts.ts";
import { GALLERY, MAILS } from "../tests/page_gallery.ts";
import { DEFAULT_LOOK, pageResponse } from "./frame.ts";

const LANGUAGES = Object.values(languages);

function places(text: string): string[] {
  return (text.match(/\{\w+\}/g) ?? []).sort();
}

function lookIn({ tag, direction = "ltr", texts }: languages.PageLanguage): Look {
  const known: Readonly<Record<string, string>> = texts;
  return {
    ...DEFAULT_LOOK,
    name: "Acme",
    links: [{ label: "Terms", href: "/terms" }, { label: "Privacy", href: "/privacy" }],
    language: tag,
    direction,
    translate: (text) => Object.hasOwn(known, text) ? known[text] : undefined,
  };
}

Deno.test("every language has the same texts, each with the places of the English one", () => {
  assert.ok(LANGUAGES.length >= 3);
  const keys = Object.keys(LANGUAGES[0]!.texts).sort();
  for (const { tag, texts } of LANGUAGES) {
    assert.deepEqual(Object.keys(texts).sort(), keys, tag);
    for (const [text, translation] of Object.entries(texts)) {
      assert.notEqual(translation.trim(), "", `${tag}: ${text}`);
      assert.deepEqual(places(translation), places(text), `${tag}: ${text}`);
      assert.equal(/[<>]/.test(translation), false, `${tag}: ${text}`);
    }
  }
});

/** Texts that the pages ask for: all of the gallery, with a name and without one. */
async function askedFor(): Promise<Set<string>> {
  const asked = new Set<string>();
  for (const name of ["Acme", null]) {
    const look = {
      ...lookIn(LANGUAGES[0]!),
      name,
      translate(text: string) {
        asked.add(text);
        return undefined;
      },
    };
    for (const show of Object.values(GALLERY)) await pageResponse(look, show(look)).text();
    for (const write of Object.values(MAILS)) write(look);
  }
  return asked;
}

Deno.test("no text of a page or mail is missing from a language", async () => {
  // Names of roles and a label of the application’s own.
  const own = ["Use at least 15 characters", "Owner", "Editor"];
  const asked = await askedFor();
  // Pages and mails that ask for nothing would lack nothing.
  assert.ok(asked.size > 300, String(asked.size));
  for (const text of asked) {
    if (own.includes(text)) continue;
    for (const { tag, texts } of LANGUAGES) assert.ok(text in texts, `${tag} lacks "${text}"`);
  }
});

Deno.test("no text is left over: the code says each of them", async () => {
  const { default: files } = await import("../tests/source_texts.ts");
  const source = await files();
  for (const text of Object.keys(LANGUAGES[0]!.texts)) {
    assert.ok(source.includes(JSON.stringify(text)), `nothing says "${text}"`);
  }
});

Deno.test("the sentences of known errors are in every language", () => {
  for (
    const code of [
      "UNAUTHENTICATED",
      "SESSION_EXPIRED",
      "INVALID_CREDENTIALS",
      "INVALID_EMAIL",
      "INVALID_LINK",
      "INVALID_CODE",
      "OTHER_BROWSER",
      "EMAIL_NOT_SENT",
      "RATE_LIMITED",
      "RATE_LIMITED_ACCOUNT",
      "RATE_LIMITED_PASSWORD",
      "ACCOUNT_TAKEN",
      "LAST_WAY_IN",
      "PASSKEY_REFUSED",
      "OAUTH_DENIED",
      "OVERLOADED",
      "STORAGE_UNAVAILABLE",
    ]
  ) {
    const message = knownErrorMessage(code)!;
    for (const { tag, texts } of LANGUAGES) assert.ok(message in texts, `${tag}: ${message}`);
  }
});

// In a card of 344 pixels: a button or heading is two lines at most, a label, a tag or a link in a list one.
Deno.test("no translation is so long that it breaks a layout", () => {
  const oneLine = [
    "Last used",
    "Email",
    "Password",
    "Show",
    "Hide",
    "Change",
    "or",
    "Name",
    "Sign out",
    "This browser",
    "Not confirmed",
  ];
  for (const { tag, texts } of LANGUAGES) {
    for (const text of oneLine) {
      const translation = (texts as Record<string, string>)[text]!;
      assert.ok(translation.length <= 20, `${tag}: "${translation}" for "${text}"`);
    }
    for (const [text, translation] of Object.entries(texts)) {
      const isLabel = !/[.?!:]|\{/.test(text) && text.length < 40;
      const limit = isLabel ? 44 : text.length * 2 + 24;
      assert.ok(translation.length <= limit, `${tag}: "${translation}" for "${text}"`);
    }
  }
});

Deno.test("pages and mails are in the visitor's language throughout", async () => {
  for (const language of LANGUAGES) {
    const look = lookIn(language);
    const english = Object.keys(language.texts).filter((text) =>
      text.length > 12 && (language.texts as Record<string, string>)[text] !== text
    ).map((text) => text.replace(/\{.*/s, "")).filter((text) => text.length > 12);
    const shown = Object.entries(GALLERY).filter(([name]) => !/^error\.\d/.test(name));
    for (const [name, show] of shown) {
      const text = await pageResponse(look, show(look)).text();
      for (const one of english) assert.equal(text.includes(`>${one}`), false, `${name}: ${one}`);
    }
    for (const [name, write] of Object.entries(MAILS)) {
      const { subject, html, text } = write(look);
      for (const one of english) {
        assert.equal(`${subject}${html}${text}`.includes(one), false, `${name}: ${one}`);
      }
    }
  }
});
