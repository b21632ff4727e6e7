import assert from "node:assert/strict";
import { ConfigurationError } from "../errors.ts";
import { createAuth } from "../app/create_auth.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { credentials, type CredentialsConfig } from "./credentials.ts";
import type { SignInMethod } from "../core/contracts.ts";

const CONFIG: CredentialsConfig = {
  credentials: { pin: { label: "PIN", type: "password", required: true, placeholder: "1234" } },
  authorize: () => Promise.resolve(null),
};

Deno.test("credentials() fills in id and name", () => {
  const definition = credentials(CONFIG).definition as SignInMethod;
  assert.equal(definition.id, "credentials");
  assert.equal(definition.name, "Credentials");
  assert.deepEqual(definition.endpoints.map(({ method, path }) => `${method} ${path}`), [
    "POST /signin/credentials",
  ]);
});

Deno.test("credentials() calls authorize as a method of its configuration", async () => {
  const config: CredentialsConfig = {
    ...CONFIG,
    id: "pin",
    authorize(this: CredentialsConfig) {
      return Promise.resolve({ id: this.id! });
    },
  };
  const auth = createAuth({ database: createMemoryStorage(), providers: [credentials(config)] });
  const response = await auth.handle(
    new Request("http://localhost/auth/signin/pin", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: '{"pin":"1234"}',
    }),
    {},
  );
  assert.equal((await response!.json()).user.id, "pin");
});

Deno.test("credentials() throws a ConfigurationError when the configuration is wrong", () => {
  const wrong: object[] = [
    {},
    { ...CONFIG, credentials: {} },
    { ...CONFIG, credentials: { "": { label: "x", type: "text" } } },
    { ...CONFIG, credentials: { "a b": { label: "x", type: "text" } } },
    { ...CONFIG, credentials: { callbackUrl: { label: "x", type: "text" } } },
    { ...CONFIG, credentials: JSON.parse('{"__proto__":{"label":"x","type":"text"}}') },
    { ...CONFIG, credentials: { constructor: { label: "x", type: "text" } } },
    { ...CONFIG, credentials: { pin: "PIN" } },
    { ...CONFIG, credentials: { pin: { type: "text" } } },
    { ...CONFIG, credentials: { pin: { label: "PIN", type: "number" } } },
    { ...CONFIG, credentials: { pin: { label: "PIN", type: "text", requird: true } } },
    { ...CONFIG, credentials: { pin: { label: "PIN", type: "text", required: "yes" } } },
    { ...CONFIG, authorize: undefined },
    { ...CONFIG, id: "Credentials" },
    { ...CONFIG, id: "a/b" },
    { ...CONFIG, name: "" },
    { ...CONFIG, authorise: () => null },
  ];
  for (const config of wrong) {
    assert.throws(
      () => credentials(config as CredentialsConfig),
      ConfigurationError,
      JSON.stringify(config),
    );
  }
});
