import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { credentials } from "../sign_in/credentials.ts";
import { resolveMethod } from "../core/provider.ts";
import { defineAuthConfig, defineProvider } from "./define.ts";

const provider = credentials({
  credentials: { pin: { label: "PIN", type: "password" } },
  authorize: () => Promise.resolve(null),
});

Deno.test("defineAuthConfig() gives back what it is given", () => {
  const config = { basePath: "/api/auth" };
  assert.equal(defineAuthConfig(config), config);
  const made = (env: { path: string }) => ({ basePath: env.path });
  assert.equal(defineAuthConfig(made), made);
});

Deno.test("defineProvider() takes a provider, or a function that makes one", () => {
  assert.equal(defineProvider(provider), provider);
  const made = defineProvider((_env: object) => provider);
  assert.equal(resolveMethod(made, {})?.id, "credentials");
});

Deno.test("defineProvider() throws a ConfigurationError for what is no provider", () => {
  assert.throws(() => defineProvider({} as never), ConfigurationError);
  const made = defineProvider(() => ({}) as never);
  assert.throws(() => resolveMethod(made, {}), ConfigurationError);
});

Deno.test("defineProvider() takes null for a way to sign in that is not set up", () => {
  const made = defineProvider((env: { SET_UP?: string }) => env.SET_UP ? provider : null);
  assert.equal(resolveMethod(made, {}), null);
  assert.equal(resolveMethod(made, { SET_UP: "yes" })?.id, "credentials");
});
