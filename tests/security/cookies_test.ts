import {
  accountPage,
  type AuthOptions,
  automaticPasskeys,
  createAuth,
  createOAuth2Provider,
  credentials,
  defaultTheme,
  defineRBAC,
  email,
  type EmailParams,
  impersonation,
  jwtSessions,
  passkey,
  type PasswordMail,
  passwords,
  secondFactor,
} from "@framework/auth";
import { createMemoryRevocationStore } from "@framework/auth/storage";
import assert from "node:assert/strict";
import { inMatrix } from "../support/matrix.ts";
import { readSettings } from "../../auth/app/settings.ts";
import { createEndpointTable } from "../../auth/app/endpoints.ts";
import { createD1Double } from "../../auth/tests/d1_double.ts";
import { stepAt, totpCode } from "../../auth/sign_in/second_factor/totp.ts";
import { declarationsWith } from "../../auth/tests/declarations.ts";
import { cheapHasher, PASSWORD, tokenOf } from "../../auth/tests/password_application.ts";
import { createSoftwareAuthenticator } from "../../testing/sign_in/software_authenticator.ts";

const HTTPS = "https://app.example";
// Plain http on a loopback host, where browsers keep no cookie that is Secure or begins with __Host-.
const HTTP = "http://localhost:8787";
const DAY = 24 * 60 * 60;

const EVERY_ENDPOINT = "every endpoint, signed in and not";

/** One cookie of the library, as every line that sets it has to be. */
interface Row {
  /** Name of the cookie. */
  cookie: string;
  /** Its name, without the prefix. */
  name: string;
  value: string;
  sameSite: "Lax" | "Strict" | "None";
  /** Seconds. */
  maxAge: number;
  /** True when it is for https even on a loopback host, as a browser demands of SameSite=None. */
  alwaysSecure?: true;
  /** True when it has the prefix only if the application requests it by `hostOnly`. */
  byOption?: true;
  /** True when some response deletes it; the others just expire. */
  cleared: boolean;
  /** Names of the declarations that write it. */
  writers: string[];
}

const SECRET = "[\\w-]{43}";

// Every cookie has the prefix __Host- on https, Path=/, no Domain, and HttpOnly.
const TABLE: readonly Row[] = [
  {
    cookie: "session",
    name: "framework\\.session-token",
    value: `(?:${SECRET}|[\\w-]+\\.[\\w-]+\\.[\\w-]+)`,
    sameSite: "Lax",
    maxAge: 30 * DAY,
    byOption: true,
    cleared: true,
    writers: ["sessionCookieLines", "clearedCookieLines"],
  },
  {
    cookie: "session in several",
    name: "framework\\.session-token\\.\\d",
    value: "[\\w.-]+",
    sameSite: "Lax",
    maxAge: 30 * DAY,
    byOption: true,
    cleared: true,
    writers: ["sessionCookieLines", "clearedCookieLines"],
  },
  {
    cookie: "emails asked for by this browser",
    name: "framework\\.email",
    value: `${SECRET}(?:\\.${SECRET})*`,
    sameSite: "Lax",
    maxAge: DAY,
    cleared: false,
    writers: ["keepBrowserSecret"],
  },
  {
    cookie: "email that the page is about on which one waits",
    name: "framework\\.email-to",
    value: "%7B%22address%22%3A%22[\\w.%-]+%22%2C%22callbackUrl%22%3A(?:null|%22[\\w.%-]+%22)%7D",
    sameSite: "Lax",
    maxAge: 600,
    cleared: false,
    writers: ["keepSentTo"],
  },
  {
    cookie: "browser in which somebody has signed in",
    name: "framework\\.known",
    value: SECRET,
    sameSite: "Lax",
    maxAge: 400 * DAY,
    cleared: false,
    writers: ["ACCOUNT_GUARD"],
  },
  {
    cookie: "way by which somebody has signed in last",
    name: "framework\\.last",
    value: "[a-z]+",
    sameSite: "Lax",
    maxAge: 400 * DAY,
    cleared: false,
    writers: ["keepLastUsed"],
  },
  {
    cookie: "administrator who acts for a user",
    name: "framework\\.impersonation",
    value: SECRET,
    sameSite: "Lax",
    maxAge: 900,
    cleared: true,
    writers: ["writeImpersonationCookie"],
  },
  {
    cookie: "sign-in at a provider",
    name: "framework\\.oauth-[\\w-]{12}",
    value: "[\\w.-]+",
    sameSite: "Lax",
    maxAge: 20 * 60,
    cleared: true,
    writers: ["writeTransactionCookie", "takeTransactionCookie"],
  },
  {
    cookie: "sign-in at a provider that answers by POST",
    name: "framework\\.oauth-[\\w-]{12}",
    value: "[\\w.-]+",
    sameSite: "None",
    maxAge: 20 * 60,
    alwaysSecure: true,
    cleared: true,
    writers: ["writeTransactionCookie", "takeTransactionCookie"],
  },
  {
    cookie: "passkey challenges of this browser",
    name: "framework\\.passkey",
    value: SECRET,
    sameSite: "Strict",
    maxAge: 300,
    cleared: false,
    writers: ["rememberBrowser"],
  },
  {
    cookie: "user handle of a passkey that was removed",
    name: "framework\\.passkey-handle",
    value: "[\\w-]+\\.[\\w-]{43}",
    sameSite: "Strict",
    maxAge: DAY,
    cleared: false,
    writers: ["keepHandle"],
  },
  {
    cookie: "browser that has been offered a passkey",
    name: "framework\\.passkey-offer",
    value: SECRET,
    sameSite: "Strict",
    maxAge: DAY,
    cleared: false,
    writers: ["offerPasskey"],
  },
  {
    cookie: "sign-in that waits for its second step",
    name: "framework\\.second-step",
    value: SECRET,
    sameSite: "Lax",
    maxAge: 300,
    cleared: true,
    writers: ["openStep", "beginWaiting"],
  },
  {
    cookie: "browser that is trusted",
    name: "framework\\.trusted",
    value: SECRET,
    sameSite: "Lax",
    maxAge: 30 * DAY,
    cleared: false,
    writers: ["trustBrowser"],
  },
];

