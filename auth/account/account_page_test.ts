import assert from "node:assert/strict";
import type { AuthOptions } from "../app/options.ts";
import { composeAuth } from "../app/compose_auth.ts";
import { createAuth } from "../app/create_auth.ts";
import { jwtSessions } from "../app/jwt_sessions.ts";
import { SECURITY_HEADERS } from "../core/error_response.ts";
import { passkey } from "../sign_in/passkey/provider.ts";
import { github as codeHostProvider } from "../sign_in/oauth/presets/github.ts";
import { linkedAccountGroup } from "../storage/accounts.ts";
import { groupOf } from "../storage/storage.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import { createMemoryRevocationStore } from "../storage/revocations.ts";
import {
  cookieOf,
  createTestApplication,
  ORIGIN,
  passwordProvider,
  type TestApplication,
} from "../tests/application.ts";
import { userAt } from "../tests/during.ts";
import { DEFAULT_LOOK } from "../pages/frame.ts";
import { accountPage } from "./page.ts";
import { describeDevice, nameBrowser } from "../pages/device.ts";
import type { EmailChangeParams } from "./email_change.ts";

interface AccountApplication extends TestApplication {
  mails: EmailChangeParams[];
  /** Gives a user an account at GitHub. */
  link(userId: string): Promise<void>;
}

function createApplication(options: Partial<AuthOptions> = {}): AccountApplication {
  const mails: EmailChangeParams[] = [];
  const application = createTestApplication({
    rateLimit: false,
    secret: "s".repeat(32),
    cookies: { sessionToken: { hostOnly: true } },
    providers: [
      passwordProvider(),
      codeHostProvider({ clientId: "id", clientSecret: "secret" }),
      accountPage({ sendEmailChange: (mail) => void mails.push(mail) }),
    ],
    ...options,
  });
  return {
    ...application,
    mails,
    async link(userId) {
      const outcome = await groupOf(application.auth.storage({}), linkedAccountGroup).linkAccount({
        provider: "github",
        providerAccountId: "7",
        userId,
        type: "oauth",
        accessToken: null,
        refreshToken: null,
        expiresAt: null,
        tokenType: null,
        scope: null,
        createdAt: application.clock.now,
        updatedAt: application.clock.now,
        email: null,
      });
      assert.equal(outcome, "linked");
    },
  };
}

/** The path and query of an address below /auth. */
function below(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.slice("/auth".length) + search;
}

Deno.test("GET /account sends visitors to the sign-in page and back", async () => {
  const application = createApplication();
  const response = await application.send("/account");
  assert.equal(response.status, 303);
  assert.equal(
    response.headers.get("location"),
    "https://app.example/auth/signin?callbackUrl=%2Fauth%2Faccount",
  );
  application.close();
});

