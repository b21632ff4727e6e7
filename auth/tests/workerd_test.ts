import assert from "node:assert/strict";
import { Miniflare } from "miniflare";
import { hashPassword, verifyPassword } from "../mod.ts";
import { authSchema } from "../storage/schema.ts";
import { bundleWorker } from "./bundle_worker.ts";

const ORIGIN = "http://localhost:8787";
const PASSWORD = "correct horse battery staple";

interface Reply {
  status: number;
  location: string | null;
  cookies: string[];
  text: string;
}

/** One browser: sends the own origin on posts and keeps the cookie of its session. */
function createBrowser(miniflare: Miniflare) {
  const jar = { cookie: "" };
  async function send(
    path: string,
    init: { json?: unknown; form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const { json, form } = init;
    const posts = json !== undefined || form !== undefined;
    const type = json === undefined ? "application/x-www-form-urlencoded" : "application/json";
    const response = await miniflare.dispatchFetch(ORIGIN + path, {
      method: posts ? "POST" : "GET",
      redirect: "manual",
      headers: {
        ...(posts && { "origin": ORIGIN, "content-type": type }),
        ...(jar.cookie !== "" && { cookie: jar.cookie }),
        ...init.headers,
      },
      ...(posts && { body: form ? new URLSearchParams(form).toString() : JSON.stringify(json) }),
    });
    const cookies = response.headers.getSetCookie()
      .filter((line) => line.startsWith("framework.session-token="));
    for (const line of cookies) jar.cookie = line.includes("Max-Age=0") ? "" : line.split(";")[0]!;
    return {
      status: response.status,
      location: response.headers.get("location"),
      cookies,
      text: await response.text(),
    };
  }
  return { jar, send };
}

/** The application, and the one of `auth.fetch`, each with a database of its own. */
let miniflare: Miniflare;
Deno.test.beforeAll(async () => {
  const common = {
    modules: true,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
  };
  const [script, fetching] = [
    await bundleWorker(new URL("./worker.ts", import.meta.url), { minify: true }),
    await bundleWorker(new URL("./fetch_worker.ts", import.meta.url)),
  ];
  miniflare = new Miniflare({
    workers: [
      { ...common, name: "application", script, d1Databases: { DB: "auth" } },
      { ...common, name: "fetch", script: fetching, d1Databases: { DB: "fetch" } },
    ],
  });
});
Deno.test.afterAll(async () => {
  await (miniflare as Miniflare | undefined)?.dispose();
});

Deno.test({
  name: "a minified worker signs users up, in and out in workerd with D1",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(test) {
    const database = await miniflare.getD1Database("DB");
    const schema =
      `${authSchema.up}\nCREATE TABLE passwords (user_id TEXT PRIMARY KEY REFERENCES users (id), hash TEXT NOT NULL)`;
    const statements = schema.split(/;\n/).map((one) => one.trim()).filter((one) => one !== "");
    await database.batch(statements.map((sql) => database.prepare(sql)));
    const ada = createBrowser(miniflare);

    await test.step("sign-up begins a session", async () => {
      const reply = await ada.send("/signup", {
        json: { email: "ada@example.com", password: PASSWORD },
      });
      assert.equal(reply.status, 200, reply.text);
      assert.match(
        reply.cookies[0]!,
        /^framework\.session-token=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      );
      assert.equal(JSON.parse((await ada.send("/private")).text).email, "ada@example.com");
    });

    // Tracks: R004, R005
    await test.step("its hash holds here, and one from here holds there", async () => {
      const { hash } =
        await database.prepare("SELECT hash FROM passwords").first<{ hash: string }>() ?? {};
      assert.equal(await verifyPassword(PASSWORD, hash), true);
      const own = await hashPassword(PASSWORD);
      assert.equal(
        (await ada.send("/verify", { json: { password: PASSWORD, hash: own } })).text,
        "true",
      );
      assert.equal(
        (await ada.send("/verify", { json: { password: "wrong", hash: own } })).text,
        "false",
      );
    });

    await test.step("a taken address is a 409", async () => {
      const headers = { accept: "application/json" };
      const json = { email: "ADA@example.com", password: PASSWORD };
      const reply = await createBrowser(miniflare).send("/signup", { json, headers });
      assert.equal(reply.status, 409, reply.text);
      assert.equal(JSON.parse(reply.text).code, "USER_EXISTS");
    });

    // Tracks: R034, F29
    await test.step("sign-out kills the session on the server", async () => {
      const { cookie } = ada.jar;
      const reply = await ada.send("/auth/signout", { form: {} });
      assert.equal(reply.status, 303);
      assert.equal(ada.jar.cookie, "");
      ada.jar.cookie = cookie;
      assert.equal((await ada.send("/auth/session")).text, "null");
      assert.equal(ada.jar.cookie, "", "a dead cookie is removed");
    });

    await test.step("a signed-out visitor is sent to the sign-in page and back", async () => {
      const refused = await ada.send("/private?tab=2");
      assert.equal(refused.status, 303);
      assert.equal(refused.location, `${ORIGIN}/auth/signin?callbackUrl=%2Fprivate%3Ftab%3D2`);
      const page = await ada.send(
        new URL(refused.location).pathname + new URL(refused.location).search,
      );
      const callbackUrl = /name="callbackUrl" value="([^"]+)"/.exec(page.text)![1]!;
      const form = { email: "Ada@Example.com", password: PASSWORD, callbackUrl };
      const wrong = await ada.send("/auth/signin/credentials", {
        form: { ...form, password: "wrong" },
      });
      assert.equal(wrong.status, 401);
      assert.match(wrong.text, /aria-invalid="true"/);
      assert.deepEqual(wrong.cookies, []);
      const reply = await ada.send("/auth/signin/credentials", { form });
      assert.equal(reply.status, 303);
      assert.equal(reply.location, `${ORIGIN}/private?tab=2`);
      assert.equal(
        JSON.parse((await ada.send("/auth/session")).text).user.email,
        "ada@example.com",
      );
    });

    // Tracks: R071, R072
    await test.step("another site's form is refused", async () => {
      const form = { email: "ada@example.com", password: PASSWORD };
      const headers = { origin: "https://evil.example" };
      assert.equal((await ada.send("/auth/signin/credentials", { form, headers })).status, 403);
      assert.equal((await ada.send("/auth/signout", { form: {}, headers })).status, 403);
    });

    // Tracks: R032
    await test.step("the sessions table holds no value of the cookie", async () => {
      const { results } = await database.prepare("SELECT * FROM sessions").all();
      assert.equal(results.length, 1);
      for (const value of Object.values(results[0]!)) {
        assert.equal(ada.jar.cookie.includes(String(value)), false);
      }
    });

    // Tracks: R015
    await test.step("eight sign-ins at once are all answered", async () => {
      const form = { email: "ada@example.com", password: PASSWORD };
      const replies = await Promise.all(
        Array.from(
          { length: 8 },
          (_, index) => {
            // From as many places: of one, five may be on their way at once.
            const headers = { "cf-connecting-ip": `192.0.2.${index}` };
            return createBrowser(miniflare).send("/auth/signin/credentials", { form, headers });
          },
        ),
      );
      assert.deepEqual(replies.map(({ status }) => status), Array(8).fill(303));
      assert.equal(new Set(replies.flatMap(({ cookies }) => cookies)).size, 8);
    });

    // Tracks: R036, F04
    await test.step("of 50 requests at once one renews the session", async () => {
      await database.prepare("UPDATE sessions SET refreshed_at = refreshed_at - 90000000").run();
      await database.prepare("UPDATE sessions SET expires_at = expires_at - 90000000").run();
      const { cookie } = ada.jar;
      const replies = await Promise.all(Array.from({ length: 50 }, () => ada.send("/")));
      assert.equal(replies.flatMap(({ cookies }) => cookies).length, 1);
      assert.equal(ada.jar.cookie, cookie);
      for (const { text } of replies) assert.equal(text, '["ada@example.com","ada@example.com"]');
    });

    // Tracks: R045
    await test.step("interleaved requests never see each other's user", async () => {
      const eve = createBrowser(miniflare);
      await eve.send("/signup", { json: { email: "eve@example.com", password: PASSWORD } });
      const browsers = [ada, eve, createBrowser(miniflare)];
      const emails = ["ada@example.com", "eve@example.com", null];
      await Promise.all(Array.from({ length: 120 }, async (_, index) => {
        const { text } = await browsers[index % 3]!.send(`/?wait=${(index * 7) % 20}`);
        assert.deepEqual(JSON.parse(text), [emails[index % 3], emails[index % 3]]);
      }));
    });

    // Tracks: R060, R068
    await test.step("the platform vouches for the host, and cookies of a public one are Secure", async () => {
      const reply = await miniflare.dispatchFetch("https://app.example/auth/signout", {
        method: "POST",
        redirect: "manual",
        headers: { "origin": "https://app.example", "x-forwarded-proto": "http" },
      });
      assert.equal(reply.headers.get("location"), "https://app.example/");
      assert.match(reply.headers.getSetCookie()[0]!, /; Secure;/);
    });

    // Tracks: R039
    await test.step("a disabled user is out at once and stays out", async () => {
      await database.prepare(
        "UPDATE users SET disabled_at = 1 WHERE email_identity = 'ada@example.com'",
      ).run();
      assert.equal((await ada.send("/auth/session")).text, "null");
      const signIn = async (password: string) => {
        const form = { email: "ada@example.com", password };
        const { status, text, cookies } = await ada.send("/auth/signin/credentials", { form });
        return { status, text, cookies };
      };
      const refused = await signIn(PASSWORD);
      assert.deepEqual([refused.status, refused.cookies], [401, []]);
      assert.deepEqual(refused, await signIn("wrong"), "as a wrong password");
    });
  },
});

Deno.test({
  name: "auth.fetch is the handler of a worker, with its context as the third argument",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const database = await miniflare.getD1Database("DB", "fetch");
    const statements = authSchema.up.split(/;\n/).map((one) => one.trim()).filter(Boolean);
    await database.batch(statements.map((sql) => database.prepare(sql)));
    // What the types of miniflare call a worker needs the types of the whole platform.
    const worker = await miniflare.getWorker("fetch") as unknown as {
      fetch: typeof miniflare.dispatchFetch;
    };
    const session = await worker.fetch(`${ORIGIN}/auth/session`);
    assert.deepEqual([session.status, await session.json()], [200, null]);
    const cookie = "framework.session-token=".padEnd(67, "a");
    const page = await worker.fetch(`${ORIGIN}/page`, { headers: { cookie } });
    assert.deepEqual([page.status, await page.text()], [
      404,
      "There is nothing at this address\n",
    ]);
  },
});