interface Setting {
  origin: string;
  strategy: "database" | typeof jwtSessions;
  hostOnly: boolean;
  long: boolean;
}

/** The lines that set a row's cookie and that take it away, exactly. */
function patterns(row: Row, { origin, hostOnly }: Setting): { set: RegExp; cleared: RegExp } {
  const secure = origin === HTTPS || row.alwaysSecure === true;
  const prefix = secure && (hostOnly || row.byOption !== true) ? "__Host-" : "";
  const end = `HttpOnly${secure ? "; Secure" : ""}; SameSite=${row.sameSite}$`;
  return {
    set: new RegExp(`^${prefix}${row.name}=${row.value}; Path=/; Max-Age=${row.maxAge}; ${end}`),
    cleared: new RegExp(
      `^${prefix}${row.name}=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; ${end}`,
    ),
  };
}

/** An application with every way to sign in, a browser of it, and all lines that it was sent. */
function createSite({ origin, strategy, hostOnly, long }: Setting) {
  const outbox: EmailParams[] = [];
  const passwordMails: PasswordMail[] = [];
  const lines: string[] = [];
  const background: Promise<unknown>[] = [];
  const jar = new Map<string, string>();
  const clock = { now: Date.UTC(2026, 0, 1) };
  const database = createD1Double();
  const { hostname } = new URL(origin);
  function provider(id: string, more: object) {
    return createOAuth2Provider({
      id,
      name: id,
      clientId: "app",
      clientSecret: "a secret",
      authorization: "https://id.example/authorize",
      token: "https://id.example/token",
      userinfo: "https://id.example/me",
      scope: "read",
      profile: (said) => ({ id: String((said as { id: string }).id), name: "Ada" }),
      ...more,
    });
  }
  const options: AuthOptions = {
    baseUrl: origin,
    database,
    secret: "a secret of the test, of 32 bytes or more",
    session: strategy === "database"
      ? { strategy }
      : { strategy, revocation: createMemoryRevocationStore() },
    ...(hostOnly && { cookies: { sessionToken: { hostOnly } } }),
    ...(long && { callbacks: { jwt: ({ token }) => ({ ...token, long: "x".repeat(6000) }) } }),
    pages: { theme: defaultTheme },
    rbac: defineRBAC({ roles: [{ id: "admin", name: "Administrator", permissions: ["*"] }] }),
    rateLimit: false,
    now: () => clock.now,
    fetch: (input) =>
      Promise.resolve(
        String(input instanceof Request ? input.url : input).endsWith("/token")
          ? Response.json({ access_token: "token", token_type: "bearer" })
          : Response.json({ id: "1" }),
      ),
    providers: [
      credentials({
        credentials: { name: { label: "Name", type: "text", required: true } },
        authorize: ({ name }) => Promise.resolve({ id: name!, name: name! }),
      }),
      email({
        from: "App <hello@app.example>",
        code: true,
        sendVerificationRequest: (params) => Promise.resolve(void outbox.push(params)),
      }),
      provider("company", {}),
      provider("maker", { responseMode: "form_post" }),
      passkey({
        rpName: "App",
        rpId: hostname,
        origin,
        automatic: automaticPasskeys({ sendMail() {} }),
      }),
      passwords({
        hasher: cheapHasher(),
        sendMail: (mail) => void passwordMails.push(mail),
      }),
      accountPage({ sendEmailChange: () => Promise.resolve() }),
      secondFactor({ sendMail() {} }),
      impersonation({ permission: "users:impersonate" }),
    ],
  };
  const auth = createAuth(options);

  async function send(path: string, init: RequestInit & { accept?: string } = {}) {
    const headers = new Headers(init.headers);
    headers.set("accept", init.accept ?? "application/json");
    if (init.method !== undefined && !headers.has("origin")) headers.set("origin", origin);
    headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "));
    const request = new Request(`${origin}/auth${path}`, { ...init, headers });
    const response = await auth.handle(request, {}, {
      clientAddress: "192.0.2.1",
      waitUntil: (work) => background.push(work),
    });
    for (const line of response!.headers.getSetCookie()) {
      lines.push(line);
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (line.includes("; Max-Age=0;")) jar.delete(name!);
      else jar.set(name!, value!);
    }
    return response!;
  }
  function post(path: string, fields: Record<string, string>): Promise<Response> {
    return send(path, { method: "POST", body: new URLSearchParams(fields) });
  }
  async function settle(): Promise<void> {
    while (background.length > 0) await Promise.all(background.splice(0));
  }
  async function close(): Promise<void> {
    await settle();
    database.close();
  }
  function makeAdministrator(id: string): void {
    database.sqlite.prepare("UPDATE users SET role = 'admin' WHERE id = ?").run(id);
  }
  return {
    options,
    makeAdministrator,
    send,
    post,
    outbox,
    passwordMails,
    lines,
    jar,
    clock,
    settle,
    close,
  };
}

