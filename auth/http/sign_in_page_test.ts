import assert from "node:assert/strict";
import { credentials } from "../providers/credentials.ts";
import type { CredentialsProvider } from "../providers/provider.ts";
import { signInPage } from "./sign_in_page.ts";

function provider(id: string, name: string): CredentialsProvider {
  return credentials({
    id,
    name,
    credentials: {
      email: { label: "E-mail", type: "email", required: true, placeholder: 'you@"example' },
      password: { label: "Password", type: "password" },
    },
    authorize: () => Promise.resolve(null),
  }).definition as CredentialsProvider;
}

const PAGE = { basePath: "/auth", callbackUrl: null, error: null, formOrigins: [] };

async function textOf(page: Partial<Parameters<typeof signInPage>[0]>): Promise<string> {
  return await signInPage({ ...PAGE, providers: [], ...page }).text();
}

Deno.test("signInPage() labels every field and tells the browser what to fill in", async () => {
  const text = await textOf({ providers: [provider("credentials", "Credentials")] });
  assert.match(text, /<html lang="en">/);
  assert.match(
    text,
    /<label>E-mail\n<input name="email" type="email" value="" placeholder="you@&quot;example" autocomplete="username" required>/,
  );
  assert.match(
    text,
    /<label>Password\n<input name="password" type="password" value="" placeholder="" autocomplete="current-password">/,
  );
  assert.match(text, /<button type="submit">Sign in<\/button>/);
  assert.equal(text.includes("<h2>"), false);
});

Deno.test("signInPage() gives each of several providers its own form and name", async () => {
  const text = await textOf({ providers: [provider("one", "First"), provider("two", "<Second>")] });
  assert.match(text, /<h2>First<\/h2>\n<form method="post" action="\/auth\/signin\/one">/);
  assert.match(text, /<h2>&lt;Second&gt;<\/h2>\n<form method="post" action="\/auth\/signin\/two">/);
});

Deno.test("signInPage() keeps what was typed, but no password", async () => {
  const values = new Map([["email", "ada@example.com"], ["password", "hunter2"]]);
  const text = await textOf({ providers: [provider("credentials", "C")], values });
  assert.match(text, /value="ada@example\.com"/);
  assert.equal(text.includes("hunter2"), false);
});

Deno.test("signInPage() lets its form lead to trusted origins, which the redirect after it may need", () => {
  const response = signInPage({ ...PAGE, providers: [], formOrigins: ["https://admin.example"] });
  assert.match(
    response.headers.get("content-security-policy")!,
    /form-action 'self' https:\/\/admin\.example;/,
  );
});

Deno.test("signInPage() says so when there is no way to sign in", async () => {
  assert.match(await textOf({}), /There is no way to sign in yet/);
});
