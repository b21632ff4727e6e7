import { Miniflare } from "miniflare";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { launchBrowser } from "../support/browser.ts";
import { framework } from "../support/command_line.ts";
import { createFixtureApp } from "./fixture_app.ts";

// The bundler's and the browser's processes end a moment after what they were started for.
const options = { sanitizeOps: false, sanitizeResources: false };

const page = (body: string, more = ""): string =>
  `${more}\nexport const prerender = true;\nexport default () => <p>${body}</p>;`;

const files = {
  "wrangler.jsonc": JSON.stringify({
    name: "fixture",
    compatibility_date: "2026-07-30",
    compatibility_flags: ["nodejs_compat"],
    d1_databases: [{ binding: "DB", database_name: "fixture", database_id: "fixture-id" }],
    vars: { GREETING: "hi" },
  }),
  "tsconfig.json": JSON.stringify({ compilerOptions: { jsxImportSource: "@framework/cli" } }),
  "app/layout.tsx": `import "./site.css";
export const metadata = { base: "https://acme.example", title: { template: "%s!", default: "A" } };
export default ({ children }) => <html><head></head><body>{children}</body></html>;`,
  "app/site.css": "p { color: rgb(1, 2, 3) }",
  "app/page.tsx": `export const prerender = true;
export const loader = ({ context }) => context.env.GREETING;
export const metadata = { title: "Home", canonical: "/" };
export default ({ data }) => <p>{data}</p>;`,
  "app/posts/[slug]/page.tsx": `export const csp = { connect: ["https://api.example"] };
export const prerender = () => [{ slug: "one" }, { slug: "zwei & ä" }];
export const metadata = ({ params }) => ({ title: params.slug });
export default ({ params }) => <p>{params.slug}</p>;`,
  "app/docs/[...path]/page.tsx": `import { Button } from "../../_components/button.tsx";
import { Suspense } from "hono/jsx/streaming";
export const prerender = [{ path: ["a", "b"] }];
async function Late() {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return <b id="late">late</b>;
}
export default () => <main><Button /><Suspense fallback={<i>soon</i>}><Late /></Suspense></main>;`,
  "app/_components/button.tsx": `"use client";
import { useState } from "hono/jsx";
export function Button() {
  const [count, setCount] = useState(0);
  return <button onClick={() => setCount(count + 1)}>{count}</button>;
}`,
  "app/now/page.tsx": "export default () => <p>{Date.now()}</p>;",
  // The way out that a refused layout is told of.
  "app/(visitors)/layout.tsx": `export const loader = ({ context }) => context.flash.take();
export default ({ children }) => <main>{children}</main>;`,
  "app/(visitors)/visit/page.tsx": "export default () => <p>visit</p>;",
  "public/_headers": "/own.txt\n  X-Own: yes\n",
};