Deno.test("without a theme the account page leads to the application's own pages", async () => {
  const application = createApplication({ pages: { signIn: "/login", signOut: "/logout" } });
  const cookie = await application.signIn();
  application.clock.now += 11 * 60 * 1000;
  const text = await (await application.send("/account", { cookie })).text();
  const links = [...text.matchAll(/<a[^>]* href="([^"#]+)"/g)].map(([, href]) => href);
  assert.deepEqual([...new Set(links)], [
    "/",
    "/logout",
    "https://app.example/login?error=REAUTHENTICATION_REQUIRED&amp;callbackUrl=%2Fauth%2Faccount",
  ]);
  application.close();
});

Deno.test("the account page shows only what there is", async () => {
  const application = createTestApplication({ providers: [passwordProvider(), accountPage()] });
  const cookie = await application.signIn();
  const text = await (await application.send("/account", { cookie })).text();
  assert.equal(/Passkeys|Connected|New email/.test(text), false);
  assert.match(text, /Devices/);
  const missing = await application.send("/account/email", {
    cookie,
    fields: { email: "a@b.example" },
  });
  assert.equal(missing.status, 404);
  application.close();
});

// Tracks: R079
Deno.test("the account page shows known notes only and escapes what users wrote", async () => {
  const application = createApplication();
  const cookie = await application.signIn("<script>ada");
  const path = "/account?done=%3Cscript%3E&error=%3Cscript%3E";
  const text = await (await application.send(path, { cookie })).text();
  assert.equal(text.includes("<script>"), false);
  assert.equal(/role="(?:alert|status)"/.test(text), false);
  assert.match(text, /value="&lt;script&gt;ada"/);
  application.close();
});

Deno.test("a form without one of its fields is told which", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  const fields = { name: "Ada" };
  const response = await application.send("/account/profile", { cookie, json: fields });
  assert.equal(response.status, 400);
  assert.match((await response.json()).message, /"image"/);
});

Deno.test("a picture's address is one of the web, or refused", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  for (
    const image of ["javascript:alert(1)", "http://x.example/a", "data:,x", "//x", "https://a@b/"]
  ) {
    const response = await application.send("/account/profile", {
      cookie,
      fields: { name: "Ada", image },
    });
    assert.equal(response.status, 400, image);
    assert.match(await response.text(), /id="image"[^>]* aria-invalid="true"/);
  }
  const fields = { name: " Ada ", image: "https://x.example/a b.png", role: "admin" };
  const saved = await application.send("/account/profile", { cookie, fields });
  assert.equal(saved.status, 303);
  const { user } = await (await application.send("/session", { cookie })).json();
  assert.deepEqual([user.name, user.image, user.role], [
    "Ada",
    "https://x.example/a%20b.png",
    undefined,
  ]);
  application.close();
});

Deno.test("a form that was refused is open, keeps what was typed, and says at its field why", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  const forms: [path: string, fields: Record<string, string>, field: string, value: string][] = [
    ["/account/email", { email: "bad&" }, "email", "bad&amp;"],
    ["/account/profile", { name: "Ada", image: "ftp://x" }, "image", "ftp://x"],
    ["/account/profile", { name: "A".repeat(257), image: "" }, "name", "A".repeat(257)],
  ];
  for (const [path, fields, field, value] of forms) {
    const response = await application.send(path, { cookie, fields });
    assert.equal(response.status, 400, path);
    const text = await response.text();
    const [input] = new RegExp(`<input id="${field}"[^>]*>`).exec(text)!;
    assert.ok(input.includes(`value="${value}"`), input);
    const [, told] = / aria-describedby="(?:\S+ )?([^"]*-error)" aria-invalid="true" autofocus/
      .exec(input)!;
    assert.ok(text.includes(`id="${told}"`));
    assert.equal(text.split(" aria-invalid=").length, 2, path);
    assert.equal(/<details open><summary>Change email/.test(text), field === "email");
    assert.match(text, /<title>Error: /);
  }
  application.close();
});

Deno.test("who deletes the account is told what is lost with it, and that it is gone", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  const asked = await (await application.send("/account/delete", { cookie })).text();
  assert.match(asked, /<li>Your name<\/li>\n<li>Recent activity<\/li>\n<\/ul>/);
  await application.link("ada");
  const more = await (await application.send("/account/delete", { cookie })).text();
  assert.match(more, /<li>Connected accounts<\/li>/);
  const gone = await application.send("/account/delete", { cookie, fields: {} });
  assert.equal(gone.status, 200);
  assert.match(await gone.text(), /<h1>Your account is deleted\.<\/h1>[^]*href="\/"/);
  assert.equal((await application.send("/account", { cookie })).status, 303);
  application.close();
});

