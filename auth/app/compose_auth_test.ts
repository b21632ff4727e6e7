import assert from "node:assert/strict";
import { accountPage } from "../account/page.ts";
import { accountEndpoints } from "../account/linked_accounts.ts";
import { trustProxies } from "../core/client_address.ts";
import {
  defineAuthCallbacks,
  defineAuthConfig,
  defineAuthEvents,
  defineProvider,
} from "./define.ts";
import type { AuthConfig } from "./options.ts";
import { ConfigurationError } from "../errors.ts";
import { credentials } from "../sign_in/credentials.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { hasPermission } from "../session/operations.ts";
import { pageTheme } from "../sign_in/page_theme.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { cookieOf } from "../tests/application.ts";
import { type AuthParts, composeAuth } from "./compose_auth.ts";

function provider(id?: string) {
  return credentials({
    ...(id !== undefined && { id }),
    credentials: { pin: { label: "PIN", type: "password" } },
    authorize: () => Promise.resolve(null),
  });
}

function compose(parts: Partial<AuthParts> = {}) {
  const database = createMemoryStorage();
  return composeAuth({ providers: {}, database: () => database, ...parts });
}

async function providerIds(parts: Partial<AuthParts>, env: unknown = {}): Promise<string[]> {
  const response = await compose(parts).handle(new Request("http://localhost/auth/providers"), env);
  return (await response!.json()).map(({ id }: { id: string }) => id);
}

Deno.test("composeAuth() works without a configuration file", async () => {
  assert.deepEqual(await providerIds({ providers: { credentials: provider() } }), ["credentials"]);
});

Deno.test("composeAuth() has the built-in pages unless the configuration brings others", async () => {
  const own = pageTheme({ name: "Example" });
  const cases: [AuthConfig, RegExp][] = [
    [{}, /<title>Sign in<\/title>/],
    [{ pages: { newUser: "/welcome" } }, /<title>Sign in<\/title>/],
    [{ pages: { theme: undefined } as never }, /<title>Sign in<\/title>/],
    [{ pages: { theme: own } }, /<title>Sign in to Example<\/title>/],
  ];
  for (const [config, title] of cases) {
    const request = new Request("http://localhost/auth/signin");
    const response = await compose({ config: defineAuthConfig(config) }).handle(request, {});
    assert.match(await response!.text(), title);
  }
});

Deno.test("composeAuth() leaves out a provider that is not set up in this environment", async () => {
  const pin = defineProvider((env: { PIN?: string }) => env.PIN ? provider("pin") : null);
  const parts = { providers: { credentials: provider(), pin } };
  assert.deepEqual(await providerIds(parts), ["credentials"]);
  assert.deepEqual(await providerIds(parts, { PIN: "1234" }), ["credentials", "pin"]);
  const ordered = { ...parts, config: { providers: ["pin"] } };
  assert.deepEqual(await providerIds(ordered), ["credentials"]);
});

Deno.test("composeAuth() calls functions of the environment", async () => {
  const auth = compose({
    config: defineAuthConfig((env: { base: string }) => ({ basePath: env.base })),
    providers: { pin: defineProvider((_env: { base: string }) => provider("pin")) },
    database: (env) => (env as { store: ReturnType<typeof createMemoryStorage> }).store,
  });
  const env = { base: "/api/auth", store: createMemoryStorage() };
  const response = await auth.handle(new Request("http://localhost/api/auth/providers"), env);
  assert.equal((await response!.json())[0].id, "pin");
  assert.equal(auth.storage(env), env.store);
});

Deno.test("composeAuth() says what to do with account endpoints among the providers", async () => {
  for (const name of ["accounts", "account-endpoints"]) {
    await assert.rejects(providerIds({ providers: { [name]: accountEndpoints() } }), {
      name: "ConfigurationError",
      message:
        `app/auth/providers/${name}.ts has accountEndpoints() as its default export, which an application by ` +
        "convention has anyway: delete the file",
    });
  }
  await assert.rejects(providerIds({ providers: { profile: accountPage() } }), {
    name: "ConfigurationError",
    message:
      'app/auth/providers/profile.ts has endpoints called "account" as its default export, and no way to sign in: ' +
      "name the file account.ts",
  });
  const auth = compose({ providers: { account: accountPage() } });
  const page = await auth.handle(new Request("http://localhost/auth/account"), {});
  assert.match(page!.headers.get("location")!, /\/auth\/signin\?/);
});

Deno.test("composeAuth() orders providers by the configuration, then by name", async () => {
  const providers = { zebra: provider("zebra"), apple: provider("apple"), pin: provider("pin") };
  assert.deepEqual(await providerIds({ providers }), ["apple", "pin", "zebra"]);
  const config = defineAuthConfig({ providers: ["zebra"] });
  assert.deepEqual(await providerIds({ providers, config }), ["zebra", "apple", "pin"]);
});

Deno.test("composeAuth() lets the configuration's logger win over the given one", async () => {
  const heard: string[] = [];
  function logger(name: string) {
    const report = (event: string) => void heard.push(`${name} ${event}`);
    return { info: report, warn: report, error: report };
  }
  async function refuse(parts: Partial<AuthParts>): Promise<void> {
    const headers = { origin: "http://evil.example" };
    const request = new Request("http://localhost/auth/signout", { method: "POST", headers });
    assert.equal((await compose(parts).handle(request, {}))?.status, 403);
  }
  await refuse({ logger: logger("host") });
  await refuse({ logger: logger("host"), config: { logger: logger("own") } });
  assert.deepEqual(heard, ["host origin-refused", "own origin-refused"]);
});

