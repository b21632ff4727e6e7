import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { type AuthOptions, jwtSessions } from "@framework/auth";
import { HOSTILE_ADDRESSES, OWN_ADDRESSES } from "../../auth/tests/hostile_addresses.ts";
import { findChromium } from "../../scripts/chromium.ts";
import { repositoryRoot } from "../../scripts/workspace.ts";
import { launchBrowser } from "../support/browser.ts";
import { type BrowserSite, serveSite } from "./browser_site.ts";

const OPTIONS = {
  ignore: await findChromium() === null,
  sanitizeOps: false,
  sanitizeResources: false,
};

async function withBrowser(
  siteOptions: (origin: string) => Partial<AuthOptions>,
  work: (browser: Browser, site: BrowserSite) => Promise<void>,
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

/** Signs in by the built-in page. */
async function signIn(page: Page, origin: string, name = "ada"): Promise<void> {
  await page.goto(`${origin}/auth/signin`);
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill("right");
  await page.getByRole("button").click();
  await page.waitForURL(`${origin}/`);
}

async function greeting(page: Page, origin: string): Promise<string | null> {
  await page.goto(`${origin}/`);
  return await page.getByRole("heading").textContent();
}

const COOKIES: Record<string, AuthOptions["cookies"]> = {
  "by default": {},
  "with a __Host- name": { sessionToken: { name: "__Host-session" } },
  "with a __Secure- name": { sessionToken: { name: "__Secure-session" } },
  "with SameSite=None": { sessionToken: { options: { sameSite: "none" } } },
  "with SameSite=Strict": { sessionToken: { options: { sameSite: "strict" } } },
  "that are Secure on a loopback host": { sessionToken: { options: { secure: true } } },
};

// Tracks: R060, R064, R069
Deno.test("Chromium keeps the session cookie and gives it back empty", OPTIONS, async (test) => {
  for (const [name, cookies] of Object.entries(COOKIES)) {
    await test.step(name, async () => {
      await withBrowser(() => ({ cookies: cookies! }), async (browser, site) => {
        for (const host of ["localhost", "app.localhost", "127.0.0.1"]) {
          const context = await browser.newContext();
          const page = await context.newPage();
          const origin = site.origin(host);
          await signIn(page, origin);
          const kept = await context.cookies();
          assert.equal(kept.length, 1, `${name} on ${host}`);
          assert.deepEqual([kept[0]!.httpOnly, kept[0]!.path, kept[0]!.domain], [true, "/", host]);
          assert.equal(await greeting(page, origin), "Hello ada");
          await page.goto(`${origin}/auth/signout`);
          await page.getByRole("button").click();
          await page.waitForURL(`${origin}/`);
          assert.deepEqual(await context.cookies(), [], `${name} on ${host}`);
          await context.close();
        }
      });
    });
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
      assert.equal((await context.cookies()).length, 3);
      assert.equal(await greeting(page, origin), "Hello ada");
      await page.goto(`${origin}/auth/signout`);
      await page.getByRole("button").click();
      await page.waitForURL(`${origin}/`);
      assert.deepEqual(await context.cookies(), []);
    });
  },
);

