import assert from "node:assert/strict";
import { ConfigurationError } from "../../errors.ts";
import { createAuth } from "../../app/create_auth.ts";
import { createMemoryStorage } from "../../storage/memory.ts";
import { ORIGIN, passwordProvider } from "../../tests/application.ts";
import { createPasskeyApplication } from "../../tests/passkey_application.ts";
import { createPasskeyBrowser } from "../../tests/passkey_browser.ts";
import { createSoftwareAuthenticator } from "../../../testing/sign_in/software_authenticator.ts";
import { pageTheme } from "../page_theme.ts";
import { passkey } from "./provider.ts";
import type { PasskeyConfig } from "./challenge.ts";
import { jwtSessions } from "../../app/jwt_sessions.ts";
import type { SignInMethod } from "../../core/contracts.ts";

const RIGHT: PasskeyConfig = { rpName: "x", rpId: "app.example", origin: "https://app.example" };

function fieldOf(config: object): string | undefined {
  try {
    passkey({ ...RIGHT, ...config });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.field;
  }
}

// Tracks: R126
Deno.test("passkey() takes an rpId that is the origin's own domain or above it, and https", () => {
  const right: [string, string | string[]][] = [
    ["app.example", "https://app.example"],
    ["app.example", "https://login.app.example:8443"],
    ["app.example", ["https://app.example", "https://a.b.app.example"]],
    ["localhost", "http://localhost:8000"],
    ["app.localhost", "http://t1.app.localhost:3000"],
    ["localhost", "https://localhost"],
    ["xn--bcher-kva.example", "https://xn--bcher-kva.example"],
  ];
  for (const [rpId, origin] of right) assert.equal(fieldOf({ rpId, origin }), undefined, rpId);
  const wrong: [string, unknown, unknown][] = [
    ["rpId", undefined, "https://app.example"],
    ["rpId", "", "https://app.example"],
    ["rpId", "127.0.0.1", "http://127.0.0.1:8000"],
    ["rpId", "[::1]", "http://[::1]"],
    ["rpId", "2130706433", "http://127.0.0.1"],
    ["rpId", "0x7f.1", "http://127.0.0.1"],
    ["rpId", "com", "https://app.com"],
    ["rpId", "App.example", "https://app.example"],
    ["rpId", "bücher.example", "https://xn--bcher-kva.example"],
    ["rpId", "app.example.", "https://app.example."],
    ["rpId", ".app.example", "https://app.example"],
    ["rpId", "https://app.example", "https://app.example"],
    ["rpId", "app.example:443", "https://app.example"],
    ["rpId", "app.example/", "https://app.example"],
    ["rpId", ["app.example"], "https://app.example"],
    ["origin", "app.example", []],
    ["origin", "app.example", "app.example"],
    ["origin", "app.example", "https://app.example/"],
    ["origin", "app.example", "https://app.example:443"],
    ["origin", "app.example", "https://App.example"],
    ["origin", "app.example", "http://app.example"],
    ["origin", "app.example", "https://evilapp.example"],
    ["origin", "app.example", "https://app.example.evil.example"],
    ["origin", "app.example", "https://example"],
    ["origin", "login.app.example", "https://app.example"],
    ["origin", "app.example", ["https://app.example", "https://other.example"]],
    ["origin", "app.example", "null"],
    ["origin", "app.example", "android:apk-key-hash:47DEQpj8HBSa"],
    ["origin", "localhost", "http://127.0.0.1"],
  ];
  for (const [field, rpId, origin] of wrong) {
    assert.equal(fieldOf({ rpId, origin }), field, `${rpId} at ${origin}`);
  }
});

