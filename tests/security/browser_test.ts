import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { type AuthOptions, jwtSessions } from "@framework/auth";
import { HOSTILE_ADDRESSES, OWN_ADDRESSES } from "../../auth/tests/hostile_addresses.ts";
import { PAGE_SCRIPT } from "../../auth/pages/style_text.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { inMatrix } from "../support/matrix.ts";
import { launchBrowser, type TestBrowser } from "../support/browser.ts";
import { takePicture } from "../support/picture.ts";
import { type BrowserSite, serveSite } from "./browser_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

async function withBrowser(
  siteOptions: (origin: string) => Partial<AuthOptions>,
  work: (browser: TestBrowser, site: BrowserSite) => Promise<void>,
): Promise<void> {
  const site = serveSite(siteOptions);
  const browser = await launchBrowser();
  try {
    await work(browser, site);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** The session cookies of a browser. By the other one it is known, whoever is signed in. */
async function sessionCookies(context: BrowserContext) {
  return (await context.cookies()).filter(({ name }) => !/framework\.(?:known|last)$/.test(name));
}

function passwordField(page: Page): Locator {
  return page.getByLabel("Password", { exact: true });
}

/** The button that sends the form: where scripts run, another one shows the password. */
function submitButton(page: Page): Locator {
  return page.getByRole("button", { name: "Sign in", exact: true });
}

/** Signs in by the built-in page. */
async function signIn(page: Page, origin: string, name = "ada"): Promise<void> {
  await page.goto(`${origin}/auth/signin`);
  await page.getByLabel("Name").fill(name);
  await passwordField(page).fill("right");
  await submitButton(page).click();
  await page.waitForURL(`${origin}/`);
}

async function signOut(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/auth/signout`);
  await page.getByRole("button").click();
  await page.waitForURL(`${origin}/`);
}

/** Signs in and out as those do, by requests of a page of the application instead of its forms. */
const byRequest = {
  async signIn(page: Page, origin: string, name = "ada"): Promise<void> {
    await page.goto(`${origin}/`);
    await post(page, "/auth/signin/credentials", { name, password: "right" });
  },
  async signOut(page: Page): Promise<void> {
    await post(page, "/auth/signout", {});
  },
};

async function post(page: Page, path: string, fields: Record<string, string>): Promise<void> {
  const [body, url] = [JSON.stringify(fields), JSON.stringify(path)];
  const arrived = await page.evaluate(
    `fetch(${url}, { method: "POST", body: new URLSearchParams(${body}) }).then(({ url }) => url)`,
  );
  assert.equal(arrived, page.url());
}

async function greeting(page: Page, origin: string): Promise<string | null> {
  await page.goto(`${origin}/`);
  return await page.getByRole("heading").textContent();
}

/** Returns the user that the application greets in a separate page of the browser. */
async function greeted(page: Page): Promise<string | undefined> {
  const text = await page.evaluate("fetch('/').then((response) => response.text())") as string;
  return /<h1>(.*)<\/h1>/.exec(text)?.[1];
}

const COOKIES: Record<string, AuthOptions["cookies"]> = {
  "by default": {},
  "with a __Host- name": { sessionToken: { name: "__Host-session" } },
  "with hostOnly": { sessionToken: { hostOnly: true } },
  "with a __Secure- name": { sessionToken: { name: "__Secure-session" } },
  "with SameSite=None": { sessionToken: { options: { sameSite: "none" } } },
  "with SameSite=Strict": { sessionToken: { options: { sameSite: "strict" } } },
  "that are Secure on a loopback host": { sessionToken: { options: { secure: true } } },
};

const HOSTS = ["localhost", "app.localhost", "127.0.0.1"];

/** Cookies that are kept on each of the hosts on each push; what a name or SameSite does is the same on all. */
const ON_EACH = ["by default", "that are Secure on a loopback host"];

// Tracks: R060, R064, R069
Deno.test("Chromium keeps the session cookie and gives it back empty", OPTIONS, async (test) => {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const [name, cookies] of Object.entries(COOKIES)) {
      await test.step(name, async () => {
        const site = serveSite(() => ({ cookies: cookies! }));
        try {
          for (const host of ON_EACH.includes(name) || inMatrix ? HOSTS : HOSTS.slice(0, 1)) {
            const origin = site.origin(host);
            // Which host it is makes no difference to the forms, and of the cookies only what they say of sites.
            const byForm = inMatrix || /default|Strict/.test(name);
            const way = byForm && host === "localhost" ? { signIn, signOut } : byRequest;
            await way.signIn(page, origin);
            const kept = await sessionCookies(context);
            assert.equal(kept.length, 1, `${name} on ${host}`);
            assert.deepEqual([kept[0]!.httpOnly, kept[0]!.path, kept[0]!.domain], [
              true,
              "/",
              host,
            ]);
            assert.equal(await greeting(page, origin), "Hello ada");
            await way.signOut(page, origin);
            assert.deepEqual(await sessionCookies(context), [], `${name} on ${host}`);
            await context.clearCookies();
          }
        } finally {
          await site.close();
        }
      });
    }
  } finally {
    await browser.close();
  }
});

// Tracks: R057
Deno.test(
  "Chromium keeps every cookie of a large token, and loses all at sign-out",
  OPTIONS,
  async () => {
    const options: Partial<AuthOptions> = {
      session: { strategy: jwtSessions },
      secret: "a secret of the test, of 32 bytes or more",
      callbacks: { jwt: ({ token }) => ({ ...token, notes: "x".repeat(6000) }) },
    };
    await withBrowser(() => options, async (browser, site) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const origin = site.origin("app.localhost");
      await signIn(page, origin);
      assert.equal((await sessionCookies(context)).length, 3);
      assert.equal(await greeting(page, origin), "Hello ada");
      await signOut(page, origin);
      assert.deepEqual(await sessionCookies(context), []);
    });
  },
);

const PLAIN = "framework.session-token";
const HOST_ONLY: Record<string, { cookies: AuthOptions["cookies"]; victim: string[] }> = {
  // Signed in as the attacker; where there was a session, signed out of it and then in as the attacker.
  "a name without a prefix": {
    cookies: { sessionToken: { options: { secure: true } } },
    victim: ["mallory", "nobody", "mallory"],
  },
  // Secure also here, since Chromium keeps such a cookie on a loopback host.
  "hostOnly": {
    cookies: { sessionToken: { hostOnly: true, options: { secure: true } } },
    victim: ["nobody", "ada", "ada"],
  },
};

// Tracks: A-06, R065
Deno.test(
  "a sibling host that plants a session in Chromium signs nobody in and nobody out, with hostOnly",
  OPTIONS,
  async () => {
    for (const [name, { cookies, victim }] of Object.entries(HOST_ONLY)) {
      await withBrowser(() => ({ cookies: cookies! }), async (browser, site) => {
        const target = site.origin("app.site.localhost");
        const context = await browser.newContext();
        const [page, sibling] = [await context.newPage(), await context.newPage()];
        await byRequest.signIn(page, target, "mallory");
        const { value } = (await sessionCookies(context))[0]!;
        await context.clearCookies();

        await sibling.goto(site.origin("blog.site.localhost"));
        const lines = [PLAIN, `__Host-${PLAIN}`, `__host-${PLAIN}`, `__Host-${PLAIN} `].flatMap((
          planted,
        ) =>
          ["", "; Secure", "/page"].map((more) =>
            `${planted}=${value}; Domain=site.localhost; Path=/${more}`
          )
        );
        async function plant(): Promise<void> {
          await sibling.evaluate(
            `for (const line of ${JSON.stringify(lines)}) document.cookie = line`,
          );
        }
        await plant();
        assert.equal(await greeting(page, target), `Hello ${victim[0]}`, `${name}: before`);
        await context.clearCookies({ name: PLAIN });
        await byRequest.signIn(page, target);
        await plant();
        assert.equal(await greeting(page, target), `Hello ${victim[1]}`, `${name}: between`);
        await plant();
        assert.equal(await greeting(page, target), `Hello ${victim[2]}`, `${name}: after`);
      });
    }
  },
);

const EVERY_FORM = ["sign in", "sign in as text", "sign in as parts", "sign out"];

/** Forms of another site on each push, by who is signed in: how a form is encoded says nothing of that. */
const FORMS = {
  nobody: ["sign in", "sign in as text", "sign in as parts"],
  ada: ["sign in", "sign out"],
};

// Tracks: R070, R071, R072
Deno.test("Chromium's forms of another site sign nobody in and nobody out", OPTIONS, async () => {
  await withBrowser(() => ({}), async (browser, site) => {
    const target = site.origin("app.localhost");
    for (const host of inMatrix ? ["127.0.0.1", "evil.localhost"] : ["evil.localhost"]) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const watcher = await context.newPage();
      await watcher.goto(`${target}/`);
      const attack = `${site.origin(host)}/attack?target=${encodeURIComponent(target)}`;
      for (const before of ["nobody", "ada"] as const) {
        if (before === "ada") await byRequest.signIn(page, target);
        for (const name of inMatrix ? EVERY_FORM : FORMS[before]) {
          await page.goto(attack);
          const answered = page.waitForResponse((response) =>
            response.request().method() === "POST"
          );
          await page.getByRole("button", { name, exact: true }).click();
          assert.equal((await answered).status(), 403, `${name} from ${host}`);
          assert.equal(await greeted(watcher), `Hello ${before}`, `${name} from ${host}`);
        }
        await page.goto(attack);
        const statuses = await page.evaluate(`(async () => {
          const path = ${JSON.stringify(target)} + "/auth/signin/credentials";
          const body = JSON.stringify({ name: "eve", password: "right" });
          const sent = [];
          for (const type of ["text/plain", "application/json"]) {
            sent.push(await fetch(path, {
              method: "POST", mode: type === "text/plain" ? "no-cors" : "cors",
              credentials: "include", headers: { "content-type": type }, body,
            }).then((response) => response.type, () => "refused"));
          }
          navigator.sendBeacon(path, new Blob([body], { type: "text/plain" }));
          return sent;
        })()`);
        assert.deepEqual(statuses, ["opaque", "refused"]);
        assert.equal(await greeted(watcher), `Hello ${before}`, `scripts from ${host}`);
      }
      await context.close();
    }
  });
});

async function submitTo(page: Page, action: string, fields: Record<string, string>): Promise<void> {
  const done = page.waitForNavigation({ waitUntil: "commit" });
  await page.evaluate(
    `(([action, fields]) => {
      const form = document.createElement("form");
      form.method = "post";
      form.action = action;
      for (const [name, value] of Object.entries(fields)) {
        const input = document.createElement("input");
        input.type = "hidden";
        input.name = name;
        input.value = value;
        form.append(input);
      }
      document.body.append(form);
      form.submit();
    })(${JSON.stringify([action, fields])})`,
  );
  await done;
}

/**
 * Sends the forms with each address, as `fetch` of a page sends them, and says where that ended: Chromium follows the
 * redirects of a request and of a form by the same rules. The last way is the form that the sign-in page makes of its
 * query.
 */
const SUBMIT_ALL = `async (addresses) => {
  const ends = [];
  for (const callbackUrl of addresses) {
    const fields = { name: "ada", password: "right", callbackUrl };
    for (const path of ["/auth/signin/credentials", "/auth/signout"]) {
      ends.push([path, callbackUrl, await send(path, new URLSearchParams(fields))]);
    }
    const path = "/auth/signin?" + new URLSearchParams({ callbackUrl });
    const text = await (await fetch(path)).text();
    const form = new DOMParser().parseFromString(text, "text/html").querySelector("form");
    const body = new URLSearchParams(new FormData(form));
    body.set("name", "ada");
    body.set("password", "right");
    ends.push([path, callbackUrl, await send(form.getAttribute("action"), body)]);
  }
  return ends;
  function send(path, body) {
    return fetch(path, { method: "POST", body }).then(
      ({ status, redirected, url }) => redirected && status === 200 ? url : "status " + status,
      (error) => String(error),
    );
  }
}`;

/**
 * Returns Chromium's reading of an address: its protocol, and whether it has the application's own
 * origin.
 */
const CLASSIFY = `(addresses) => addresses.map((address) => {
  if (!URL.canParse(address, location.href)) return "nothing";
  const { protocol, origin } = new URL(address, location.href);
  return protocol + (origin === location.origin ? " own" : " other");
})`;

/** Characters that parsing an address removes. */
const SPELLINGS = {
  "two slashes": /^\/\//,
  "a back-slash": /^\/?\\/,
  "a tab or a line's end before a host": /^\/[\t\n\r]/,
  "a tab in the scheme": /^\w+\t\w*:/,
  "a header's line": /[\r\n]+[\w-]+: /,
  "a user's name": /^\w+:\/\/[^/]+@/,
  "a dot of another script": /[\u3002\uff0e]/,
  "an encoded character": /%/,
};

/** One of the addresses for each kind that Chromium tells apart, and for each spelling. */
async function oneOfEachKind(page: Page, corpus: string[]): Promise<string[]> {
  const kinds = await page.evaluate(`(${CLASSIFY})(${JSON.stringify(corpus)})`) as string[];
  const spelled = Object.entries(SPELLINGS).map(([name, spelling]) =>
    corpus.find((address) => spelling.test(address)) ?? assert.fail(`No address has ${name}.`)
  );
  return corpus.filter((address, index) =>
    kinds.indexOf(kinds[index]!) === index || spelled.includes(address)
  );
}

// Tracks: R077, CVE-2024-56734, CVE-2025-27143, CVE-2022-24858
Deno.test("Chromium never leaves the application by a callbackUrl", OPTIONS, async () => {
  await withBrowser(() => ({}), async (browser, site) => {
    const context = await browser.newContext();
    const origin = site.origin("app.localhost");
    const own = new URL(origin).hostname;
    const left: string[] = [];
    // Unlike a route, this hears also of the requests that redirects lead to.
    context.on("request", (request) => {
      if (new URL(request.url()).hostname !== own) left.push(request.url());
    });
    const page = await context.newPage();
    page.on("dialog", async (dialog) => {
      left.push(dialog.message());
      await dialog.dismiss();
    });
    const corpus = [...HOSTILE_ADDRESSES, ...OWN_ADDRESSES]
      .map((target) =>
        target.replaceAll("https://app.example", origin).replaceAll("app.example", own)
      );
    await page.goto(`${origin}/`);
    const representatives = await oneOfEachKind(page, corpus);
    assert.ok(representatives.length > 20);
    // Where the others lead to, without a browser, is asked of every runtime: tests/runtimes/.
    const sent = inMatrix ? corpus : representatives;
    const ends = await page.evaluate(
      `(${SUBMIT_ALL})(${JSON.stringify(sent)})`,
    ) as [string, string, string][];
    assert.equal(ends.length, 3 * sent.length);
    for (const [path, callbackUrl, end] of ends) {
      const about = `${path} ${JSON.stringify(callbackUrl)}`;
      assert.ok(end === origin || end.startsWith(`${origin}/`), `${about} ends at ${end}`);
    }
    // As forms, which lead to whole pages: of the addresses that both have taken, some on each push.
    const submitted = representatives.filter((_, place) => inMatrix || place % 8 === 0);
    for (const callbackUrl of submitted) {
      const fields = { name: "ada", password: "right", callbackUrl };
      for (const path of ["/auth/signin/credentials", "/auth/signout"]) {
        await submitTo(page, path, fields);
        assert.equal(new URL(page.url()).origin, origin, JSON.stringify(callbackUrl));
      }
    }
    // The page's own form, which is written by hand: fewer still.
    const typed = representatives.filter((_, place) => inMatrix || place % 12 === 0);
    for (const callbackUrl of typed) {
      const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`;
      await page.goto(`${origin}/auth/signin?${query}`);
      await page.getByLabel("Name").fill("ada");
      await passwordField(page).fill("right");
      const done = page.waitForNavigation({ waitUntil: "commit" });
      await submitButton(page).click();
      await done;
      assert.equal(new URL(page.url()).origin, origin, JSON.stringify(callbackUrl));
    }
    assert.deepEqual(left, []);
  });
});

