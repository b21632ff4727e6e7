import { Miniflare } from "miniflare";
import type { Page } from "playwright-core";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { launchBrowser, PATIENCE } from "../support/browser.ts";
import { framework } from "../support/command_line.ts";
import { inMatrix } from "../support/matrix.ts";
import { createFixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

const fixture = fileURLToPath(new URL("./forms", import.meta.url));

interface Running extends AsyncDisposable {
  origin: string;
  root: string;
}

function createForms() {
  const entries = readdirSync(fixture, { recursive: true, withFileTypes: true });
  return createFixtureApp(Object.fromEntries(
    entries.filter((entry) => entry.isFile()).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(fixture.length + 1), readFileSync(path, "utf8")];
    }),
  ));
}

const engines: Record<string, () => Promise<Running>> = {
  async "under build"() {
    await using stack = new AsyncDisposableStack();
    const { root } = stack.use(await createForms());
    const { code, stderr } = await framework(root, "build");
    assert.equal(code, 0, stderr);
    const miniflare = new Miniflare({
      cf: false,
      modules: [{ type: "ESModule", path: join(root, "dist/worker.js") }],
      modulesRoot: join(root, "dist"),
      compatibilityDate: "2026-07-30",
      compatibilityFlags: ["nodejs_compat"],
      assets: { directory: join(root, "dist/assets"), routerConfig: { "has_user_worker": true } },
    });
    stack.defer(() => miniflare.dispose());
    const { port } = await miniflare.ready;
    const held = stack.move();
    return {
      origin: `http://localhost:${port}`,
      root,
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    };
  },
  async "under dev"() {
    await using stack = new AsyncDisposableStack();
    const { root } = stack.use(await createForms());
    const child = startFramework(root, "dev", "--port", "0");
    stack.defer(async () => void await child.stop());
    const [, origin] = await child.waitFor(/ready at (http:\S+)/);
    const held = stack.move();
    return { origin: origin!, root, [Symbol.asyncDispose]: () => held.disposeAsync() };
  },
};

/** Marks the document, so that a new one is noticed. */
async function mark(page: Page): Promise<() => Promise<boolean>> {
  await page.evaluate("globalThis.isMarked = true");
  return () => page.evaluate("globalThis.isMarked === true");
}

/** Opens a page, and waits until its script listens. */
async function open(page: Page, address: string): Promise<() => Promise<boolean>> {
  await page.goto(address, { waitUntil: "load" });
  return await mark(page);
}

const isHydrated = (page: Page): Promise<unknown> =>
  until(
    () => page.evaluate("customElements.get('framework-island') !== undefined"),
    (found) => found === true,
    PATIENCE,
  );

const focused = (page: Page): Promise<unknown> =>
  page.evaluate("document.activeElement.name ?? document.activeElement.className");