// Tracks: R070, R071, R072
Deno.test("Chromium's forms of another site sign nobody in and nobody out", OPTIONS, async () => {
  await withBrowser(() => ({}), async (browser, site) => {
    const target = site.origin("app.localhost");
    for (const host of ["127.0.0.1", "evil.localhost"]) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const attack = `${site.origin(host)}/attack?target=${encodeURIComponent(target)}`;
      for (const before of ["nobody", "ada"]) {
        if (before === "ada") await signIn(page, target);
        for (const name of ["sign in", "sign in as text", "sign in as parts", "sign out"]) {
          await page.goto(attack);
          const answered = page.waitForResponse((response) =>
            response.request().method() === "POST"
          );
          await page.getByRole("button", { name, exact: true }).click();
          assert.equal((await answered).status(), 403, `${name} from ${host}`);
          assert.equal(await greeting(page, target), `Hello ${before}`, `${name} from ${host}`);
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
        assert.equal(await greeting(page, target), `Hello ${before}`, `scripts from ${host}`);
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

// Tracks: R077, CVE-2024-56734, CVE-2025-27143, CVE-2022-24858
Deno.test("Chromium never leaves the application by a callbackUrl", OPTIONS, async () => {
  await withBrowser(() => ({}), async (browser, site) => {
    const context = await browser.newContext();
    const origin = site.origin("app.localhost");
    const own = new URL(origin).hostname;
    const left: string[] = [];
    await context.route((url) => url.hostname !== own, async (route) => {
      left.push(route.request().url());
      await route.abort();
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
    for (const callbackUrl of corpus) {
      const fields = { name: "ada", password: "right", callbackUrl };
      for (const path of ["/auth/signin/credentials", "/auth/signout"]) {
        await page.goto(`${origin}/`);
        await submitTo(page, path, fields);
        assert.equal(new URL(page.url()).origin, origin, JSON.stringify(callbackUrl));
      }
      const query = `callbackUrl=${encodeURIComponent(callbackUrl)}`;
      await page.goto(`${origin}/auth/signin?${query}`);
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password").fill("right");
      const done = page.waitForNavigation({ waitUntil: "commit" });
      await page.getByRole("button").click();
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
  "Chromium shows the built-in pages without scripts and without a complaint",
  OPTIONS,
  async () => {
    const folder = join(repositoryRoot, "tests", "output", "screenshots");
    await Deno.mkdir(folder, { recursive: true });
    const attack = encodeURIComponent(`"><script>alert(1)</script><img src=x onerror=alert(2)>`);
    const pages: Record<string, string> = {
      "sign-in": "/auth/signin",
      "sign-in-refused": "/auth/signin?error=INVALID_CREDENTIALS",
      "sign-in-attacked": `/auth/signin?error=${attack}&callbackUrl=${attack}&name=${attack}`,
      "sign-out": "/auth/signout",
      "error": "/auth/error?error=SESSION_EXPIRED",
      "error-attacked": `/auth/error?error=${attack}&error_description=${attack}`,
      "not-found": `/auth/nothing-${attack}`,
    };
    await withBrowser(() => ({}), async (browser, site) => {
      const origin = site.origin("app.localhost");
      for (const [visitor, options] of Object.entries(VISITORS)) {
        const context = await browser.newContext(options);
        const { page, complaints } = await watch(context);
        for (const [name, path] of Object.entries(pages)) {
          const response = await page.goto(origin + path);
          assert.match(response!.headers()["content-security-policy"]!, /default-src 'none'/);
          assert.equal(await page.locator("script, img, iframe").count(), 0, name);
          const title = await page.title();
          assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), title);
          await page.screenshot({
            path: join(folder, `page-${visitor}-${name}.png`),
            fullPage: true,
          });
          const main = await page.locator("main").boundingBox();
          const width = page.viewportSize()!.width;
          assert.ok(main !== null && main.x >= 0 && main.x + main.width <= width, `${name} fits`);
        }
        // The stylesheet of the page is the one that its policy allows.
        const radius = await page.evaluate(
          "getComputedStyle(document.querySelector('main')).borderRadius",
        );
        assert.equal(radius, "12px");
        await signIn(page, origin);
        await page.goto(`${origin}/auth/signin`);
        await page.getByLabel("Name").fill(`<b>ada</b>`);
        await page.getByLabel("Password").fill("wrong");
        await page.getByRole("button").click();
        assert.match(await page.getByRole("alert").textContent() ?? "", /not right/);
        assert.equal(await page.getByLabel("Name").inputValue(), "<b>ada</b>");
        await page.screenshot({ path: join(folder, `page-${visitor}-wrong-password.png`) });
        assert.deepEqual(complaints, []);
        await context.close();
      }
    });
  },
);