Deno.test("passkey() names the option that is wrong", () => {
  const wrong: Record<string, unknown[]> = {
    id: ["", "Passkey", "a/b", 5],
    name: ["", 5],
    rpName: ["", 5],
    authenticatorAttachment: ["usb", null],
    userVerification: ["always", null, true],
    residentKey: [true, "none"],
    signUp: ["yes", 1],
  };
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) assert.equal(fieldOf({ [field]: value }), field, String(value));
  }
  assert.equal(fieldOf({ rpID: "x" }), "rpID");
  assert.throws(() => passkey(null as never), ConfigurationError);
});

Deno.test("passkey() needs a database, and says so at the start", () => {
  const session = { strategy: jwtSessions } as const;
  const secret = "a secret of the test, of 32 bytes or more";
  assert.throws(
    () => createAuth({ session, secret, providers: [passkey(RIGHT)] }),
    (error) => error instanceof ConfigurationError && error.field === "database",
  );
  createAuth({ session, secret, providers: [passkey(RIGHT)], database: createMemoryStorage() });
});

Deno.test("passkey() takes a function of the environment, which is called with it", async () => {
  interface Env {
    HOST: string;
  }
  const auth = createAuth<Env>({
    baseUrl: ORIGIN,
    database: createMemoryStorage(),
    providers: [
      passkey<Env>(({ HOST }) => ({ rpName: "x", rpId: HOST, origin: `https://${HOST}` })),
    ],
  });
  const request = new Request(`${ORIGIN}/auth/passkey/options/authenticate`, {
    method: "POST",
    headers: { origin: ORIGIN },
  });
  const response = await auth.handle(request, { HOST: "app.example" });
  assert.equal((await response!.json()).rpId, "app.example");
  await assert.rejects(auth.handle(request, { HOST: "127.0.0.1" }), ConfigurationError);
});

Deno.test("a page with passkeys alone says what they need where no script runs", async () => {
  for (const others of [[], [passwordProvider()]]) {
    const auth = createAuth({
      baseUrl: ORIGIN,
      database: createMemoryStorage(),
      providers: [passkey({ rpName: "App", rpId: "app.example", origin: ORIGIN }), ...others],
    });
    const page = await (await auth.handle(new Request(`${ORIGIN}/auth/signin`), {}))!.text();
    assert.equal(page.includes("Passkeys need a newer browser"), others.length === 0);
  }
});

Deno.test("the sign-in page has the forms, loads the script from its own origin and nothing else", async () => {
  const application = createPasskeyApplication({ name: "<Passkeys>", signUp: true });
  const response = await application.send("/signin?callbackUrl=/x");
  const page = await response.text();
  const policy = response.headers.get("content-security-policy")!;
  assert.match(policy, /script-src 'sha256-[^']+' 'self'; connect-src 'self';/);
  assert.match(page, /<script type="module" src="\/auth\/passkey\.js"><\/script>/);
  assert.match(page, /action="\/auth\/signin\/passkey"/);
  assert.match(page, /action="\/auth\/passkey\/register"/);
  assert.equal(page.match(/name="callbackUrl" value="https:\/\/app\.example\/x"/g)!.length, 3);
  const script = await application.send("/passkey.js");
  assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.equal(script.headers.get("x-content-type-options"), "nosniff");
  assert.match(await script.text(), /navigator/);
  const providers = await (await application.send("/providers")).json();
  assert.deepEqual(providers[1], { id: "passkey", name: "<Passkeys>", type: "webauthn" });
  application.close();
  const closed = createPasskeyApplication();
  const without = await (await closed.send("/signin")).text();
  assert.equal(without.includes("/passkey/register"), false);
  closed.close();
});