type Site = ReturnType<typeof createSite>;

/** Every way to sign in, with what follows, and what fails. */
const FLOWS: Record<string, (site: Site, setting: Setting) => Promise<void>> = {
  async password({ send, post, clock, jar }) {
    await post("/signin/credentials", { name: "ada" });
    assert.equal((await (await send("/session")).json()).user.id, "ada");
    clock.now += 2 * DAY * 1000;
    await send("/session");
    await post("/session", {});
    await post("/signout", {});
    assert.equal(await (await send("/session")).json(), null);
    await post("/signin/credentials", { name: "ada" });
    clock.now += 31 * DAY * 1000;
    await send("/session");
    jar.set("framework.session-token", "planted");
    await send("/session");
  },
  async impersonation({ send, post, makeAdministrator }) {
    for (const name of ["bob", "ada"]) await post("/signin/credentials", { name });
    makeAdministrator("ada");
    await post("/impersonation", { id: "bob", reason: "Ticket" });
    assert.equal((await (await send("/session")).json()).user.id, "bob");
    await post("/impersonation/end", {});
    assert.equal((await (await send("/session")).json()).user.id, "ada");
  },
  async "email"({ send, post, outbox }) {
    for (let round = 0; round < 3; round++) {
      await post("/signin/email", { email: "ada@example.com" });
    }
    const mail = outbox.at(-1)!;
    const { pathname, search } = new URL(mail.url);
    await send(pathname.slice("/auth".length) + search, { accept: "text/html" });
    await post("/callback/email", { token: mail.token, email: mail.identifier });
    assert.equal((await (await send("/session")).json()).user.email, "ada@example.com");
    await post("/signout", {});
    await post("/signin/email", { email: "ada@example.com" });
    await post("/callback/email/code", { code: "000000" });
    await post("/callback/email/code", { code: outbox.at(-1)!.code! });
    assert.equal((await (await send("/session")).json()).user.email, "ada@example.com");
  },
  async passwords({ send, post, passwordMails, settle }) {
    const typed = { email: "grace@example.com", name: "Grace", password: PASSWORD };
    await post("/signup", { ...typed, callbackUrl: "/inbox" });
    await settle();
    await post("/signup/resend", {});
    await settle();
    const token = tokenOf(passwordMails.at(-1)!);
    await send(`/signup/confirm?token=${token}`, { accept: "text/html" });
    const made = await post("/signup/confirm", { token });
    assert.ok(made.status < 400, await made.clone().text());
    assert.equal((await (await send("/session")).json()).user.email, typed.email);
    await post("/signout", {});
    await post("/signin", { email: typed.email });
    await post("/signin/passwords", { email: typed.email, password: "not this one at all" });
    await post("/signin/passwords", typed);
    assert.equal((await (await send("/session")).json()).user.email, typed.email);
    const NEW = "another sentence of tests";
    const changed = await post("/account/password", { password: NEW });
    assert.ok(changed.status < 400, await changed.clone().text());
    await post("/signout", {});
    await post("/forgot", { email: typed.email });
    await settle();
    const reset = passwordMails.findLast(({ kind }) => kind === "reset")!;
    await send(`/reset?token=${tokenOf(reset)}`, { accept: "text/html" });
    const chosen = await post("/reset", { token: tokenOf(reset), password: PASSWORD });
    assert.ok(chosen.status < 400, await chosen.clone().text());
    await post("/signin/passwords", typed);
    assert.equal((await (await send("/session")).json()).user.email, typed.email);
  },
  async "second factor"({ send, post, outbox, clock }) {
    const byMail = async () => {
      await post("/signin/email", { email: "ada@example.com" });
      const { token, identifier } = outbox.at(-1)!;
      return await (await post("/callback/email", { token, email: identifier })).json();
    };
    await byMail();
    const { secret, setUp } = await (await send("/second-factor/setup")).json();
    const code = () => totpCode(secret, stepAt(clock.now));
    const enrolled = await post("/second-factor/setup", { setUp, code: await code() });
    assert.ok(enrolled.ok, await enrolled.clone().text());
    await post("/signout", {});
    assert.equal((await byMail()).user, null);
    await post("/second-factor", { code: "000000" });
    clock.now += 30_000;
    await post("/second-factor", { code: await code(), trust: "yes" });
    assert.equal((await (await send("/session")).json()).user.email, "ada@example.com");
    await post("/signout", {});
    assert.equal((await byMail()).user.email, "ada@example.com");
  },
  async provider(site) {
    await atProvider(site, "company", (answer) => site.send(`/callback/company?${answer}`));
    assert.notEqual(await (await site.send("/session")).json(), null);
    // More at once than are kept.
    for (let tab = 0; tab < 12; tab++) await site.post("/signin/company", {});
    await site.post("/signin/company", { intent: "link" });
    await site.send("/callback/company?error=access_denied&state=unknown");
  },
  async "provider that answers by POST"(site) {
    await atProvider(site, "maker", (answer) =>
      site.send("/callback/maker", {
        method: "POST",
        body: answer,
        headers: { origin: "https://id.example" },
      }));
    for (let tab = 0; tab < 12; tab++) await site.post("/signin/maker", {});
  },
  async passkey({ send, post, jar }, { origin }) {
    const authenticator = createSoftwareAuthenticator();
    await post("/signin/credentials", { name: "ada" });
    const create = await (await post("/passkey/options/register", {})).json();
    const made = await post("/passkey/register", {
      credential: JSON.stringify(await authenticator.create(create, origin)),
    });
    assert.ok(made.ok, await made.clone().text());
    const other = await (await post("/passkey/options/register", {})).json();
    const second = await post("/passkey/register", {
      credential: JSON.stringify(await createSoftwareAuthenticator().create(other, origin)),
    });
    const removed = await send(`/passkeys/${(await second.json()).id}`, { method: "DELETE" });
    assert.equal(removed.status, 204);
    await post("/signout", {});
    const get = await (await post("/passkey/options/authenticate", {})).json();
    const proved = await post("/signin/passkey", {
      credential: JSON.stringify(await authenticator.get(get, origin)),
    });
    assert.ok(proved.ok, await proved.clone().text());
    assert.equal((await (await send("/session")).json()).user.id, "ada");
    jar.clear();
    await post("/passkey/options/authenticate", {});
  },
  async [EVERY_ENDPOINT](site) {
    const { options, send, post } = site;
    const table = createEndpointTable(readSettings(options, undefined));
    assert.ok(table.size > 20);
    for (const name of ["", "ada"]) {
      for (const [path, methods] of table) {
        for (const method of methods.keys()) {
          if (name !== "") await post("/signin/credentials", { name });
          const body = method === "GET" ? undefined : new URLSearchParams({
            name: "ada",
            email: "ada@example.com",
            code: "123456",
            token: "token",
            credential: "{}",
            callbackUrl: "/",
          });
          await send(path.replace("*", "x"), { method, ...(body !== undefined && { body }) });
          await send(path.replace("*", "x"), { method, accept: "text/html" });
        }
      }
    }
  },
};

