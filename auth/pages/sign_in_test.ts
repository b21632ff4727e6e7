import assert from "node:assert/strict";
import { GALLERY } from "../tests/page_gallery.ts";
import { DEFAULT_LOOK, pageResponse } from "./frame.ts";
import { readPageTheme } from "./theme.ts";

/** Names of the fields of a page that ask for the focus, in their order. */
async function focused(name: string): Promise<string[]> {
  const text = await pageResponse(DEFAULT_LOOK, GALLERY[name]!(DEFAULT_LOOK)).text();
  return [...text.matchAll(/<[^>]* name="([^"]*)"[^>]* autofocus/g)].map(([, field]) => field!);
}

// Browsers take the first.
Deno.test("the focus is on the field in error, else on the one that the page is for", async () => {
  const pages = {
    "sign_in": [],
    "sign_up": [],
    "sign_up.error": ["email", "password"],
    "sign_in_password": ["password"],
    "sign_in_password.error": ["password"],
    "check_your_mail": ["code"],
    "check_your_mail.error": ["code"],
    "second_factor": ["code"],
    "second_factor.error": ["code"],
    "second_factor.recovery": ["code"],
    // The page begins with what comes before the code.
    "second_factor_setup": [],
  };
  for (const [name, fields] of Object.entries(pages)) {
    assert.deepEqual(await focused(name), fields, name);
  }
});

Deno.test("the terms stand before every way to create an account", async () => {
  const theme = readPageTheme({ name: "Acme", links: { terms: "/terms", privacy: "/privacy" } });
  const look = theme.look(new Request("https://app.example/"));
  const text = await pageResponse(look, GALLERY["sign_up"]!(look)).text();
  const [terms, ways] = ["you agree to the", "Continue with"].map((part) => text.indexOf(part));
  assert.ok(terms! > 0 && terms! < ways!);
});

Deno.test("no passkey is offered in the field for the address of a new account, or of a mail", async () => {
  for (const name of ["sign_up", "forgot"]) {
    const text = await pageResponse(DEFAULT_LOOK, GALLERY[name]!(DEFAULT_LOOK)).text();
    assert.match(text, /name="email" type="email" autocomplete="email"/, name);
  }
});
