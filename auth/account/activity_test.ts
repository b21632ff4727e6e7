import type { AuthOptions } from "../app/options.ts";
import { pageTheme } from "../sign_in/page_theme.ts";
import { credentials } from "../sign_in/credentials.ts";
import { french, german, spanish } from "../languages.ts";
import { defineRBAC } from "../rbac/roles.ts";
import { createUser, deleteUser, passwordChanged } from "../session/users.ts";
import { endSessions } from "../session/user_sessions.ts";
import { createMemoryStorage } from "../storage/memory.ts";
import {
  createTestApplication,
  inVisit,
  ORIGIN,
  passwordProvider,
  type TestApplication,
  visit,
} from "../tests/application.ts";
import { settle } from "../tests/trips.ts";
import type { AuthEvents } from "../types/events.ts";
import assert from "node:assert/strict";
import { adminPage } from "./admin_page.ts";
import { accountPage } from "./page.ts";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";

interface Logged extends TestApplication {
  /** Returns the stored entries about a user, newest first. */
  entries(userId?: string): Record<string, unknown>[];
  /** Signs in with a browser that says its name. */
  enter(name?: string): Promise<string>;
}

function createLogged(options: Partial<AuthOptions> = {}): Logged {
  const application = createTestApplication({
    rateLimit: false,
    providers: [passwordProvider(), accountPage()],
    ...options,
  });
  return {
    ...application,
    entries(userId = "ada") {
      return application.database.sqlite
        .prepare("SELECT * FROM account_activity WHERE user_id = ? ORDER BY at DESC, id DESC").all(
          userId,
        );
    },
    async enter(name = "ada") {
      application.clock.now += 1000;
      const response = await application.send("/signin/credentials", {
        fields: { name, password: "right" },
        headers: { "user-agent": CHROME },
      });
      // What happens in the background has happened.
      await settle();
      return response.headers.getSetCookie()[0]!.split(";")[0]!;
    },
  };
}

function typesOf(entries: Record<string, unknown>[]): unknown[] {
  return entries.map(({ type }) => type);
}

async function settled<T>(work: Promise<T>): Promise<T> {
  const result = await work;
  await settle();
  return result;
}

async function pageOf(application: TestApplication, cookie: string): Promise<string> {
  const text = await (await application.send("/account", { cookie })).text();
  return text.slice(text.indexOf('<section id="activity"'), text.indexOf('<section id="data"'));
}

Deno.test("the account page lists what happened, and stores no more of the client than it shows", async () => {
  const application = createLogged();
  const cookie = await application.enter();
  const [signIn, signUp] = application.entries();
  assert.deepEqual(typesOf([signIn!, signUp!]), ["sign-in", "sign-up"]);
  const { id, at, user_id: userId, ...stored } = signIn!;
  assert.ok(String(id).length > 16 && at === application.clock.now && userId === "ada");
  assert.deepEqual(stored, {
    type: "sign-in",
    provider: "credentials",
    device: "Chrome, Linux",
    network: "192.0.2.0/24",
    tenant_id: null,
  });
  const text = await pageOf(application, cookie);
  assert.match(text, /<b>Signed in with Credentials<\/b>/);
  assert.match(
    text,
    /Jan 1, 2026, 12:00\sAM UTC<\/time> · <bdi>Chrome on Linux<\/bdi> · <bdi>192\.0\.2\.x</,
  );
  assert.equal(text.includes("192.0.2.1"), false);
  application.close();
});

Deno.test("sign-out, ended sessions and new passwords are listed, refused sign-ins are not", async () => {
  const application = createLogged();
  const { send } = application;
  const cookie = await application.enter();
  application.clock.now += 1000;
  await settled(send("/signin/credentials", { fields: { name: "ada", password: "no" } }));
  await settled(send("/account/sessions/end-others", { fields: {}, cookie }));
  application.clock.now += 1000;
  await settled(visit(application, async () => {
    await passwordChanged("ada", { except: "current" });
    return new Response();
  }, { cookie, method: "POST" }));
  application.clock.now += 1000;
  await settled(send("/signout", { fields: {}, cookie }));
  assert.deepEqual(typesOf(application.entries()).slice(0, 1), ["sign-out"]);
  assert.deepEqual(
    [...new Set(typesOf(application.entries()))].sort(),
    ["password-changed", "session-revoked", "sign-in", "sign-out", "sign-up"],
  );
  application.close();
});

