import assert from "node:assert/strict";
import { isEventStream, launchBrowser } from "../support/browser.ts";
import type { Child } from "../support/child.ts";
import { createFixtureApp, type FixtureApp } from "./fixture_app.ts";
import { startFramework, until } from "./framework.ts";

// The server's output is read from test to test.
const outside = { sanitizeOps: false, sanitizeResources: false };

const page = (component: string) =>
  `import { ${component} } from "../_components/buttons.tsx";
export default () => <main><${component} /></main>;`;

const files = {
  "app/page.tsx": "export default () => <p>home</p>;",
  "app/_server/read.ts": `export async function read(env: { DB: D1Database }): Promise<void> {
  await env.DB.prepare("SELECT * FROM nowhere").all();
}`,
  "app/table/page.tsx": `import { read } from "../_server/read.ts";
export const loader = ({ context }) => read(context.env);
export default () => <p>table</p>;`,
  "app/deep/page.tsx": `const Deep = ({ left }: { left: number }) => {
  if (left === 0) throw new TypeError("too 'deep'");
  return <b><Deep left={left - 1} /></b>;
};
export default () => <Deep left={3} />;`,
  "app/deep/error.tsx": "export default ({ error }) => <pre id='own'>{error.stack}</pre>;",
  "app/(group)/layout.tsx": `export default ({ children }) =>
  <html><head></head><body>{children}</body></html>;`,
  "app/(group)/inner/layout.tsx": "export default ({ children }) => <html>{children}</html>;",
  "app/(group)/inner/page.tsx": "export default () => <p>inner</p>;",
  "app/(group)/error.tsx": "export default ({ error }) => <pre id='own'>{error.message}</pre>;",
  "app/(group)/late/page.tsx": `import { Suspense } from "hono/jsx";
const Late = async () => {
  await Promise.resolve();
  throw new Error("too late");
};
export default () => <main><Suspense fallback={<p>wait</p>}><Late /></Suspense></main>;`,
  "app/(group)/loads/page.tsx": `export const loader = () => {
  throw new Error("not loaded");
};
export default () => <p>loads</p>;`,
  "app/click/page.tsx": page("Click"),
  "app/reject/page.tsx": page("Reject"),
  "app/render/page.tsx": page("Render"),
  "app/_components/buttons.tsx": `"use client";
function fail(): never {
  throw new Error("clicked <b>&</b>", { cause: new Error("the reason") });
}
export const Click = () => <button onClick={() => fail()}>Click</button>;
export const Reject = () => {
  const save = async () => {
    await Promise.resolve();
    throw new RangeError("not saved");
  };
  return <button onClick={() => void save()}>Reject</button>;
};
export const Render = () => {
  if ("document" in globalThis) throw new Error("only here");
  return <p>rendered</p>;
};
`,
};

let app: FixtureApp;
let child: Child;
let origin: string;
Deno.test.beforeAll(async () => {
  app = await createFixtureApp(files);
  child = startFramework(app.root, "dev", "--port", "0");
  [, origin = ""] = await child.waitFor(/ready at (http:\S+)/);
});
Deno.test.afterAll(async () => {
  await (child as Child | undefined)?.stop();
  await (app as FixtureApp | undefined)?.[Symbol.asyncDispose]();
});

// Tracks: AB-18
Deno.test(
  "framework dev shows the application's own lines of an error first, and a database's reason once",
  outside,
  async () => {
    const ask = async (path: string, accept: string): Promise<string> =>
      await (await fetch(`${origin}${path}`, { headers: { accept } })).text();
    const message: string = JSON.parse(await ask("/table", "application/json")).message;
    const reason = /no such table: nowhere/g;
    const [frame, stack] = message.split("\n\n");
    assert.match(frame!, /^app\/_server\/read\.ts:2:\d+ Error: D1_ERROR: no such table: nowhere/);
    assert.equal(stack!.match(reason)?.length, 1, stack);
    assert.match(stack!, /^Error: .*\n {4}at async read \(app\/_server\/read\.ts:2:\d+\)\n/);
    assert.match(stack!, /\n {4}… and \d+ lines of .*@framework\/cli[^\n]*$/);
    assert.doesNotMatch(stack!, /node_modules|cloudflare-internal|packages\.js/);

    const [logged] = await child.waitFor(/GET \/table failed\.[^]*?\n {4}…[^\n]*/);
    assert.equal(logged.match(reason)?.length, 1, logged);
    assert.match(
      logged,
      /failed\. Error: .*\n {4}at async read \(app\/_server\/read\.ts:2:\d+\)\n/,
    );

    const html = await ask("/table", "text/html");
    const [shown, all] = html.split("The whole stack");
    assert.match(shown!, /\n {4}at async read \(app\/_server\/read\.ts:2:\d+\)\n/);
    assert.doesNotMatch(html, /packages\.js/);
    assert.match(all!, /cloudflare-internal:d1-api/);
    assert.match(all!, /node_modules\/@framework\/cli\/runtime\//);
  },
);

// Tracks: AB-18
Deno.test(
  "framework dev gives an error page of the application places in its files, from below a deep tree",
  outside,
  async () => {
    const answer = await fetch(`${origin}/deep`, { headers: { accept: "text/html" } });
    const own = /<pre id="own">([^]*?)<\/pre>/.exec(await answer.text())![1]!;
    assert.match(own, /^app\/deep\/page\.tsx:2:\d+ TypeError: too &#39;deep&#39;\n/);
    assert.match(own, /\n {4}at Deep \(app\/deep\/page\.tsx:2:\d+\)\n {4}… and \d+ lines of /);
  },
);

// Tracks: AB-18
Deno.test(
  "framework dev shows errors of a route group with their lines, those that come late too, and warns of nested documents",
  outside,
  async () => {
    const ask = async (path: string): Promise<string> =>
      await (await fetch(`${origin}${path}`, { headers: { accept: "text/html" } })).text();
    const [shown] = (await ask("/loads")).split("The whole stack");
    assert.match(shown!, /app\/\(group\)\/loads\/page\.tsx:2:\d+ Error: not loaded/);
    assert.match(shown!, /loads\/page\.tsx:2:\d+\)\n {4}… and \d+ lines of /);
    await child.waitFor(/GET \/loads failed\. .*\n {4}at .*loads\/page\.tsx:2:\d+\)\n {4}…/);

    assert.match(await ask("/late"), /<template [^>]*><pre id="own">too late<\/pre><\/template>/);
    await child.waitFor(/GET \/late failed\. Error: too late\n {4}at .*late\/page\.tsx:4:/);
    await child.waitFor(
      /app\/\(group\)\/inner\/layout\.tsx:1:\d+ <html> stands inside that of app\/\(group\)\/layout\.tsx/,
    );
  },
);