async function atProvider(
  { post }: Site,
  id: string,
  answer: (parameters: URLSearchParams) => Promise<Response>,
): Promise<void> {
  const { redirectTo } = await (await post(`/signin/${id}`, {})).json();
  const state = new URL(redirectTo).searchParams.get("state")!;
  const response = await answer(new URLSearchParams({ code: "code", state }));
  assert.ok(response.status < 400, `${id}: ${response.status} ${await response.clone().text()}`);
}

const SETTINGS: Setting[] = [HTTPS, HTTP].flatMap((origin) =>
  [true, false].flatMap((hostOnly): Setting[] => [
    { origin, hostOnly, strategy: "database", long: false },
    { origin, hostOnly, strategy: jwtSessions, long: false },
    { origin, hostOnly, strategy: jwtSessions, long: true },
  ])
);

/**
 * True for the settings in which every endpoint is asked on each push, two that have nothing in common: what a setting
 * makes of a cookie the other flows show in all of them.
 */
function asksEvery({ origin, hostOnly, strategy, long }: Setting): boolean {
  return !long && hostOnly === (origin === HTTPS) && hostOnly === (strategy === "database");
}

// Tracks: R060, R062, A-06, PF-v22, PF-v23
Deno.test("every cookie that any endpoint sets or takes away is in the table, with these attributes and no others", async () => {
  const unseen = new Set(TABLE.flatMap((row) => [HTTPS, HTTP].map((at) => `${row.cookie} ${at}`)));
  const uncleared = new Set(TABLE.filter(({ cleared }) => cleared).map(({ cookie }) => cookie));
  for (const setting of SETTINGS) {
    const rows = TABLE.map((row) => ({ row, ...patterns(row, setting) }));
    for (const [name, flow] of Object.entries(FLOWS)) {
      if (name === EVERY_ENDPOINT && !inMatrix && !asksEvery(setting)) continue;
      const site = createSite(setting);
      try {
        await flow(site, setting);
      } finally {
        await site.close();
      }
      assert.ok(site.lines.length > 0, name);
      for (const line of site.lines) {
        const set = rows.find((one) => one.set.test(line));
        const cleared = rows.find((one) => one.cleared.test(line)) ??
          // With hostOnly a cookie from before it is taken away too, under its old name.
          (setting.hostOnly
            ? TABLE.map((row) => ({ row, ...patterns(row, { ...setting, hostOnly: false }) }))
              .find((one) => one.row.byOption && one.cleared.test(line))
            : undefined);
        assert.ok(set ?? cleared, `${name} at ${setting.origin}: ${line}`);
        if (set !== undefined) unseen.delete(`${set.row.cookie} ${setting.origin}`);
        if (cleared !== undefined) uncleared.delete(cleared.row.cookie);
      }
    }
  }
  assert.deepEqual([...unseen], [], "set by no flow");
  assert.deepEqual([...uncleared], [], "taken away by no flow");
});

// Tracks: R060
Deno.test("whatever writes a cookie is in the table", async () => {
  const found = await declarationsWith(
    /\b(?:serializeCookie|writeHostCookie)\(|["']set-cookie["'],\s*[`"']/i,
  );
  const listed = new Set([
    ...TABLE.flatMap(({ writers }) => writers),
    "serializeCookie",
    "writeHostCookie",
    // The cookie of `defineTenancy({ strategy: "cookie" })`, under the name that the application chooses: it proves nothing.
    "enterTeam",
  ]);
  assert.deepEqual(found, [...listed].sort());
});