// Tracks: R070, K3
Deno.test("no endpoint of passkeys answers another site's page, and no answer is kept", async () => {
  const application = createPasskeyApplication({ signUp: true });
  const cookie = await application.signIn();
  const { endpoints } = passkey(RIGHT).definition as SignInMethod;
  assert.equal(endpoints.length, 9);
  for (const { path, method } of endpoints) {
    for (const origin of [ORIGIN, "https://evil.example", "https://x.app.example", "null"]) {
      const response = await application.send(path.replace("*", "AAAA"), {
        method,
        cookie,
        headers: { origin },
      });
      const what = `${method} ${path} from ${origin}: ${response.status}`;
      assert.equal(response.headers.get("cache-control"), "no-store", what);
      assert.match(response.headers.get("vary") ?? "", /Cookie/, what);
      assert.equal(response.headers.get("access-control-allow-origin"), null, what);
      assert.ok(response.status < 500, what);
      if (method !== "GET" && origin !== ORIGIN) assert.equal(response.status, 403, what);
      else assert.notEqual(response.status, 403, what);
    }
  }
  application.close();
});

Deno.test("passkey() without options is for the own address, by which it also checks", async () => {
  for (
    const [baseUrl, host] of [["https://app.example", "app.example"], [
      undefined,
      "localhost",
    ]] as const
  ) {
    const auth = createAuth({
      database: createMemoryStorage(),
      providers: [passkey()],
      ...(baseUrl !== undefined && { baseUrl }),
    });
    const origin = baseUrl ?? "http://localhost:8000";
    const response = await auth.fetch(
      new Request(`${origin}/auth/passkey/options/authenticate`, {
        method: "POST",
        headers: { origin, accept: "application/json" },
        body: new URLSearchParams(),
      }),
    );
    assert.equal((await response.json()).rpId, host);
  }
});

Deno.test("the browser names the application by the theme, unless passkey() has a name of its own", async () => {
  for (
    const [config, theme, name] of [
      [{}, pageTheme({ name: "Acme" }), "Acme"],
      [{ rpName: "Acme Bank" }, pageTheme({ name: "Acme" }), "Acme Bank"],
      [{}, pageTheme({}), "app.example"],
      [{}, undefined, "app.example"],
    ] as const
  ) {
    const auth = createAuth({
      database: createMemoryStorage(),
      baseUrl: "https://app.example",
      providers: [passkey({ signUp: true, ...config })],
      ...theme !== undefined && { pages: { theme } },
    });
    const response = await auth.fetch(
      new Request("https://app.example/auth/passkey/options/register", {
        method: "POST",
        headers: { origin: "https://app.example", accept: "application/json" },
        body: new URLSearchParams({ name: "Ada" }),
      }),
    );
    assert.deepEqual((await response.json()).rp, { id: "app.example", name });
  }
});

Deno.test("an authenticator that has not verified its user is told so where that is required", async () => {
  const application = createPasskeyApplication({ userVerification: "required", signUp: true });
  const browser = createPasskeyBrowser(application);
  const careless = createSoftwareAuthenticator({ userVerified: false });
  const code = async (response: Response) => [response.status, (await response.json()).code];
  const ask = { name: "Ada" };
  assert.deepEqual(await code(await browser.register(careless, { ask })), [
    401,
    "PASSKEY_UNVERIFIED",
  ]);
  assert.equal(await browser.user(), null);
  const authenticator = createSoftwareAuthenticator();
  assert.equal((await browser.register(authenticator, { ask })).status, 200);
  const visitor = createPasskeyBrowser(application);
  const flags = (bytes: Uint8Array) => bytes.map((byte, n) => n === 32 ? byte & ~4 : byte);
  const unverified = await visitor.prove(authenticator, { faults: { authenticatorData: flags } });
  assert.deepEqual(await code(unverified), [401, "PASSKEY_UNVERIFIED"]);
  assert.equal(await visitor.user(), null);
  // Not before the signature is right: it says nothing to who has not the key.
  const wrong = (bytes: Uint8Array) => bytes.map((byte, n) => n === 40 ? byte ^ 1 : byte);
  const forged = { authenticatorData: flags, signature: wrong };
  assert.deepEqual(await code(await visitor.prove(authenticator, { faults: forged })), [
    401,
    "PASSKEY_REFUSED",
  ]);
  assert.equal((await visitor.prove(authenticator)).status, 200);
  application.close();
});
