import assert from "node:assert/strict";
import { Agent, request, type RequestOptions } from "node:http";
import type { Socket } from "node:net";
import { inMatrix } from "../support/matrix.ts";
import { takesClientComponentsOver } from "./client_browser_cases.ts";
import { engines, type Running } from "./engines.ts";
import { until } from "./framework.ts";

const json = { method: "POST", headers: { "content-type": "application/json" } };

function logged(app: Running, key: string): Promise<string> {
  return until(async () => {
    const response = await app.fetch(`/jobs?key=${encodeURIComponent(key)}`);
    return (await response.json()).value;
  }, (value) => value !== null);
}

/** Sends one request after the other by a client that keeps its connection, and counts those that it has needed. */
async function sendUnread(
  origin: string,
  path: string,
  bodies: readonly string[],
): Promise<{ statuses: (number | undefined)[]; connections: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options: RequestOptions = { agent, method: "POST", headers: { origin } };
  const connections = new Set<Socket>();
  const statuses: (number | undefined)[] = [];
  for (const body of bodies) {
    const sent = request(new URL(path, origin), options);
    sent.on("socket", (socket) => connections.add(socket));
    const status = await new Promise<number | undefined>((resolve, reject) => {
      sent.on("error", reject);
      sent.on("response", (response) => {
        response.on("error", reject).on("end", () => resolve(response.statusCode)).resume();
      });
      sent.end(body);
    });
    statuses.push(status);
  }
  agent.destroy();
  return { statuses, connections: connections.size };
}