Deno.test("the page disconnects an account, but not the last way in, and nobody else's", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  await application.link("ada");
  const fields = { provider: "github", providerAccountId: "7" };
  const last = await application.send("/account/unlink", { cookie, fields });
  assert.equal(last.status, 409);
  assert.match(await last.text(), /role="alert">[^]*This is your only way to sign in/);
  const grace = await application.signIn("grace");
  const foreign = await application.send("/account/unlink", { cookie: grace, fields });
  assert.equal(foreign.status, 303);
  await application.auth.storage({});
  const storage = groupOf(application.auth.storage({}), linkedAccountGroup);
  assert.equal((await storage.listAccounts("ada")).length, 1);
  await storage.linkAccount({
    ...(await storage.listAccounts("ada"))[0]!,
    providerAccountId: "8",
  });
  const done = await application.send("/account/unlink", { cookie, fields });
  assert.match(done.headers.get("location")!, /done=unlinked$/);
  assert.equal((await storage.listAccounts("ada")).length, 1);
  application.close();
});

Deno.test("each form of the account page tells a client that prefers JSON what was done, without a redirect", async () => {
  const relyingParty = { rpName: "x", rpId: "app.example", origin: ORIGIN };
  const application = createApplication({
    providers: [
      passwordProvider(),
      codeHostProvider({ clientId: "id", clientSecret: "secret" }),
      passkey(relyingParty),
      accountPage({ sendEmailChange: () => {} }),
    ],
  });
  const { database: { sqlite } } = application;
  const [other, cookie] = [await application.signIn(), await application.signIn()];
  sqlite.exec(
    "UPDATE users SET email = 'ada@example.com', email_identity = 'ada@example.com', email_verified = 1",
  );
  sqlite.exec(
    `INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, transports,
  device_type, backed_up, created_at) SELECT 'k', id, 'h', 'a2V5', 0, '[]', 'singleDevice', 0, 1 FROM users`,
  );
  await application.link("ada");
  const headers = { accept: "application/json" };
  const ask = async (path: string, json: Record<string, string>) => {
    const response = await application.send(`/account${path}`, { cookie, json, headers });
    assert.equal(response.status, 200, path);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      assert.equal(response.headers.get(name), value, `${path} ${name}`);
    }
    return await response.json();
  };
  const { user } = await ask("/profile", { name: " Ada ", image: "" });
  assert.deepEqual([user.id, user.name, user.image], ["ada", "Ada", null]);
  assert.deepEqual(await ask("/email", { email: "Ada@new.example" }), {
    changed: false,
    sentTo: ["ada@example.com", "Ada@new.example"],
  });
  assert.deepEqual(await ask("/email", { email: "ADA@example.com" }), {
    changed: false,
    sentTo: ["ada@example.com"],
  });
  const id = "k";
  for (const renamed of [true, false]) {
    const json = { id: renamed ? id : "none", name: "Key" };
    assert.deepEqual(await ask("/passkeys/rename", json), { renamed });
  }
  const account = { provider: "github", providerAccountId: "7" };
  for (const done of [true, false]) {
    assert.deepEqual(await ask("/unlink", account), { unlinked: done });
    assert.deepEqual(await ask("/passkeys/remove", { id }), { removed: done });
  }
  const sessions = await (await application.send("/sessions", { cookie })).json();
  const session = sessions.find(({ current }: { current: boolean }) => !current);
  for (const ended of [true, false]) {
    assert.deepEqual(await ask("/sessions/end", { id: session.id }), { ended });
  }
  assert.equal(await (await application.send("/session", { cookie: other })).json(), null);
  assert.deepEqual(await ask("/sessions/end-others", {}), { ended: true });
  assert.deepEqual(await ask("/delete", {}), { deleted: true });
  assert.equal(await (await application.send("/session", { cookie })).json(), null);
  application.close();
});

Deno.test("nobody ends the session of somebody else by its id", async () => {
  const application = createApplication();
  const ada = await application.signIn();
  const grace = await application.signIn("grace");
  const [{ id }] = await (await application.send("/sessions", { cookie: ada })).json();
  await application.send("/account/sessions/end", { cookie: grace, fields: { id } });
  const session = await (await application.send("/session", { cookie: ada })).json();
  assert.equal(session.user.id, "ada");
  application.close();
});