Deno.test(
  "framework build writes prerendered pages with the headers that they have as responses",
  options,
  async () => {
    await using app = await createFixtureApp(files);
    const { code, stderr } = await framework(app.root, "build");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /4 pages prerendered/);
    const assets = join(app.root, "dist/assets");
    for (const name of ["index", "posts/one", "posts/zwei & ä", "docs/a/b"]) {
      assert.ok(existsSync(join(assets, `${name}.html`)), name);
    }
    assert.equal(existsSync(join(app.root, "dist/.prerender")), false);
    assert.equal(existsSync(join(assets, "now.html")), false);
    assert.doesNotMatch(
      await Deno.readTextFile(join(app.root, "dist/worker.js")),
      /prerender\.inv/,
    );
    const miniflare = new Miniflare({
      cf: false,
      handleStructuredLogs: () => {},
      workers: [{
        name: "fixture",
        // Pages come from files: no worker runs for them.
        modules: true,
        script: 'export default { fetch: () => new Response("worker", { status: 418 }) };',
        compatibilityDate: "2026-07-30",
        assets: { directory: assets, routerConfig: { "has_user_worker": true } },
      }],
    });
    const browser = await launchBrowser();
    try {
      const { origin } = await miniflare.ready;
      const home = await fetch(origin);
      const html = await home.text();
      assert.match(
        html,
        /<title>Home!<\/title><link rel="canonical" href="https:\/\/acme\.example\/"/,
      );
      assert.match(html, /<p>hi<\/p>/);
      const etag = home.headers.get("etag")!;
      const again = await fetch(origin, { headers: { "if-none-match": etag } });
      assert.equal(again.status, 304);
      for (const path of ["now", "visit"]) {
        assert.equal((await fetch(`${origin}/${path}`)).status, 418, path);
      }

      // Tracks: R080
      const policy = home.headers.get("content-security-policy") ?? "";
      assert.match(policy, /^default-src 'self'; script-src 'self'; .*frame-ancestors 'none'$/);
      assert.equal(home.headers.get("x-content-type-options"), "nosniff");
      assert.equal(home.headers.get("referrer-policy"), "strict-origin-when-cross-origin");
      const post = await fetch(`${origin}/posts/zwei%20%26%20%C3%A4`);
      assert.match(await post.text(), /<title>zwei &#38; ä!<\/title>/);
      assert.match(
        post.headers.get("content-security-policy")!,
        /connect-src 'self' https:\/\/api\.example$/,
      );

      const docs = await fetch(`${origin}/docs/a/b`);
      const text = await docs.text();
      assert.doesNotMatch(text + docs.headers.get("content-security-policy"), /nonce/);
      assert.match(
        docs.headers.get("content-security-policy")!,
        /script-src 'self' 'sha256-[^']+='/,
      );
      const view = await browser.newPage();
      const violations: string[] = [];
      view.on("console", (message) => violations.push(message.text()));
      await view.goto(`${origin}/docs/a/b`);
      await view.waitForSelector("main > b#late");
      await view.click("button");
      await view.waitForSelector("button:has-text('1')");
      assert.deepEqual(violations.filter((each) => /Content Security Policy/.test(each)), []);
    } finally {
      await browser.close();
      await miniflare.dispose();
    }
  },
);

