import { createAuth, createMemoryStorage } from "@framework/auth";
import assert from "node:assert/strict";
import { createApplication } from "./application.ts";
import { createCookieJar } from "./cookies.ts";
import { redirect } from "./results.ts";
import type { ActionArgs, LayoutProps, LoaderArgs, Middleware, RequestContext } from "./types.ts";

const HTTPS = "https://app.example/";
const HTTP = "http://localhost:8787/";

function jar(cookie = "", { url = HTTPS, ...headers }: Record<string, string> = {}) {
  const all: Record<string, string> = cookie === "" ? headers : { cookie, ...headers };
  return createCookieJar(new Request(url, { headers: all }));
}

const linesOf = (response: Response) => response.headers.getSetCookie();

// Tracks: R080
Deno.test("a cookie is for this host, over https, and out of reach of scripts, unless it says otherwise", () => {
  const secure = jar();
  secure.cookies.set("theme", "dark");
  secure.cookies.set("__Host-cart", "1", { maxAge: 60, sameSite: "strict" });
  secure.cookies.set("seen", "", { httpOnly: false, path: "/blog", domain: "app.example" });
  secure.cookies.delete("old");
  assert.deepEqual(linesOf(secure.finish(new Response())), [
    "theme=dark; Path=/; HttpOnly; Secure; SameSite=Lax",
    "__Host-cart=1; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Strict",
    "seen=; Path=/blog; Domain=app.example; Secure; SameSite=Lax",
    "old=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
  ]);
  const local = jar("cart=2", { url: HTTP });
  assert.equal(local.cookies.get("__Host-cart"), "2");
  local.cookies.set("__Host-cart", "3");
  assert.deepEqual(linesOf(local.finish(new Response())), [
    "cart=3; Path=/; HttpOnly; SameSite=Lax",
  ]);
});