// Tracks: R046
Deno.test("the form of the profile changes its sender, whatever id it names", async () => {
  const application = createApplication();
  await application.signIn("grace");
  const cookie = await application.signIn();
  const fields = { id: "grace", userId: "grace", user: "grace", name: "Mallory", image: "" };
  assert.equal((await application.send("/account/profile", { cookie, fields })).status, 303);
  const names = application.database.sqlite.prepare("SELECT id, name, image FROM users ORDER BY id")
    .all();
  assert.deepEqual(names.map(({ id, name, image }) => [id, name, image]), [
    ["ada", "Mallory", null],
    ["grace", "grace", null],
  ]);
  application.close();
});

Deno.test("a signed token has the new name from the form of the profile on", async () => {
  const application = createApplication({ session: { strategy: jwtSessions } });
  const cookie = await application.signIn();
  const fields = { name: "Countess", image: "" };
  const saved = cookieOf(await application.send("/account/profile", { cookie, fields }));
  const { user } = await (await application.send("/session", { cookie: saved })).json();
  assert.equal(user.name, "Countess");
  application.close();
});

// A signed token is as valid as before until it ends: the row of the user decides.
Deno.test("the account page is closed to who is disabled and still has a signed token", async () => {
  const application = createApplication({ session: { strategy: jwtSessions } });
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET disabled_at = 1");
  assert.equal((await application.send("/account", { cookie })).status, 303);
  const fields = { name: "Mallory", image: "" };
  const saved = await application.send("/account/profile", { cookie, fields });
  assert.match(saved.headers.get("location")!, /\/auth\/signin\?/);
  const { name } = application.database.sqlite.prepare("SELECT name FROM users").get()!;
  assert.equal(name, "ada");
  application.close();
});

Deno.test("a passkey is renamed by its owner, by a name that a list can show", async () => {
  const application = createApplication({
    providers: [
      passwordProvider(),
      passkey({ rpName: "x", rpId: "app.example", origin: "https://app.example" }),
      accountPage(),
    ],
  });
  const cookie = await application.signIn();
  const grace = await application.signIn("grace");
  const { sqlite } = application.database;
  sqlite.exec(`INSERT INTO passkeys (id, user_id, user_handle, public_key, counter, transports,
  device_type, backed_up, created_at) VALUES ('k', 'ada', 'h', 'a2V5', 0, '[]', 'singleDevice', 0, 1)`);
  const nameOf = () => sqlite.prepare("SELECT name FROM passkeys").get()!.name;
  const rename = async (sender: string, name: string) =>
    (await application.send("/account/passkeys/rename", {
      cookie: sender,
      fields: { id: "k", name },
    })).status;
  assert.deepEqual([await rename(cookie, " Laptop "), nameOf()], [303, "Laptop"]);
  assert.deepEqual([await rename(grace, "Mallory"), nameOf()], [303, "Laptop"]);
  for (const name of ["x".repeat(65), "a\u0000b"]) {
    assert.deepEqual([await rename(cookie, name), nameOf()], [400, "Laptop"], name);
  }
  const offersRemoval = async () =>
    (await (await application.send("/account", { cookie })).text()).includes("/passkeys/remove");
  assert.equal(await offersRemoval(), true);
  application.clock.now += 11 * 60 * 1000;
  assert.equal(await offersRemoval(), false);
  application.close();
});

// Tracks: R044
Deno.test("the export is a file that no cache keeps and no browser shows", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  const { headers } = await application.send("/account/export", { cookie, fields: {} });
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    assert.equal(headers.get(name)?.toLowerCase().includes(value.toLowerCase()), true, name);
  }
  assert.match(headers.get("content-disposition")!, /^attachment/);
  application.close();
});