Deno.test("whose device ended a session is shown when it was the owner's only", async () => {
  const application = createLogged();
  await application.enter();
  const admin = await application.enter("grace");
  application.clock.now += 1000;
  await settled(visit(application, async () => {
    await endSessions("ada");
    return new Response();
  }, { cookie: admin, method: "POST", info: { clientAddress: "198.51.100.7" } }));
  const [revoked] = application.entries();
  assert.deepEqual([revoked!.type, revoked!.device, revoked!.network], [
    "session-revoked",
    null,
    null,
  ]);
  const text = await pageOf(application, await application.enter());
  assert.match(
    text,
    /Signed out elsewhere<\/b><\/span><span class="small quiet"><time[^>]*>[^<]*<\/time><\/span>/,
  );
  application.close();
});

Deno.test("whose device made an account is shown when it was the owner's only", async () => {
  const application = createLogged();
  const admin = await application.enter("grace");
  const headers = { "user-agent": CHROME };
  for (const [id, cookie] of [["ada", admin], ["alan", ""]] as const) {
    const request = new Request(`${ORIGIN}/people`, {
      method: "POST",
      headers: { ...headers, cookie },
    });
    await settled(application.auth.run(request, {}, { clientAddress: "198.51.100.7" }, async () => {
      await createUser({ id });
      return new Response();
    }));
  }
  const places = ["ada", "alan"].map((id) =>
    application.entries(id).map(({ type, device, network }) => [type, device, network])
  );
  assert.deepEqual(places, [
    [["sign-up", null, null]],
    [["sign-up", "Chrome, Linux", "198.51.100.0/24"]],
  ]);
  application.close();
});

Deno.test("what happens is stored also where the session is read too late to be renewed", async () => {
  const application = createLogged();
  const cookie = await application.enter("grace");
  application.clock.now += 2 * 86_400_000;
  const work = visit(application, async () => {
    await createUser({ id: "ada" });
    return new Response();
  }, { cookie, method: "POST", info: { session: false, clientAddress: "198.51.100.7" } });
  await settled(work);
  const [signUp] = application.entries();
  assert.deepEqual([signUp?.type, signUp?.network], ["sign-up", null]);
  application.close();
});