Deno.test("composeAuth() takes callbacks, events and roles from files, also as functions of the environment", async () => {
  const heard: string[] = [];
  const auth = compose({
    providers: {
      pin: credentials({
        id: "pin",
        credentials: { pin: { label: "PIN", type: "password" } },
        authorize: () => Promise.resolve({ id: "ada", role: "author" }),
      }),
    },
    callbacks: defineAuthCallbacks((env: { landing: string }) => ({ redirect: () => env.landing })),
    events: defineAuthEvents({ "sign-in": ({ userId }) => void heard.push(userId) }),
    rbac: defineRBAC({ roles: [{ id: "author", name: "Author", permissions: ["posts:*"] }] }),
  });
  const env = { landing: "/desk" };
  const signedIn = await auth.handle(
    new Request("http://localhost/auth/signin/pin", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    }),
    env,
  );
  assert.equal((await signedIn?.clone().json()).redirectTo, "http://localhost/desk");
  assert.deepEqual(heard, ["ada"]);
  const cookie = cookieOf(signedIn!);
  const page = new Request("http://localhost/", { headers: { cookie } });
  const answer = await auth.run(
    page,
    env,
    undefined,
    () => Response.json([hasPermission("posts:update"), hasPermission("users:update")]),
  );
  assert.deepEqual(await answer.json(), [true, false]);
});

// Tracks: R153
Deno.test("composeAuth() rejects with a ConfigurationError that names the file", async () => {
  const wrong: [Partial<AuthParts>, RegExp, field?: string][] = [
    [
      { providers: { pin: provider() } },
      /app\/auth\/providers\/pin\.ts.*id "credentials".*credentials\.ts/,
    ],
    [
      { providers: { pin: undefined } },
      /app\/auth\/providers\/pin\.ts has nothing as its default export/,
    ],
    [{ providers: { pin: {} } }, /pin\.ts has an object/],
    [
      {
        providers: {
          pin: defineProvider(() => {
            throw new ConfigurationError("no way", { field: "secret" });
          }),
        },
      },
      /^no way$/,
      "providers.pin.secret",
    ],
    [{ config: 5 }, /app\/auth\/config\.ts/],
    [{ config: { database: createMemoryStorage() } }, /Unknown option "database"/],
    [{ config: { callbacks: {} } }, /app\/auth\/callbacks\.ts/],
    [{ config: { rbac: { roles: [] } } }, /app\/auth\/rbac\.ts/],
    [{ callbacks: { signin: () => true } }, /Did you mean "signIn"/],
    [{ events: () => ({ "sign_in": () => {} }) }, /Did you mean "sign-in"/],
    [{ rbac: { roles: [] } }, /"rbac": found an object; write what defineRBAC/],
    [
      {
        rbac: defineRBAC(() => ({ roles: [{ id: "a", name: "A", permissions: ["posts"] }] })),
      },
      /role "a".*"posts"/,
    ],
    [{ config: { session: { strategy: "jwt" } } }, /"jwt" needs `secret`/],
    [{ config: { session: { strategy: "jwts" } } }, /found "jwts"; write "database" or "jwt"/],
    [{ config: { trustedProxies: ["proxy"] } }, /"trustedProxies\[0\]": found "proxy"/],
    [
      { config: { trustedProxies: "10.0.0.1" } },
      /"trustedProxies": found "10.0.0.1"; write a list/,
    ],
    [{ config: { providers: "pin" } }, /a list of provider ids/],
    [
      { config: { providers: ["credential"] }, providers: { credentials: provider() } },
      /Did you mean "credentials"/,
    ],
    [{ database: () => undefined }, /a database, or write.*"jwt".*app\/auth\/config\.ts/],
    [{ database: () => undefined, config: { session: { maxAge: 60 } } }, /a database, or write/],
  ];
  for (const [parts, message, field] of wrong) {
    await assert.rejects(
      compose(parts).handle(new Request("http://localhost/"), {}),
      (error) => {
        assert.ok(error instanceof ConfigurationError, String(error));
        assert.match(error.message, message);
        if (field !== undefined) assert.equal(error.field, field);
        return true;
      },
    );
  }
});

// Tracks: R160
Deno.test("composeAuth() takes no clock, network or delivery of mails from the application's configuration", async () => {
  for (const key of ["now", "fetch", "deliver"]) {
    const auth = compose({ config: { [key]: () => {} } });
    const request = new Request("http://localhost/auth/providers");
    await assert.rejects(auth.handle(request, {}), ConfigurationError, key);
  }
});

// Tracks: R068
Deno.test("composeAuth() takes the proxies as a list, and as what trustProxies() returns", async () => {
  const headers = { "forwarded": "for=203.0.113.6", "x-forwarded-for": "203.0.113.5" };
  const cases = [
    [["10.0.0.0/8"], "203.0.113.5"],
    [trustProxies(["10.0.0.0/8"], { header: "forwarded" }), "203.0.113.6"],
  ] as const;
  for (const [trustedProxies, address] of cases) {
    const heard: unknown[] = [];
    const auth = compose({
      config: { trustedProxies, baseUrl: "http://localhost" },
      events: { "sign-in-failed": (event: { address?: string }) => heard.push(event.address) },
      providers: { credentials: provider() },
    });
    const request = new Request("http://localhost/auth/signin/credentials", {
      method: "POST",
      headers: { ...headers, "origin": "http://localhost", "accept": "application/json" },
      body: new URLSearchParams({ name: "nobody", pin: "wrong" }),
    });
    assert.equal((await auth.handle(request, {}, { clientAddress: "10.0.0.9" }))?.status, 401);
    assert.deepEqual(heard, [address]);
  }
});