const VISITORS: Record<string, BrowserContextOptions> = {
  "desktop-light": { colorScheme: "light", viewport: { width: 1280, height: 800 } },
  "phone-dark": {
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    javaScriptEnabled: false,
  },
};

async function watch(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on("console", (message) => {
    // Chromium reports the status of every page that is asked for although it is refused.
    const isStatus = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !isStatus) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", async (dialog) => {
    complaints.push(`A dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  return { page, complaints };
}

// Tracks: R079, R080, CVE-2021-32702, CVE-2022-31127, GHSA-9x4v-xfq5-m8x5, GHSA-27gc-wj6x-9w55
Deno.test(
  "Chromium shows the built-in pages without foreign scripts and without a complaint",
  OPTIONS,
  async () => {
    const attack = encodeURIComponent(`"><script>alert(1)</script><img src=x onerror=alert(2)>`);
    const pages: Record<string, { path: string; isError?: true; hasPassword?: true }> = {
      "sign-in": { path: "/auth/signin", hasPassword: true },
      "sign-in-refused": {
        path: "/auth/signin?error=INVALID_CREDENTIALS",
        isError: true,
        hasPassword: true,
      },
      "sign-in-attacked": {
        path: `/auth/signin?error=${attack}&callbackUrl=${attack}&name=${attack}`,
        hasPassword: true,
      },
      "sign-out": { path: "/auth/signout" },
      "error": { path: "/auth/error?error=SESSION_EXPIRED", isError: true },
      "error-attacked": {
        path: `/auth/error?error=${attack}&error_description=${attack}`,
        isError: true,
      },
      "not-found": { path: `/auth/nothing-${attack}`, isError: true },
    };
    await withBrowser(() => ({}), async (browser, site) => {
      const origin = site.origin("app.localhost");
      for (const [visitor, options] of Object.entries(VISITORS)) {
        const context = await browser.newContext(options);
        const { page, complaints } = await watch(context);
        const isSecond = visitor !== "desktop-light" && !inMatrix;
        const shown = Object.entries(pages).filter(([name]) =>
          !isSecond || /^sign-in$|error-attacked/.test(name)
        );
        for (const [name, { path, isError = false, hasPassword = false }] of shown) {
          const response = await page.goto(origin + path);
          const policy = response!.headers()["content-security-policy"]!;
          assert.match(policy, /default-src 'none'/);
          // The only script shows passwords, and the policy names it by its hash.
          assert.equal(policy.includes(`script-src '${PAGE_SCRIPT.hash}';`), hasPassword, name);
          assert.equal(policy.includes("script-src"), hasPassword, name);
          assert.deepEqual(
            await page.locator("script").allTextContents(),
            hasPassword ? [PAGE_SCRIPT.text] : [],
            name,
          );
          assert.equal(await page.locator("script[src], img, iframe").count(), 0, name);
          const heading = await page.getByRole("heading", { level: 1 }).textContent();
          assert.equal(await page.title(), `${isError ? "Error: " : ""}${heading}`, name);
          const runs = options.javaScriptEnabled !== false;
          assert.equal(
            await page.getByRole("button", { name: "Show password" }).count(),
            runs && hasPassword ? 1 : 0,
            name,
          );
          await takePicture(page, `page-${visitor}-${name}`);
          const main = await page.locator("main").boundingBox();
          const width = page.viewportSize()!.width;
          assert.ok(main !== null && main.x >= 0 && main.x + main.width <= width, `${name} fits`);
        }
        // The stylesheet of the page is the one that its policy allows.
        const widest = await page.evaluate(
          "getComputedStyle(document.querySelector('main')).maxWidth",
        );
        assert.equal(widest, "424px");
        if (inMatrix || options.javaScriptEnabled === false) await signIn(page, origin);
        await page.goto(`${origin}/auth/signin`);
        await page.getByLabel("Name").fill(`<b>ada</b>`);
        await passwordField(page).fill("wrong");
        await submitButton(page).click();
        const told = page.getByText("That email or password is wrong.", { exact: true });
        await told.waitFor();
        assert.equal(await told.count(), 1);
        const refused = passwordField(page);
        assert.equal(await refused.getAttribute("aria-invalid"), "true");
        assert.equal(await refused.getAttribute("aria-describedby"), "password-error");
        assert.match((await page.locator("#password-error").textContent())!, /is wrong/);
        assert.equal(await refused.inputValue(), "");
        assert.equal(await page.getByLabel("Name").inputValue(), "<b>ada</b>");
        await takePicture(page, `page-${visitor}-wrong-password`);
        assert.deepEqual(complaints, []);
        await context.close();
      }
    });
  },
);