// Tracks: R079
Deno.test("a theme translates what happened, and names stay as they are", async () => {
  const texts = {
    "Recent activity": "Letzte Ereignisse",
    "Signed in with {provider}": "Mit {provider} angemeldet",
    "Account created with {provider}": "Mit {provider} <b>angelegt",
    "Unknown browser": "Unbekannter Browser",
    "Your account": "Ihr Konto",
  };
  const application = createLogged({
    pages: { theme: pageTheme({ radius: 4, texts: { de: texts } }) },
  });
  const cookie = await application.enter();
  const headers = { "accept-language": "de" };
  const response = await application.send("/account", { cookie, headers });
  const text = await response.text();
  for (
    const words of [">Letzte Ereignisse</h2>", "<b>Mit Credentials angemeldet</b>"]
  ) {
    assert.ok(text.includes(words), words);
  }
  assert.ok(text.includes("Mit Credentials &lt;b&gt;angelegt"));
  // The policy lets in each of the three stylesheets by its hash.
  const policy = response.headers.get("content-security-policy")!;
  assert.equal(policy.match(/style-src (?:'sha256-[^']+' ?){3};/)?.length, 1);
  assert.equal(text.match(/<style>/g)?.length, 3);
  application.close();
});

Deno.test("the names of built-in ways to sign in are translated, also within a sentence", async () => {
  const languages = [french, german, spanish];
  const named = credentials({
    name: "Password",
    credentials: { name: { label: "Name", type: "text" } },
    authorize: ({ name }) => Promise.resolve({ id: name!, name: name!, role: "admin" }),
  });
  const application = createLogged({
    rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
    pages: { theme: pageTheme({ languages }) },
    providers: [named, accountPage(), adminPage({ permission: "users:manage" })],
  });
  const cookie = await application.enter();
  for (const { tag, texts } of languages) {
    // As passwords(), email() and passkey() name themselves.
    for (const name of ["Password", "Email", "Passkey"] as const) assert.ok(texts[name], tag);
    const sentence = texts["Signed in with {provider}"].replace("{provider}", texts.Password);
    for (const path of ["/account", "/admin/user?id=ada"]) {
      const response = await application.send(path, {
        cookie,
        headers: { "accept-language": tag },
      });
      assert.ok((await response.text()).includes(`<b>${sentence}</b>`), `${path}: ${sentence}`);
    }
  }
  application.close();
});

// Tracks: R046
Deno.test("nobody sees what happened to another account, and it goes with its user", async () => {
  const application = createLogged();
  const ada = await application.enter();
  const grace = await application.enter("grace");
  application.database.sqlite.exec("UPDATE account_activity SET device = 'of ' || user_id");
  const text = await pageOf(application, grace);
  assert.ok(text.includes("of grace") && !text.includes("of ada"));
  const forged = await application.send("/account?userId=ada&user_id=ada", { cookie: grace });
  assert.equal((await forged.text()).includes("of ada"), false);
  await inVisit(application, async () => Response.json(await deleteUser("ada")));
  assert.deepEqual(application.entries(), []);
  assert.equal(application.entries("grace").length, 2);
  assert.equal((await application.send("/account", { cookie: ada })).status, 303);
  application.close();
});

Deno.test("a user has 50 entries of 90 days at most, and those of others do not count", async () => {
  const application = createLogged();
  await application.enter("grace");
  for (let time = 0; time < 55; time++) await application.enter();
  assert.equal(application.entries().length, 50);
  assert.equal(application.entries("grace").length, 2);
  application.clock.now += 91 * 86_400_000;
  const cookie = await application.enter();
  assert.equal(application.entries("grace").length, 0);
  const text = await pageOf(application, cookie);
  assert.equal(text.match(/Signed in/g)?.length, 1);
  application.close();
});

Deno.test("the export has what happened, without ids", async () => {
  const application = createLogged();
  const cookie = await application.enter();
  const response = await application.send("/account/export", { fields: {}, cookie });
  const { activity } = await response.json();
  assert.deepEqual(activity.map(({ type }: { type: string }) => type), ["sign-in", "sign-up"]);
  assert.deepEqual(activity[0], {
    at: new Date(application.clock.now).toISOString(),
    type: "sign-in",
    provider: "credentials",
    device: "Chrome, Linux",
    network: "192.0.2.0/24",
  });
  application.close();
});

// Tracks: K2, R079
Deno.test("listeners of the application hear as before, and neither side fails with the other", async () => {
  const heard: string[] = [];
  const events: AuthEvents = {
    "sign-in": ({ userId }) => heard.push(userId),
    "*"({ type }) {
      heard.push(type);
      throw new Error("a defect");
    },
  };
  const application = createLogged({ events });
  await application.enter("<script>ada");
  assert.deepEqual(heard, ["sign-up", "<script>ada", "sign-in"]);
  assert.equal(application.entries("<script>ada").length, 2);
  application.database.sqlite.exec("DROP TABLE account_activity");
  heard.length = 0;
  const cookie = await application.enter();
  assert.match(cookie, /session-token=/);
  assert.equal(heard.length, 3);
  const failures = application.log.filter(({ event }) => event === "event-listener-failed");
  assert.ok(failures.length >= 2);
  application.close();
});

Deno.test("accountPage() says at once that a storage keeps no activity", () => {
  const { group: _, ...database } = createMemoryStorage();
  assert.throws(() => createLogged({ database }), /group "\w+"/);
});

Deno.test("an application without the account page stores nothing of what happened", async () => {
  const application = createLogged({ providers: [passwordProvider()] });
  await application.enter();
  assert.deepEqual(application.entries(), []);
  application.close();
});