Deno.test("a value may be any text, and comes back as it was", () => {
  for (const value of ["a; Path=/x\r\nSet-Cookie: b=1", "ä€😀", '"\\,', "%41", "\ud800", "a=b"]) {
    const first = jar();
    first.cookies.set("x", value);
    assert.equal(first.cookies.get("x"), value);
    const [line] = linesOf(first.finish(new Response()));
    assert.match(line!, /^x=[\w%.!~*'()-]*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    assert.equal(jar(line!.split(";")[0]).cookies.get("x"), value.toWellFormed());
  }
  assert.equal(jar("x=%zz").cookies.get("x"), "%zz");
  assert.equal(jar("x=1; x=2").cookies.get("x"), undefined);
  assert.equal(jar("x=1").cookies.get("constructor"), undefined);
});

Deno.test("what a request has set or removed is what it reads", () => {
  const { cookies } = jar("a=1; b=2");
  cookies.set("a", "3");
  cookies.delete("b");
  assert.deepEqual([cookies.get("a"), cookies.get("b")], ["3", undefined]);
});

for (
  const [what, name, value, settings, message] of [
    ["a name with a line break", "a\r\nb", "", {}, /character/],
    ["a name with a semicolon", "a;b", "", {}, /character/],
    ["an empty name", "", "", {}, /character/],
    ["the session cookie", "framework.session-token", "", {}, /belongs to/],
    ["one of its parts", "__Host-framework.session-token.0", "", {}, /belongs to/],
    ["the same in capitals", "__HOST-Framework.Session-Token", "", {}, /belongs to/],
    ["the flash message", "__Host-framework.flash", "", {}, /belongs to/],
    ["a value that is too long", "a", "€".repeat(500), {}, /4096 bytes/],
    ["a path with an attribute", "a", "", { path: "/; Domain=evil.example" }, /path/],
    ["a domain with an attribute", "a", "", { domain: "a.example; Path=/x" }, /domain/],
    ["an age that is none", "a", "", { maxAge: 1.5 }, /maxAge/],
    ["an age above 400 days", "a", "", { maxAge: 34_560_001 }, /maxAge/],
    ["__Host- with a path", "__Host-a", "", { path: "/x" }, /prefix/],
    ["__Host- with a domain", "__Host-a", "", { domain: "app.example" }, /prefix/],
    ["__Secure- without Secure", "__Secure-a", "", { secure: false }, /Secure/],
    ["SameSite=None without Secure", "a", "", { sameSite: "none", secure: false }, /Secure/],
    ["another sameSite", "a", "", { sameSite: "lax; Domain=x" as "lax" }, /sameSite/],
  ] as const
) {
  Deno.test(`a cookie is refused: ${what}`, () => {
    const { cookies, finish } = jar();
    assert.throws(() => cookies.set(name, value, settings), { name: "TypeError", message });
    assert.deepEqual(linesOf(finish(new Response())), []);
  });
}

Deno.test("the session cookie is refused under the name that the application gave it", async () => {
  const auth = createAuth({
    database: createMemoryStorage(),
    cookies: { sessionToken: { name: "sid" } },
  });
  const response = await auth.run(new Request(HTTPS), {}, undefined, () => {
    const { cookies } = jar("sid=secret");
    for (const name of ["sid", "__Host-sid", "sid.0"]) {
      assert.throws(() => cookies.get(name), /belongs to/);
      assert.throws(() => cookies.set(name, "x"), /belongs to/);
      assert.throws(() => cookies.delete(name), /belongs to/);
    }
    cookies.set("sid.theme", "fine");
    return new Response("ok");
  });
  assert.equal(await response.text(), "ok");
});

Deno.test("a response with a cookie is stored nowhere, and one that depends on a cookie says so", () => {
  const cached = () => new Response("", { headers: { "cache-control": "public, max-age=60" } });
  const headersOf = ({ headers }: Response) => [headers.get("cache-control"), headers.get("vary")];
  const unused = cached();
  assert.equal(jar("a=1").finish(unused), unused);
  const reading = jar("a=1");
  reading.cookies.get("a");
  assert.deepEqual(headersOf(reading.finish(cached())), ["public, max-age=60", "Cookie"]);
  const writing = jar();
  writing.cookies.set("a", "1");
  assert.deepEqual(headersOf(writing.finish(cached())), ["no-store", "Cookie"]);
  assert.throws(() => writing.cookies.set("a", "2"), { code: "HEADERS_SENT" });
});

/** An application whose pages show the message that an action or a middleware has set. */
function start(middleware?: Middleware) {
  const layout = {
    loader: ({ context }: LoaderArgs) => context.flash.take(),
    default: ({ children, data }: LayoutProps) => (
      <main>
        {data && <p class={`flash ${data.kind}`}>{data.text}</p>}
        {children}
      </main>
    ),
  };
  const page = { layouts: [{ file: "app/layout.tsx", module: layout }], middleware: [] };
  const { worker } = createApplication({
    database: "DB",
    dev: false,
    auth: null,
    routes: [
      {
        ...page,
        kind: "page",
        pattern: "/",
        file: "app/page.tsx",
        module: { default: () => <h1>Home</h1> },
      },
      {
        ...page,
        kind: "page",
        pattern: "/old",
        file: "app/old/page.tsx",
        module: { default: () => null, loader: () => redirect("/", 302) },
      },
      {
        ...page,
        kind: "page",
        pattern: "/save",
        file: "app/save/page.tsx",
        module: {
          default: () => null,
          action({ context, request }: ActionArgs) {
            const { searchParams } = new URL(request.url);
            context.flash.set(searchParams.get("text") ?? "Saved.", "success");
            context.cookies.set("last", "save");
            return redirect(searchParams.get("to") ?? "/");
          },
        },
      },
      {
        kind: "route",
        pattern: "/api",
        file: "app/api/route.ts",
        module: {
          GET: (_: Request, { cookies }: RequestContext) => ({ last: cookies.get("last") }),
          POST: (_: Request, { cookies }: RequestContext) => {
            cookies.set("kept", "1");
            throw new Error("after it");
          },
        },
        layouts: [],
        middleware: middleware ? [{ file: "app/middleware.ts", module: { middleware } }] : [],
      },
    ],
  }, { onError: () => {} });
  const cookies = new Map<string, string>();
  return async function visit(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const planted = headers.get("cookie");
    const kept = [...cookies].map(([name, value]) => `${name}=${value}`);
    headers.set("cookie", [...planted === null ? [] : [planted], ...kept].join("; "));
    if (!headers.has("origin")) headers.set("origin", "https://app.example");
    const response = await worker.fetch(
      new Request(new URL(path, HTTPS), { ...init, headers }),
      {},
    );
    for (const line of linesOf(response)) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (line.includes("Max-Age=0")) cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    return response;
  };
}

Deno.test("a flash message is shown once, after the redirect, as text", async () => {
  const visit = start();
  const text = encodeURIComponent('<script>alert("1")</script>; Path=/\r\n');
  const saved = await visit(`/save?text=${text}`, { method: "POST" });
  assert.equal(saved.status, 303);
  assert.match(
    linesOf(saved)[0]!,
    /^__Host-framework\.flash=success\.[\w%.()-]+; Path=\/; Max-Age=300; HttpOnly; Secure; SameSite=Lax$/,
  );
  const shown = await visit("/");
  const html = await shown.text();
  assert.match(html, /<p class="flash success">&lt;script&gt;alert\(&quot;1&quot;\)/);
  assert.equal(shown.headers.get("cache-control"), "no-store");
  assert.doesNotMatch(await (await visit("/")).text(), /flash/);
});

Deno.test("no other site, and no other host of this one, sets a flash message", async () => {
  const visit = start();
  for (const origin of ["https://evil.example", "https://sub.app.example", "null"]) {
    const headers = { origin };
    const refused = await visit("/save?text=Pay+evil.example", { method: "POST", headers });
    assert.equal(refused.status, 403, origin);
    assert.deepEqual(linesOf(refused), [], origin);
  }
  const linked = await visit("/save?text=Pay+evil.example");
  assert.deepEqual(linesOf(linked), []);
  // What a sibling host can plant: names without the prefix, also as a second one beside the message of the site.
  const plant = (cookie: string) => visit("/", { headers: { cookie } });
  for (const name of ["framework.flash", "__host-framework.flash", " framework.flash"]) {
    assert.doesNotMatch(
      await (await plant(`${name}=success.Planted`)).text(),
      /flash|Planted/,
      name,
    );
  }
  await visit("/save", { method: "POST" });
  assert.match(await (await plant("framework.flash=success.Planted")).text(), /success">Saved\.</);
});

Deno.test("a flash message waits for the page: a prefetch, HEAD, and another redirect leave it", async () => {
  const visit = start();
  await visit("/save?to=/old", { method: "POST" });
  for (const purpose of ["prefetch", "prefetch;prerender"]) {
    const early = await visit("/", { headers: { "sec-purpose": purpose } });
    assert.deepEqual([early.status, linesOf(early), await early.text()], [503, [], ""]);
  }
  assert.equal((await visit("/", { method: "HEAD" })).status, 200);
  assert.equal((await visit("/old")).status, 302);
  assert.match(await (await visit("/")).text(), /<p class="flash success">Saved\.<\/p>/);
  assert.doesNotMatch(await (await visit("/")).text(), /Saved/);
  assert.equal((await visit("/", { headers: { "sec-purpose": "prefetch" } })).status, 200);
});

Deno.test("a flash message fits into a cookie in every language, and a planted one is text or nothing", async () => {
  for (const character of ["a", "€", "😀", "\ud800"]) {
    const { flash, finish } = jar();
    flash.set(character.repeat(5000), "error");
    const [line] = linesOf(finish(new Response()));
    assert.ok(line!.split(";")[0]!.length < 4096);
    const taken = jar(line!.split(";")[0]).flash.take();
    assert.deepEqual(taken, { kind: "error", text: `${character.repeat(300).toWellFormed()}…` });
  }
  assert.throws(() => jar().flash.set("x", 'a" onload="'), /kind of a flash message/);
  for (const planted of ['a" onload=.x', "x", ".x", "x.", "%00.x", "__proto__.x"]) {
    assert.equal(jar(`__Host-framework.flash=${planted}`).flash.take(), null, planted);
  }
  const page = await start()("/", { headers: { cookie: "x" } });
  assert.equal(page.status, 200);
});

Deno.test("cookies of middleware, and of code that fails later, are sent", async () => {
  const visit = start(async (_request, next, context) => {
    const response = await next();
    context.cookies.set("after", "1");
    return response;
  });
  await visit("/save", { method: "POST" });
  const read = await visit("/api");
  assert.deepEqual(await read.json(), { last: "save" });
  assert.match(linesOf(read)[0]!, /^after=1;/);
  const failed = await visit("/api", { method: "POST" });
  assert.equal(failed.status, 500);
  assert.deepEqual(linesOf(failed).map((line) => line.split("=")[0]), ["kept", "after"]);
});

Deno.test("a flash message of an action that fails is not sent, and one of a POST is, whatever its purpose says", async () => {
  const { flash, finish } = jar();
  flash.set("Saved.", "success");
  assert.deepEqual(linesOf(finish(new Response(null, { status: 500 }))), []);
  const visit = start();
  const saved = await visit("/save", { method: "POST", headers: { "sec-purpose": "prefetch" } });
  assert.equal(saved.status, 303);
  assert.match(linesOf(saved)[0]!, /^__Host-framework\.flash=success\./);
});