/** The development server's own script stands behind every page. */
function withoutLiveReload(text: string): string {
  return text.replace(/<script src="\/\.framework\/[^>]*><\/script>/, "");
}

const asBrowser = { headers: { accept: "text/html" } };

for (const [engine, start] of Object.entries(engines)) {
  const isServer = engine.startsWith("on ");
  // The program of the server is one; a day asks the oldest Node, and Deno in server_test.ts and openapi_build_test.ts.
  // What a test context is in workerd, testing/engines_test.ts asks of it, and what workerd makes of a build is here.
  // The worker of `framework dev` is that of a build: what it does otherwise is in the tests of dev.
  if (["on Node 24", "on Deno", "in workerd", "under dev"].includes(engine) && !inMatrix) continue;
  Deno.test(`every convention works ${engine}`, {
    sanitizeOps: false,
    sanitizeResources: false,
  }, async (test) => {
    await using app = await start();
    // A test context is the application without its files, and what it throws is for the test.
    const isContext = app.origin === null;
    const get = async (path: string): Promise<{ status: number; text: string }> => {
      const response = await app.fetch(path, asBrowser);
      return { status: response.status, text: await response.text() };
    };

    for (
      const [path, status, text] of [
        ["/shop/1", 200, /Site<\/header><main class="shop"><p>Item 1<\/p>/],
        ["/shop/none", 404, /Site<\/header><main class="shop"><p>shop: not found<\/p>/],
        ["/shop/secret", 403, /<main class="shop"><p>shop: not you, secret<\/p>/],
        ["/shop/mine", 401, /Site<\/header><p>site: sign in<\/p>/],
        ["/shop/broken", 500, /Site<\/header><p>error 500 INTERNAL_ERROR /],
        ["/nothing/at/all", 404, /<title>Nothing here<\/title>.*<p>site: not found<\/p>/],
      ] as const
    ) {
      await test.step(`${path} is answered with ${status} by the nearest page`, async () => {
        // There the error itself is what a test is to see.
        if (isContext && status === 500) {
          return void await assert.rejects(get(path), { message: "The shelf fell down" });
        }
        const answer = await get(path);
        assert.equal(answer.status, status);
        assert.match(answer.text, text);
        assert.equal(
          answer.text.includes("The shelf fell down"),
          engine === "under dev" && status === 500,
        );
      });
    }

    // Tracks: R080
    await test.step("pages carry a policy, and their own one where they export it", async () => {
      for (const path of ["/", "/nothing", "/shop/none"]) {
        const { headers } = await app.fetch(path, asBrowser);
        assert.match(headers.get("content-security-policy")!, /^default-src 'self'; .*frame-anc/);
        assert.equal(headers.get("x-content-type-options"), "nosniff");
      }
      const { headers } = await app.fetch("/policy", asBrowser);
      assert.match(headers.get("content-security-policy")!, /partner\.example$/);
      assert.equal(headers.get("referrer-policy"), null);
    });

    await test.step("a page with loading.tsx arrives in parts", async () => {
      const { body, status } = await app.fetch("/slow", {
        // Compression would hold the parts back until they fill a block.
        headers: { accept: "text/html", "accept-encoding": "identity" },
      });
      assert.equal(status, 200);
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes("Please wait")) {
        text += (await reader.read()).value ?? assert.fail(text);
      }
      assert.match(text, /<title>Slow<\/title>.*Site<\/header>.*Please wait/);
      assert.doesNotMatch(text, /Ready at last/);
      await (await app.fetch("/slow/reader")).body?.cancel();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
      }
      assert.match(text, /<p>Ready at last<\/p>.*<script nonce="[^]*<\/body><\/html>/);
    });

    await test.step("only a page with client components ships scripts, and stylesheets are those of the page", async () => {
      const scripts = /<script|<link rel="(modulepreload|stylesheet)/;
      assert.doesNotMatch(withoutLiveReload((await get("/")).text), scripts);
      const { status, text } = await get("/client");
      assert.equal(status, 200);
      assert.match(
        text,
        /<framework-island src="\/_framework\/app-components-counter[\w-]*\.js" name="Counter"/,
      );
      assert.match(
        text,
        /<script type="module" async src="\/_framework\/app-components-counter[\w-]*\.js"><\/script><\/head>/,
      );
      assert.match(text, /More 41<\/button>[^]*<section class="server">Rendered on the server/);
      assert.doesNotMatch(text, /<script>document\.title/);
      if (isContext) return;
      const addresses = [...text.matchAll(/(?:href|src)="(\/_framework\/[^"]+)"/g)].map((found) =>
        found[1]!
      );
      assert.match(addresses.join(" "), /counter\S*\.css .*page\S*\.css .*counter\S*\.js/);
      for (const address of addresses) {
        const { headers, status, body } = await app.fetch(address);
        await body?.cancel();
        assert.equal(status, 200, address);
        assert.match(headers.get("content-type")!, /^text\/(css|javascript)/);
        assert.equal(
          headers.get("cache-control"),
          engine === "under build" || isServer ? "public, max-age=31536000, immutable" : "no-store",
        );
      }
      assert.equal((await get("/_framework/none.js")).status, 404);
    });

    for (
      const [path, answer] of [
        ["/files/a/b%2Fc", '{"path":["a","b/c"]}'],
        ["/docs", "[[],{}]"],
        ["/docs/x/y?a=1&a=2&b=", '[["x","y"],{"a":["1","2"],"b":""}]'],
        ["/about", "In a group"],
        ["/.well-known/info", '{"known":true}'],
      ] as const
    ) {
      await test.step(`${path} is routed`, async () => {
        const { status, text } = await get(path);
        assert.equal(status, 200);
        assert.ok(text.replaceAll("&quot;", '"').includes(answer), text);
      });
    }

    await test.step("what has no route is not found: a private folder, a group's name, a rest without anything", async () => {
      for (const path of ["/_private", "/(group)/about", "/files", "/app/page.tsx"]) {
        assert.equal((await get(path)).status, 404, path);
      }
    });

    await test.step("a known path answers HEAD and OPTIONS, and other methods with 405", async () => {
      const ask = async (
        path: string,
        method: string,
      ): Promise<[number, string | null, string]> => {
        // A page of the application's own asks.
        const headers = { origin: app.origin ?? "http://localhost" };
        const response = await app.fetch(path, { method, headers });
        return [response.status, response.headers.get("allow"), await response.text()];
      };
      assert.deepEqual(await ask("/files/a", "HEAD"), [200, null, ""]);
      assert.deepEqual(await ask("/files/a", "OPTIONS"), [204, "GET, HEAD, POST, OPTIONS", ""]);
      assert.deepEqual(await ask("/files/a", "POST"), [201, null, "made"]);
      assert.deepEqual((await ask("/files/a", "DELETE")).slice(0, 2), [
        405,
        "GET, HEAD, POST, OPTIONS",
      ]);
      assert.deepEqual(await ask("/about", "HEAD"), [200, null, ""]);
      assert.deepEqual((await ask("/about", "POST")).slice(0, 2), [405, "GET, HEAD, OPTIONS"]);
      const { status, headers } = await app.fetch("/about/", { redirect: "manual" });
      assert.deepEqual([status, new URL(headers.get("location")!).pathname], [308, "/about"]);
    });

    await test.step("a route answers with data(), its status and headers", async () => {
      const headers = { "x-late": "1", origin: app.origin ?? "http://localhost" };
      const response = await app.fetch("/files/a", { method: "POST", headers });
      assert.deepEqual([response.status, response.headers.get("x-own")], [202, "yes"]);
      assert.deepEqual(await response.json(), { late: true });
    });

    await test.step("middleware runs outer to inner, changes request and response, and may answer", async () => {
      const response = await app.fetch("/tree/inner", asBrowser);
      assert.equal(response.headers.get("x-trail"), "outer inner");
      const text = await response.text();
      assert.match(text, /<p data-took="[\d-]+">yes<\/p>/);
      assert.equal((await get("/tree/inner?stop")).status, 418);
    });

    await test.step("metadata is merged down the tree, and loaders run at the same time", async () => {
      const { text } = await get("/tree/inner");
      assert.match(
        text,
        /<title>Tree yes<\/title>.*<meta name="description" content="From the layout"/,
      );
      const [layout, page] = [...text.matchAll(/data-took="(\d+)-(\d+)"/g)].map((found) => ({
        started: Number(found[1]),
        ended: Number(found[2]),
      }));
      assert.ok(
        layout!.started < page!.ended && page!.started < layout!.ended,
        "each takes 100 ms, and neither waited for the other's end",
      );
    });

    await test.step("a form with a file is checked by its schema, and its message is shown once", async () => {
      let cookie = "";
      const send = async (fields: Record<string, string | File>, asked = "text/html") => {
        const body = new FormData();
        for (const [name, value] of Object.entries(fields)) body.append(name, value);
        const headers: Record<string, string> = {
          accept: asked,
          cookie,
          origin: app.origin ?? "http://localhost",
        };
        const init: RequestInit = { method: "POST", body, headers, redirect: "manual" };
        const response = await app.fetch("/notes", init);
        return { response, text: await response.text() };
      };
      const file = new File(["read it"], "a.txt", { type: "text/plain" });
      const right = { title: "Paint", password: "hunter2", "tags[]": "a;b", file };
      const long = { ...right, file: new File(["x".repeat(101)], "a.txt") };
      const wrong = await send({ ...long, title: '"<' });
      assert.equal(wrong.response.status, 422);
      assert.match(wrong.text, /name="title" type="text" value="&quot;&lt;" aria-invalid="true"/);
      assert.match(wrong.text, /<p id="file-error">The file is too large\.<\/p>/);
      assert.doesNotMatch(wrong.text, /hunter2|xxx/);
      const asJson = await send(long, "application/json");
      assert.deepEqual(JSON.parse(asJson.text).fields, { file: ["The file is too large."] });

      const { response } = await send(right);
      assert.deepEqual([response.status, response.headers.get("location")], [303, "/notes"]);
      cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
      assert.match(cookie, /^tags=a%3Bb; framework\.flash=info\.Paint%3A%20read%20it$/);
      const shown = await app.fetch("/notes", { headers: { ...asBrowser.headers, cookie } });
      const text = await shown.text();
      assert.match(text, /<p id="flash">Paint: read it<\/p><p id="tags">a;b<\/p>/);
      const [taken] = shown.headers.getSetCookie();
      assert.equal(taken, "framework.flash=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax");
    });

    await test.step("a form comes back with its mistake, and sends on after a success", async () => {
      const post = (name: string): Promise<Response> =>
        app.fetch("/form", {
          method: "POST",
          headers: {
            accept: "text/html",
            origin: app.origin ?? "http://localhost",
            "content-type": "application/x-www-form-urlencoded",
          },
          body: new URLSearchParams({ name }).toString(),
        });
      const wrong = await post("<b");
      assert.equal(wrong.status, 422);
      assert.match(
        await wrong.text(),
        /at least three letters\.<\/p><input name="name" value="&lt;b"/,
      );
      const right = await post("Ada");
      assert.deepEqual([right.status, right.headers.get("location")], [303, "/form?saved=Ada"]);
      await right.body?.cancel();
    });

    // Tracks, OP-10, R169
    await test.step("bodies have a limit, and one of known length is a stream that R2 takes", async () => {
      const MIB = 1024 * 1024;
      const origin = app.origin ?? "http://localhost";
      /** In chunks, without a length. */
      const inChunks = (length: number): BodyInit =>
        new Blob([new Uint8Array(length)]).stream().pipeThrough(new TransformStream());
      const send = async (
        method: string,
        path: string,
        body: BodyInit,
        type?: string,
      ): Promise<[number, string]> => {
        const headers = {
          origin,
          accept: "application/json",
          ...(type && { "content-type": type }),
        };
        const response = await app.fetch(path, {
          method,
          headers,
          body,
          ...(body instanceof ReadableStream && { duplex: "half" }),
        });
        return [response.status, await response.text()];
      };
      const put = (length: number) => send("PUT", "/uploads/a", new Uint8Array(length));
      assert.deepEqual(await put(2 * MIB), [200, `{"size":${2 * MIB}}`]);
      assert.deepEqual((await put(2 * MIB + 1))[0], 413);
      assert.deepEqual((await put(8 * MIB))[0], 413);
      const post = (length: number) => send("POST", "/uploads/a", inChunks(length));
      assert.deepEqual(await post(2 * MIB), [200, `{"size":${2 * MIB}}`]);
      assert.deepEqual((await post(2 * MIB + 1))[0], 413);
      assert.deepEqual((await post(8 * MIB))[0], 413);

      const form = "application/x-www-form-urlencoded";
      const long = `name=${"z".repeat(MIB)}`;
      const [status, text] = await send("POST", "/form", long, form);
      assert.equal(status, 413);
      assert.ok(text.length < 1000);
      assert.equal((await send("POST", "/form", new Blob([long]).stream(), form))[0], 413);
      assert.equal((await send("POST", "/form", "{}", "application/json"))[0], 415);
      assert.equal((await send("PATCH", "/uploads/a", "{", "application/json"))[0], 400);
    });

    if (!isContext) {
      // Tracks: R169
      await test.step("a body that nobody reads leaves the connection to the next request", async () => {
        const bodies = ["a=1", "a=1", "x".repeat(100_000), "x".repeat(900_000), "a=1"];
        for (const [path, status] of [["/files/a", 201], ["/tree/unread", 202]] as const) {
          assert.deepEqual(await sendUnread(app.origin!, path, bodies), {
            statuses: bodies.map(() => status),
            connections: 1,
          });
        }
      });
    }

    await test.step("app/auth signs in, guards by middleware and gives permissions", async () => {
      const origin = app.origin ?? "http://localhost";
      const guarded = await app.fetch("/members", asBrowser);
      assert.equal(guarded.status, 401);
      assert.match(await guarded.text(), /<p>site: sign in<\/p>/);
      const me = async (cookie: string): Promise<unknown> =>
        await (await app.fetch("/api/me", { headers: { cookie } })).json();
      assert.deepEqual(await me("none=1"), { name: null, reads: false });
      const signIn = (pin: string): Promise<Response> =>
        app.fetch("/auth/signin/credentials", {
          method: "POST",
          headers: { origin, "content-type": "application/x-www-form-urlencoded" },
          body: `pin=${pin}`,
        });
      assert.equal((await signIn("0000")).status, 401);
      const signedIn = await signIn("1234");
      assert.equal(signedIn.status, 303);
      const cookie = signedIn.headers.getSetCookie()[0]!.split(";")[0]!;
      assert.deepEqual(await me(cookie), { name: "Ada", reads: true });
      const headers = { cookie, accept: "text/html" };
      const members = await app.fetch("/members", { headers });
      assert.match(await members.text(), /<p>Ada among Ada<\/p>/);
    });

    if (!isContext) {
      await test.step("a file of public/ is served, and may be kept only after asking", async () => {
        const { status, headers, text } = await app.fetch("/static.txt").then(async (response) => ({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }));
        assert.deepEqual([status, text], [200, "A static file\n"]);
        assert.match(headers.get("cache-control")!, /must-revalidate/);
        assert.ok(headers.get("etag"));
        const posted = await app.fetch("/static.txt", { method: "POST" });
        // The platform's own answer has no more than its status.
        const allow = isServer ? "GET, HEAD" : null;
        assert.deepEqual([posted.status, posted.headers.get("allow")], [405, allow]);
        await posted.body?.cancel();
      });
    }

    await test.step("getContext() is each request's own", async () => {
      const names = ["ada", "bob", "eve"];
      const answers = names.map(async (name) => await (await app.fetch(`/whoami/${name}`)).json());
      assert.deepEqual(await Promise.all(answers), names);
    });

    if (!isServer) {
      await test.step({
        name: "a durable object keeps its state",
        fn: async () => {
          const count = async (): Promise<unknown> =>
            await (await app.fetch("/counter", json)).json();
          assert.deepEqual([await count(), await count()], [1, 2]);
        },
      });
    }

    if (!isServer) {
      // Tracks: R143
      await test.step({
        name: "the library's object for limits is exported under its name, and counts",
        fn: async () => {
          const statuses: number[] = [];
          for (let turn = 0; turn < 3; turn++) {
            const response = await app.fetch("/limited");
            await response.body?.cancel();
            statuses.push(response.status);
          }
          assert.deepEqual(statuses, [200, 200, 429]);
        },
      });
    }

    // Its queues are consumed by the test alone.
    if (engine === "in process") return;

    await test.step("a queue's messages reach its file, and come again when it says so", async () => {
      for (const text of ["once", "again"]) {
        const response = await app.fetch("/jobs", { ...json, body: JSON.stringify({ text }) });
        assert.equal(response.status, 204);
      }
      assert.equal(await logged(app, "mail:once"), "1");
      assert.equal(await logged(app, "mail:again"), "2");
    });

    if (isContext) return;

    await test.step("a cron job runs when its schedule is due", async () => {
      const due = await app.fetch("/cdn-cgi/handler/scheduled?cron=0+3+*+*+*");
      if (isServer) {
        // Its own clock is the only thing that runs a job.
        assert.equal(due.status, 404);
        return void await due.body?.cancel();
      }
      assert.deepEqual([due.status, await due.text()], [200, "ok"]);
      assert.equal(await logged(app, "cron"), "0 3 * * *");
    });

    if (!isServer) {
      await test.step(
        `Chromium takes client components over, ${engine}`,
        (test) => takesClientComponentsOver(test, engine, app.origin!),
      );
    }

    if (app.breakSessions) {
      await app.breakSessions();
      // Tracks: GHSA-8fpg-xm3f-6cx3
      await test.step(
        "a database that fails takes what needs it, and nothing else",
        () => bearsFailingSessions(app),
      );
    }

    if (engine !== "under dev") return;

    await test.step("a page that failed shows the line that threw", async () => {
      const response = await app.fetch("/shop/broken", asBrowser);
      const text = await response.text();
      assert.match(text, /<p>error 500 INTERNAL_ERROR [^]*<details open id="framework-error"/);
      assert.match(
        text,
        /<pre[^>]*>app\/shop\/\[id\]\/page\.tsx:9:\d+ Error: The shelf fell down\n {2}9 \| .*&#34;broken&#34;/,
      );
      assert.equal(response.headers.get("x-framework-error"), null);
      assert.doesNotMatch((await get("/shop/none")).text, /framework-error/);
    });

    await test.step("no other site's page can run a handler", async () => {
      for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://a.example" }]) {
        const { status, body } = await app.fetch("/cdn-cgi/handler/scheduled?cron=0+3+*+*+*", {
          headers,
        });
        await body?.cancel();
        assert.equal(status, 403);
      }
    });
  });
}

async function bearsFailingSessions(app: Running): Promise<void> {
  const headers = { cookie: `framework.session-token=${"a".repeat(43)}`, accept: "text/html" };
  for (
    const [path, expected] of [
      ["/", 200],
      ["/about", 200],
      ["/client", 200],
      ["/static.txt", 200],
      ["/nothing", 404],
      ["/auth/signin", 200],
      ["/members", 503],
      ["/api/me", 503],
    ] as const
  ) {
    const response = await app.fetch(path, { headers });
    const text = await response.text();
    assert.equal(response.status, expected, `${path}: ${text}`);
    assert.doesNotMatch(text, /malformed|SQLITE|D1_ERROR/);
  }
}