Deno.test(
  "framework build refuses a prerendered page that depends on a request",
  options,
  async (test) => {
    const {
      "app/layout.tsx": _,
      "app/page.tsx": __,
      "app/posts/[slug]/page.tsx": ___,
      ...others
    } = files;
    const asking = {
      "request": 'export const loader = ({ request }) => request.headers.get("cookie");',
      "session": "export const loader = ({ context }) => context.auth.getUser().catch(() => null);",
      "user": 'import { getUser } from "@framework/auth";\nexport const loader = () => getUser();',
      "jar": 'export const loader = ({ context }) => context.cookies.get("a");',
      "elsewhere":
        'import { getContext } from "@framework/cli/runtime";\nexport const loader = () => getContext().auth.getUser();',
      "secret": "export const loader = ({ context }) => context.env.API_KEY;",
      "database": "export const loader = ({ context }) => context.db;",
      "broken": 'export const loader = () => { throw new Error("on purpose"); };',
      "gone":
        'import { notFound } from "@framework/cli/runtime";\nexport const loader = () => notFound();',
    };
    const layout = (component: string, more: string): string =>
      `${more}\nexport default ({ children, data }) => <main>${component}{children}</main>;`;
    const layouts: Record<string, [layout: string, says: string]> = {
      "of-loader": [
        layout("", "export const loader = ({ context }) => context.flash.take();"),
        "app/of-loader/layout.tsx asks for the context.flash: it belongs to a request. A layout above",
      ],
      "of-operation": [
        layout(
          "",
          'import { getUser } from "@framework/auth";\nexport const loader = () => getUser();',
        ),
        "app/of-operation/layout.tsx asks for the session: it is the same for every visitor. A layout above",
      ],
      "of-component": [
        layout(
          "<Header />",
          `import { getUser } from "@framework/auth";
const Header = () => <i>{getUser()?.name}</i>;`,
        ),
        "a component of app/of-component/layout.tsx asks for the session: ",
      ],
    };
    await using app = await createFixtureApp({
      ...others,
      ...Object.fromEntries(
        Object.entries(layouts).flatMap(([name, [text]]) => [
          [`app/${name}/layout.tsx`, text],
          [`app/${name}/page.tsx`, page(name)],
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(asking).map(([name, more]) => [`app/${name}/page.tsx`, page(name, more)]),
      ),
      "app/query/page.tsx":
        "export const prerender = true;\nexport default ({ searchParams }) => <p>{searchParams.a}</p>;",
      "app/late/page.tsx": `import { notFound } from "@framework/cli/runtime";
import { Suspense } from "hono/jsx";
const Late = async () => notFound();
export const prerender = true;
export default () => <Suspense fallback="soon"><Late /></Suspense>;`,
    });
    const asked = await framework(app.root, "build");
    assert.equal(asked.code, 3, asked.stderr);
    for (
      const line of [
        "/request cannot be prerendered: it asks for the request: ",
        "/session cannot be prerendered: it asks for the context.auth: ",
        "/user cannot be prerendered: it asks for the session: ",
        "/jar cannot be prerendered: it asks for the context.cookies: ",
        "/elsewhere cannot be prerendered: it asks for the context.auth: ",
        "/secret cannot be prerendered: it asks for the binding or secret API_KEY: ",
        "/database cannot be prerendered: it asks for the binding or secret DB: ",
        "/broken cannot be prerendered: it failed: Error: on purpose",
        "/gone cannot be prerendered: it answered 404 instead of 200.",
        "/query cannot be prerendered: it asks for the query: ",
        "/late cannot be prerendered: it failed: Not found.",
      ]
    ) assert.ok(asked.stderr.includes(line), `${line}\n${asked.stderr}`);
    assert.equal(existsSync(join(app.root, "dist")), false);

    await test.step("and names the layout that asks for a visitor, and the group in which it may", () => {
      for (const [name, [, says]] of Object.entries(layouts)) {
        const refusal = asked.stderr.split("\n")
          .find((line) => line.includes(`/${name} cannot be prerendered: ${says}`));
        assert.ok(
          refusal?.includes(`such as app/${name}/(visitors)/layout.tsx, and the pages`),
          asked.stderr,
        );
      }
    });

    for (const name of [...Object.keys(asking), ...Object.keys(layouts), "query", "late"]) {
      await app.remove(`app/${name}`);
    }
    await app.write("app/guarded/page.tsx", page("guarded"));
    await app.write(
      "app/guarded/middleware.ts",
      "export const middleware = (_request, next) => next();",
    );
    await app.write("app/form/page.tsx", page("form", "export const action = () => null;"));
    const schema =
      "{ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }";
    await app.write("app/find/page.tsx", page("find", `export const search = ${schema};`));
    await app.write("app/users/[id]/page.tsx", page("user"));
    await app.write(
      "app/files/[name]/page.tsx",
      page("file").replace("= true", '= [{ name: "../../worker" }]'),
    );
    await app.write(
      "app/any/[name]/page.tsx",
      page("file").replace("= true", '= [{ name: "*" }]'),
    );
    await app.write(
      "app/lost/[name]/page.tsx",
      page("file").replace("= true", '= [{ nam: "typo" }]'),
    );
    const placed = await framework(app.root, "build");
    assert.equal(placed.code, 3, placed.stderr);
    for (
      const line of [
        "app/guarded/page.tsx cannot be prerendered: app/guarded/middleware.ts runs before it",
        "app/form/page.tsx cannot be prerendered: it has an action",
        "app/find/page.tsx cannot be prerendered: it has a schema for the query",
        "app/users/[id]/page.tsx cannot be prerendered: its path /users/:id has parameters.",
        'app/files/[name]/page.tsx cannot be prerendered: the parameter name is "../../worker"',
        'app/any/[name]/page.tsx cannot be prerendered: the parameter name is "*"',
        'app/lost/[name]/page.tsx cannot be prerendered: the parameters {"nam":"typo"} have no name',
      ]
    ) assert.ok(placed.stderr.includes(line), `${line}\n${placed.stderr}`);
  },
);