// Tracks: AB-18, R157
Deno.test(
  "framework dev shows errors of client components in the terminal and the page, with their places",
  outside,
  async (t) => {
    const browser = await launchBrowser();
    const panel = "#framework-browser-error";
    try {
      const tab = await browser.newPage();
      const open = async (path: string): Promise<void> => {
        const listens = tab.waitForResponse(isEventStream);
        await tab.goto(`${origin}${path}`);
        await listens;
      };

      await t.step("an uncaught error, with its cause", async () => {
        await open("/click");
        assert.equal(await tab.locator(panel).count(), 0);
        await tab.click("button");
        await tab.waitForSelector(panel);
        const text = await tab.textContent(`${panel} > pre`);
        assert.match(
          text!,
          /^app\/_components\/buttons\.tsx:3:9 Error: clicked <b>&<\/b>\n {2}3 \| {3}throw new Error/,
        );
        assert.match(
          text!,
          /\n\nError: .*\n {4}at fail \(app\/_components\/buttons\.tsx:3:9\)\n {4}at .*buttons\.tsx:5:\d+\)/,
        );
        assert.match(text!, /\nCaused by: Error: the reason\n/);
        assert.doesNotMatch(text!, /https?:/);
        const all = await tab.textContent(`${panel} details pre`);
        assert.match(all!, /node_modules\/.*preact/);
        await child.waitFor(
          /error: \/click failed in the browser\. Error: clicked <b>&<\/b>\n {4}at fail \(app\/_components\/buttons\.tsx:3:9\)\n/,
        );
        await tab.click("button");
        await tab.click("button");
        assert.equal(await tab.locator(`${panel} > pre`).count(), 1, "each error is told once");
      });

      await t.step("an unhandled rejection", async () => {
        await open("/reject");
        await tab.click("button");
        await tab.waitForSelector(panel);
        const text = await tab.textContent(`${panel} > pre`);
        assert.match(
          text!,
          /^app\/_components\/buttons\.tsx:9:11 Unhandled rejection\. RangeError: not saved\n/,
        );
        await child.waitFor(/\/reject failed in the browser\. Unhandled rejection\. RangeError/);
      });

      await t.step(
        "an error while the markup is taken over, before anything else ran; until it is mended",
        async () => {
          // The development server's own script comes last.
          await tab.route("**/.framework/live.js*", async (route) => {
            await until(
              () => tab.evaluate("customElements.get('framework-island') !== undefined"),
              (isDefined) => isDefined === true,
            );
            await route.continue();
          });
          await open("/render");
          await tab.waitForSelector(panel);
          assert.match(
            (await tab.textContent(`${panel} > pre`))!,
            /^app\/_components\/buttons\.tsx:14:39 Error: only here\n/,
          );
          await child.waitFor(/\/render failed in the browser\. Error: only here\n/);
          const { "app/_components/buttons.tsx": buttons } = files;
          await app.write(
            "app/_components/buttons.tsx",
            buttons.replace('"document" in globalThis', "false"),
          );
          await tab.locator(panel).waitFor({ state: "detached" });
          assert.equal(await tab.textContent("main p"), "rendered");
          // The page that came after the edit asks for the script too, whose answer waits.
          await tab.unrouteAll({ behavior: "wait" });
        },
      );

      await t.step("pages of other sites write nothing into the terminal", async () => {
        const send = (headers: Record<string, string>, body = '{"text":"forged","page":"/"}') =>
          fetch(`${origin}/.framework/errors`, { method: "POST", headers, body });
        for (
          const headers of [
            { origin: "https://evil.example" },
            { "sec-fetch-site": "cross-site" },
            { "sec-fetch-site": "same-site", origin },
            {},
          ]
        ) {
          const answer = await send(headers as Record<string, string>);
          await answer.body?.cancel();
          assert.equal(answer.status, 403, JSON.stringify(headers));
        }
        const long = await send(
          { origin },
          JSON.stringify({ text: "forged".repeat(50_000), page: "/" }),
        );
        await long.body?.cancel();
        assert.equal(long.status, 413);
        const wrong = await send({ origin }, '{"text":1}');
        await wrong.body?.cancel();
        assert.equal(wrong.status, 400);
        assert.doesNotMatch(child.output(), /forged/);
        const own = await send(
          { origin },
          '{"text":"an \\u001b]0;own\\u0007 one","page":"/"}',
        );
        assert.deepEqual(await own.json(), {
          text: "an \x1b]0;own\x07 one",
          all: "an \x1b]0;own\x07 one",
        });
        await child.waitFor(/error: \/ failed in the browser\. an \ufffd\]0;own\ufffd one/);
      });
    } finally {
      await browser.close();
    }
  },
);