Deno.test("the account page offers what can be done at that moment, and no more", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  application.database.sqlite.exec("UPDATE users SET email = 'ada@example.com'");
  const formsOf = async () => {
    const text = await (await application.send("/account", { cookie })).text();
    return [...text.matchAll(/<form[^>]* action="\/auth\/([^"]+)"[^]*?<\/form>/g)]
      .map(([form, action]) => [action!, form] as const);
  };
  const actions = async () =>
    (await formsOf()).map(([action]) => action).filter((action) => action !== "signout");

  const connect = (await formsOf()).find(([action]) => action === "signin/github")!;
  // Without it the form would sign in, and leave the account for another one.
  assert.match(connect[1], /name="intent" value="link"/);
  const emails = async () => (await actions()).filter((one) => one === "account/email").length;
  assert.equal(await emails(), 2);
  const ends = async () => (await actions()).filter((one) => one.startsWith("account/sessions"));
  assert.deepEqual(await ends(), []);
  await application.signIn();
  assert.deepEqual(await ends(), ["account/sessions/end", "account/sessions/end-others"]);
  await application.link("ada");
  assert.equal((await actions()).includes("signin/github"), false);
  assert.equal((await actions()).includes("account/unlink"), true);

  application.clock.now += 11 * 60 * 1000;
  assert.deepEqual((await actions()).filter((one) => !one.startsWith("account/sessions")), [
    "account/profile",
  ]);
  application.close();
});

Deno.test("a section that lacks what takes a recent sign-in says so, and leads there", async () => {
  const application = createApplication({
    providers: [
      passwordProvider(),
      passkey({ rpName: "A", rpId: "app.example", origin: "https://app.example" }),
      codeHostProvider({ clientId: "id", clientSecret: "secret" }),
      accountPage({ sendEmailChange: () => {} }),
    ],
  });
  const cookie = await application.signIn();
  const hints = async () => {
    const text = await (await application.send("/account", { cookie })).text();
    return [...text.matchAll(/<section id="([^"]+)"[^]*?<\/section>/g)]
      .filter(([section]) => section.includes("/auth/signin?error=REAUTHENTICATION_REQUIRED"))
      .map(([section, id]) => [id, /To change how you sign in/.test(section)]);
  };
  assert.deepEqual(await hints(), []);
  application.clock.now += 11 * 60 * 1000;
  assert.deepEqual(await hints(), [
    ["email-address", true],
    ["passkeys", true],
    ["connected", true],
    ["data", false],
  ]);
  const text = await (await application.send("/account", { cookie })).text();
  assert.match(text, /<a class="button" href="[^"]+REAUTHENTICATION_REQUIRED[^"]*">Download<\/a>/);
  application.close();
});

Deno.test("without an address of now the new one alone agrees", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  await application.send("/account/email", { cookie, fields: { email: "ada@example.com" } });
  assert.deepEqual(application.mails.map(({ part }) => part), ["new"]);
  const token = new URL(application.mails[0]!.url).searchParams.get("token")!;
  const agreed = await application.send("/account/email/confirm", {
    cookie,
    fields: { part: "new", token },
  });
  assert.match(await agreed.text(), /Your address is changed/);
  const { user } = await (await application.send("/session", { cookie })).json();
  assert.equal(user.email, "ada@example.com");
  assert.ok(user.emailVerified);
  application.close();
});