for (const [engine, start] of Object.entries(engines)) {
  if (engine === "under dev" && !inMatrix) continue;
  Deno.test(`forms post in place, ${engine}`, {
    sanitizeOps: false,
    sanitizeResources: false,
  }, async (test) => {
    await using app = await start();
    const { origin } = app;
    const browser = await launchBrowser();
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") {
        complaints.push(message.text());
      }
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    let posts = 0;
    page.on("request", (request) => request.method() === "POST" && posts++);
    const rendered = (): Promise<string | null> => page.textContent("#rendered");
    try {
      await test.step("pages load the script only where they have such a form", async () => {
        const scripts = async (path: string): Promise<string[]> => {
          const html = await (await fetch(`${origin}${path}`)).text();
          return [...html.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, src]) => src!)
            .filter((src) => !src.startsWith("/.framework/"));
        };
        assert.deepEqual(await scripts("/plain"), []);
        assert.deepEqual(await scripts("/odd"), []);
        const [script, ...others] = await scripts("/");
        assert.match(script!, /^\/_framework\/framework-cli-form[\w-]*\.js$/);
        assert.deepEqual(others, []);
        assert.deepEqual(await scripts("/many"), [script]);
        assert.deepEqual(await scripts("/late"), [script]);
        const answer = await fetch(`${origin}${script}`);
        const source = new Uint8Array(await answer.arrayBuffer());
        if (engine === "under build") assert.ok(gzipSync(source).byteLength < 1820);
      });

      await test.step("a refusal replaces the content of the form alone", async () => {
        const isSame = await open(page, origin);
        const before = await rendered();
        const version = await page.inputValue("[name=version]");
        await page.fill("[name=title]", "Al");
        await page.fill("[name=secret]", "hunter2");
        await page.fill("[name=text]", "two\nlines <b>");
        await page.setInputFiles("[name=file]", {
          name: "a.txt",
          mimeType: "text/plain",
          buffer: Buffer.from("content"),
        });
        await page.click("#send");
        await page.waitForSelector("[aria-invalid=true]");
        assert.ok(await isSame());
        assert.equal(await rendered(), before);
        assert.equal(
          await page.textContent("#title-error"),
          "Please write at least three letters.",
        );
        assert.equal(await page.getAttribute(".summary", "role"), "alert");
        assert.equal(await page.inputValue("[name=title]"), "Al");
        assert.equal(await page.inputValue("[name=text]"), "two\nlines <b>");
        assert.equal(await page.inputValue("[name=secret]"), "");
        assert.notEqual(await page.inputValue("[name=version]"), version);
        assert.equal(await focused(page), "title");
        assert.equal(await page.getAttribute("form", "aria-busy"), null);

        // The same form sends again, with the file that was chosen before.
        await page.fill("[name=title]", "Alan");
        await page.click("#second");
        await page.waitForSelector("#flash");
        const [title, file, by, , text] = (await page.textContent("#flash"))!.split("|");
        assert.deepEqual([title, file, by, text], [
          "Alan",
          "content",
          "second",
          '"two\\r\\nlines <b>"',
        ]);
        assert.equal(await isSame(), false);
        assert.equal(page.url(), `${origin}/`);
        await page.reload();
        assert.equal(await page.locator("#flash").count(), 0);
      });

      await test.step("the summary has the focus where no field is marked", async () => {
        await open(page, origin);
        await page.fill("[name=title]", "refused");
        await page.click("#send");
        await page.waitForSelector("text=Not today.");
        assert.equal(await focused(page), "summary");
      });

      await test.step("a double click sends once, and what is typed meanwhile stays", async () => {
        await open(page, origin);
        await page.fill("[name=title]", "Al");
        await page.fill("[name=text]", "wait 0");
        posts = 0;
        const held = Promise.withResolvers<void>();
        await page.route(`${origin}/`, async (route) => {
          await held.promise;
          await route.continue();
        });
        await page.dblclick("#send");
        await page.waitForSelector("form[aria-busy=true]");
        await page.fill("[name=text]", "typed meanwhile");
        held.resolve();
        await page.waitForSelector("[aria-invalid=true]");
        await page.unrouteAll({ behavior: "wait" });
        assert.equal(posts, 1);
        assert.equal(await page.inputValue("[name=text]"), "typed meanwhile");
      });

      await test.step("without a connection everything stays, and a message says so", async () => {
        const isSame = await open(page, origin);
        await page.fill("[name=title]", "Alan");
        await page.fill("[name=secret]", "hunter2");
        await page.route(`${origin}/`, (route) => route.abort("internetdisconnected"));
        await page.click("#send");
        await page.waitForSelector("form > [role=alert]");
        assert.match((await page.textContent("form > [role=alert]"))!, /^No answer came\./);
        await page.click("#send");
        await page.waitForSelector("form:not([aria-busy]) > [role=alert]");
        assert.equal(await page.locator("form > [role=alert]").count(), 1);
        assert.equal(await page.inputValue("[name=secret]"), "hunter2");
        assert.ok(await isSame());
        await page.unrouteAll({ behavior: "wait" });
        await page.click("#send");
        await page.waitForSelector("#flash");
        complaints.splice(0);
      });

      await test.step("the button's own action, encoding and method count", async () => {
        await open(page, origin);
        await page.fill("[name=title]", "a&b=ü");
        await page.fill("[name=text]", "1\n2");
        await page.click("#odd");
        await page.waitForSelector("#odd-answer");
        const { type, fields } = JSON.parse((await page.textContent("#odd-answer"))!);
        assert.match(type, /^application\/x-www-form-urlencoded/);
        assert.match(fields, /^title=a%26b%3D%C3%BC&text=1%0D%0A2&secret=&file=&version=[\w-]+$/);
        assert.equal(page.url(), `${origin}/odd`);
        await page.goBack();
        await page.waitForSelector("#send");
        assert.equal(page.url(), `${origin}/`);
        await page.fill("[name=title]", "Alan");
        await page.click("#get");
        await page.waitForSelector("#plain");
        assert.match(page.url(), /\/plain\?title=Alan&/);
      });

      await test.step("a redirect leads where it leads the browser", async () => {
        await open(page, origin);
        await page.fill("[name=title]", "fragment");
        const before = await rendered();
        await page.click("#send");
        await page.waitForURL(`${origin}/#end`);
        await until(rendered, (text) => text !== before, PATIENCE);
        await page.fill("[name=title]", "elsewhere");
        await page.click("#send");
        await page.waitForSelector("#plain");
        assert.equal(page.url(), `${origin.replace("localhost", "127.0.0.1")}/plain`);
        await open(page, origin);
        await page.fill("[name=title]", "again");
        await page.click("#send");
        await page.waitForSelector("#odd-answer");
        assert.match((await page.textContent("#odd-answer"))!, /again/);
        assert.equal(page.url(), `${origin}/odd`);
      });

      await test.step("markup of another site is shown at its own address only", async () => {
        const asked: string[] = [];
        const evil = Deno.serve(
          { port: 0, hostname: "127.0.0.1", onListen: () => {} },
          (request) => {
            asked.push(request.method);
            const html = `<form data-enhance=""><p id="evil" aria-invalid="true">Evil</p></form>`;
            return new Response(request.method === "OPTIONS" ? null : html, {
              status: request.method === "POST" ? 422 : 200,
              headers: {
                "content-type": "text/html",
                "access-control-allow-origin": "*",
                "access-control-allow-headers": "*",
              },
            });
          },
        );
        try {
          const address = `http://127.0.0.1:${evil.addr.port}/`;
          await open(page, origin);
          await page.fill("[name=title]", "foreign");
          await page.fill("[name=text]", address);
          await page.click("#send");
          await page.waitForSelector("#evil");
          assert.equal(page.url(), address);
          assert.ok(asked.includes("POST"), "the script has read its answer");

          // The browser itself sends what goes to another site.
          await open(page, origin);
          await page.evaluate(`document.querySelector("#send").formAction = "${address}action"`);
          await page.click("#send");
          await page.waitForURL(`${address}action`);
        } finally {
          await evil.shutdown();
        }
      });

      await test.step("an answer that its policy keeps apart gets no rights of the page", async () => {
        const isSame = await open(page, origin);
        await page.fill("[name=title]", "apart");
        const download = page.waitForEvent("download");
        await page.click("#send");
        await download;
        assert.ok(await isSame());
        assert.equal(await page.locator("#apart").count(), 0);
      });

      await test.step("a redirect to a script runs nothing", async () => {
        const isSame = await open(page, origin);
        await page.fill("[name=title]", "script");
        const answered = page.waitForResponse((reply) => reply.request().method() === "POST");
        await page.click("#send");
        await answered;
        assert.equal(await page.title(), "Forms");
        assert.ok(await isSame());
      });

      await test.step("another answer is shown in place of the page, whose form goes on", async () => {
        await open(page, origin);
        await page.fill("[name=title]", "page");
        await page.click("#send");
        await page.waitForSelector("#saved");
        await page.fill("[name=title]", "Al");
        await page.click("#send");
        await page.waitForSelector("[aria-invalid=true]");
        assert.equal(await page.locator("#saved").count(), 1);
        await page.fill("[name=title]", "fail");
        await page.click("#send");
        await page.waitForSelector("text=/Internal|500|went wrong|fell down/i");
        assert.equal(await page.locator("#send").count(), 0);
        assert.equal(
          await page.locator("#framework-error").count(),
          engine === "under dev" ? 1 : 0,
        );
      });

      await test.step("a file is saved, even if it calls itself a page", async () => {
        const isSame = await open(page, origin);
        await page.fill("[name=title]", "file");
        const download = page.waitForEvent("download");
        await page.click("#send");
        assert.equal((await download).suggestedFilename(), "list.csv");
        assert.ok(await isSame());
      });

      await test.step("of several forms the one with the same id is replaced", async () => {
        const isSame = await open(page, `${origin}/many`);
        const before = await rendered();
        await page.fill("#a-name", "half");
        await page.fill("#b-name", "x");
        await page.click("#b button");
        await page.waitForSelector("#b-name[aria-invalid=true]");
        assert.equal(await page.inputValue("#a-name"), "half");
        assert.equal(await page.locator("#a-name[aria-invalid]").count(), 0);
        assert.equal(await rendered(), before);
        // One without an id among others cannot be told apart: the whole page is shown.
        await page.fill("#c-name", "x");
        await page.click(".nameless button");
        await until(rendered, (text) => text !== before, PATIENCE);
        assert.ok(await isSame(), "it was not sent twice");
      });

      await test.step("a form in a late part of the page is found in the answer", async () => {
        await page.goto(`${origin}/late`);
        await page.waitForSelector(".slow");
        const isSame = await mark(page);
        await page.fill("[name=name]", "x");
        await page.click("button");
        await page.waitForSelector("[aria-invalid=true]");
        assert.ok(await isSame());
        await page.fill("[name=name]", "xyz");
        await page.click("button");
        await page.waitForSelector("#saved");
        assert.equal(await page.locator(".slow").count(), 1);
      });

      await test.step("a form of a client component keeps what is typed, and shows what is wrong", async () => {
        await open(page, `${origin}/client`);
        await isHydrated(page);
        const before = await rendered();
        await page.fill("[name=title]", "Al");
        await page.uncheck("[name=done]");
        await page.fill("[name=password]", "hunter2");
        await page.click("button");
        await page.waitForSelector("[aria-invalid=true]");
        assert.equal(await rendered(), before);
        assert.equal(await page.inputValue("[name=title]"), "Al");
        assert.equal(await page.inputValue("[name=password]"), "hunter2");
        assert.equal(await page.isChecked("[name=done]"), false);
        assert.equal(
          await page.textContent("#title-error"),
          "Please write at least three letters.",
        );
        await until(() => focused(page), (name) => name === "title", PATIENCE);
        await page.fill("[name=title]", "taken");
        await page.click("button");
        await page.waitForSelector("text=There is one.");
        assert.equal(await page.textContent("[role=alert]"), "Taken.");
        await page.route(`${origin}/client`, (route) => route.abort());
        await page.click("button");
        await page.waitForSelector("text=/^No answer came/");
        await page.unrouteAll({ behavior: "wait" });
        complaints.splice(0);
        await page.fill("[name=title]", "Alan");
        await page.click("button");
        await page.waitForSelector("#flash");
        assert.equal(await page.textContent("#flash"), "Alan false");
        await isHydrated(page);
        await page.fill("[name=title]", "fail");
        await page.click("button");
        await page.waitForSelector("text=/Internal|500|went wrong|fell down/i");
      });

      await test.step("with 204 the page stays, and shows the change itself", async () => {
        const isSame = await open(page, `${origin}/stay`);
        await isHydrated(page);
        const before = await rendered();
        await page.fill("[name=text]", "Al");
        await page.click("button");
        await page.waitForSelector("[aria-invalid=true]");
        await page.fill("[name=text]", "Hello");
        await page.click("button");
        await page.waitForSelector("li:text-is('Hello')");
        assert.equal(await page.inputValue("[name=text]"), "");
        assert.equal(await page.locator("[aria-invalid=true]").count(), 0);
        assert.ok(await isSame());
        assert.equal(await rendered(), before);
        await page.reload();
        assert.deepEqual(await page.locator("li").allTextContents(), ["Hello"]);
      });

      await test.step("without scripts they are ordinary forms", async () => {
        const page = await browser.newPage({ javaScriptEnabled: false });
        for (const path of ["/", "/client"]) {
          await page.goto(`${origin}${path}`);
          await page.fill("[name=title]", "Al");
          await page.click("[type=submit]");
          await page.waitForSelector("[name=title][aria-invalid=true]");
          assert.equal(await page.inputValue("[name=title]"), "Al");
          await page.fill("[name=title]", "Alan");
          await page.click("[type=submit]");
          await page.waitForSelector("#flash");
        }
      });
      assert.deepEqual(complaints.filter((text) => !/favicon|status of (422|500)/.test(text)), []);
    } finally {
      await browser.close();
    }
  });
}