// Tracks: R019
Deno.test("of both addresses at once, and again, the change happens once; an old link ends", async () => {
  const application = createApplication();
  const cookie = await application.signIn();
  async function ask(email: string): Promise<EmailChangeParams[]> {
    application.mails.length = 0;
    await application.send("/account/email", { cookie, fields: { email } });
    return [...application.mails];
  }
  async function agree({ url, part }: EmailChangeParams): Promise<string> {
    const token = new URL(url).searchParams.get("token")!;
    const fields = { part, token };
    return await (await application.send("/account/email/confirm", { fields, cookie })).text();
  }
  await agree((await ask("first@example.com"))[0]!);
  const dropped = await ask("dropped@example.com");
  const kept = await ask("second@example.com");
  const texts = await Promise.all([...dropped, ...kept, ...kept].map(agree));
  assert.equal(texts.filter((text) => text.includes("Your address is changed")).length, 1);
  const { user } = await (await application.send("/session", { cookie })).json();
  assert.equal(user.email, "second@example.com");
  assert.equal((await application.send(below(kept[0]!.url), { cookie })).status, 400);
  application.close();
});

Deno.test("a mail that could not be sent is an answer, and the address stays", async () => {
  const application = createApplication({
    providers: [
      passwordProvider(),
      accountPage({ sendEmailChange: () => Promise.reject(new Error("down")) }),
    ],
  });
  const cookie = await application.signIn();
  const response = await application.send("/account/email", {
    cookie,
    fields: { email: "ada@example.com" },
  });
  assert.equal(response.status, 503);
  const wrong = await application.send("/account/email", { cookie, fields: { email: "no" } });
  assert.equal(wrong.status, 400);
  application.close();
});

Deno.test("where sessions are tokens the account page ends all others, if anything can", async () => {
  for (const revocation of [undefined, createMemoryRevocationStore()]) {
    const application = createTestApplication({
      secret: "s".repeat(32),
      session: { strategy: jwtSessions, ...revocation && { revocation } },
      providers: [passwordProvider(), accountPage()],
    });
    const here = await application.signIn();
    const elsewhere = await application.signIn();
    const page = await (await application.send("/account", { cookie: here })).text();
    const action = "/account/sessions/end-others";
    const offers = page.includes(`action="/auth${action}"`);
    assert.equal(offers, revocation !== undefined);
    assert.equal(page.includes('id="devices"'), offers);
    assert.equal(page.includes("#devices"), offers);
    assert.doesNotMatch(page, /Where you are signed in now/);
    if (offers) {
      application.clock.now += 1000;
      const ended = await application.send(action, { cookie: here, fields: {} });
      assert.equal(ended.status, 303);
      assert.equal(await userAt(application, elsewhere), null);
      assert.equal(await userAt(application, here), "ada");
    }
    application.close();
  }
});

Deno.test("accountPage() needs a database and known options", () => {
  assert.throws(() => accountPage({ sendEmail: () => {} } as never), /sendEmailChange/);
  assert.throws(() => accountPage({ sendEmailChange: "x" } as never), /a function/);
  const create = () =>
    createAuth({
      secret: "s".repeat(32),
      session: { strategy: "database" },
      providers: [accountPage()],
    });
  assert.throws(create, /database/);
});

Deno.test("a device is named by its browser and system", () => {
  const cases: [string | null, string][] = [
    [null, "Unknown browser"],
    ["curl/8", "Unknown browser"],
    ["Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"],
    ["Mozilla/5.0 (Linux; Android 16) Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Version/18.0 Safari/605.1", "Safari on macOS"],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/140 Safari/604",
      "Chrome on iPhone",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  ];
  for (const [userAgent, words] of cases) {
    assert.equal(describeDevice(DEFAULT_LOOK, nameBrowser(userAgent)), words);
  }
});

Deno.test("app/auth/providers/account.ts is the account page of an application by convention", async () => {
  const database = createMemoryStorage();
  const auth = composeAuth({
    config: { baseUrl: "https://app.example" },
    providers: { account: accountPage() },
    database: () => database,
  });
  const response = await auth.handle(new Request("https://app.example/auth/account"), {});
  assert.match(
    response!.headers.get("location")!,
    /\/auth\/signin\?callbackUrl=%2Fauth%2Faccount$/,
  );
  const providers = await auth.handle(new Request("https://app.example/auth/providers"), {});
  assert.deepEqual(await providers!.json(), []);
});
